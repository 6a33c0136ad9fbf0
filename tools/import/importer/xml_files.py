# SPDX-License-Identifier: BSD-3-Clause
"""Networks as XML: GraphML (graphml.graphdrawing.org)."""

from xml.parsers import expat

MOST_DEPTH = 256


class Element:
    def __init__(self, name, attributes, line):
        self.name, self.line = name.rpartition(":")[2], line
        self.attributes, self.children, self.text, self.is_empty = attributes, [], "", True


def parse(network, content, what):
    """The root of a file, which expat reads nothing else for."""
    parser, opened = expat.ParserCreate(), [Element("", {}, 0)]

    def start(name, attributes):
        if len(opened) > MOST_DEPTH:
            network.fail(parser.CurrentLineNumber, f"elements nested too deeply: not {what}")
        opened[-1].is_empty = False
        opened[-1].children.append(Element(name, attributes, parser.CurrentLineNumber))
        opened.append(opened[-1].children[-1])

    def end(_):
        inner = opened.pop()
        opened[-1].text += inner.text

    def text(data):
        opened[-1].is_empty = False
        opened[-1].text += data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        network.fail(error.lineno, f"{expat.ErrorString(error.code)}: not {what}")
    except (LookupError, ValueError) as error:
        network.fail(1, f"{error}: not {what}")
    return opened[0].children[0]


class GraphMl:
    def __init__(self, network):
        self.network, self.names = network, {}  # of data keys, by their id

    def take(self, element, record):
        """@a record: of the node or edge around it; None: there is none."""
        network, attributes, line = self.network, element.attributes, element.line
        if element.name == "key":
            if "id" in attributes and "attr.name" in attributes:
                self.names[attributes["id"]] = attributes["attr.name"]
        elif element.name == "data":
            self.take_data(element, self.names.get(attributes.get("key"), "id"), record)
        elif element.name in ("node", "edge"):
            inner = {}
            for key in ("id",) if element.name == "node" else ("source", "target"):
                if key in attributes:
                    network.take(inner, key, attributes[key], line)
            self.take_all(element, inner)
            (network.add_node if element.name == "node" else network.add_link)(inner, line)
        else:
            if element.name == "graph":
                network.directed = attributes.get("edgedefault") == "directed"
            self.take_all(element, record)

    def take_all(self, element, record):
        for child in element.children:
            self.take(child, record)

    def take_data(self, element, name, record):
        """A data element named id or source does not identify the node."""
        if element.is_empty or name.lower() in ("id", "source", "target"):
            return
        if record is not None:
            self.network.take(record, name, element.text, element.line)
        elif name.lower() == "label" and self.network.name is None:
            self.network.name = element.text


def read_graphml(network, content):
    root = parse(network, content, "a GraphML file")
    if root.name != "graphml":
        looks = {"system": "; it looks like NCCL's", "network": "; it looks like SNDlib's",
                 "topology": "; it looks like hwloc's, of a machine"}.get(root.name, "")
        network.fail(root.line, f"<{root.name}> is not GraphML's <graphml>{looks}; XML of others is not read")
    GraphMl(network).take(root, None)
