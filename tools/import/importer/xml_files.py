# SPDX-License-Identifier: BSD-3-Clause
"""Networks as XML: GraphML (graphml.graphdrawing.org)."""

from xml.parsers import expat

MOST_DEPTH = 256
IDENTIFIERS = {"node": ("id",), "edge": ("source", "target")}
# What files of other programs begin with.
OTHERS = {"system": "; it looks like NCCL's", "network": "; it looks like SNDlib's", "topology": "; it looks like hwloc's, of a machine"}


class GraphMl:
    """What is open while expat reads a file."""

    def __init__(self, network):
        self.network, self.parser = network, expat.ParserCreate()
        self.names, self.depth = {}, 0  # names of data keys, by their id
        self.records = [(None, 0)]  # of nodes and edges, with their lines
        self.data = None  # the depth of a data element, its line, its name and its text

    def start(self, name, attributes):
        name, line = name.rpartition(":")[2], self.parser.CurrentLineNumber
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.network.fail(line, "elements nested too deeply: not a GraphML file")
        if self.depth == 1 and name != "graphml":
            self.network.fail(line, f"<{name}> is not GraphML's <graphml>{OTHERS.get(name, '')}; XML of others is not read")
        if self.data is not None:
            return
        if name == "key" and "id" in attributes and "attr.name" in attributes:
            self.names[attributes["id"]] = attributes["attr.name"]
        elif name == "data":
            self.data = [self.depth, line, self.names.get(attributes.get("key"), "id"), ""]
        elif name == "graph":
            self.network.directed = attributes.get("edgedefault") == "directed"
        elif name in IDENTIFIERS:
            self.records.append(({}, line))
            for key in IDENTIFIERS[name]:
                if key in attributes:
                    self.network.take(self.records[-1][0], key, attributes[key], line)

    def text(self, text):
        if self.data is not None:
            self.data[3] += text

    def end(self, name):
        if self.data is None:
            add = {"node": self.network.add_node, "edge": self.network.add_link}.get(name.rpartition(":")[2])
            if add is not None:
                add(*self.records.pop())
        elif self.data[0] == self.depth:
            self.take_data(*self.data[1:])
            self.data = None
        self.depth -= 1

    def take_data(self, line, name, text):
        """A data element named id or source does not identify the node."""
        record = self.records[-1][0]
        if text == "" or name.lower() in ("id", "source", "target"):
            return
        if record is not None:
            self.network.take(record, name, text, line)
        elif name.lower() == "label" and self.network.name is None:
            self.network.name = text


def read_graphml(network, content):
    graph = GraphMl(network)
    parser = graph.parser
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = graph.start, graph.end, graph.text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        network.fail(error.lineno, f"{expat.ErrorString(error.code)}: not a GraphML file")
    except (LookupError, ValueError) as error:
        network.fail(1, f"{error}: not a GraphML file")
