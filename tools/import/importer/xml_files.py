# SPDX-License-Identifier: BSD-3-Clause
"""Networks as XML: GraphML (graphml.graphdrawing.org), and a machine as hwloc writes it (lstopo machine.xml): its NUMA nodes
are hosts; its network interfaces, and objects that hold several of either, are switches."""

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


class Object:
    """An object of hwloc's; it becomes a node when there is a second one in it, or is one in any case."""

    def __init__(self, element, outer, count):
        attributes, kind = element.attributes, element.attributes["type"]
        number = attributes.get("os_index")
        self.line, self.is_host = element.line, kind == "NUMANode"
        self.name = attributes["name"] if kind == "OSDev" and "name" in attributes else f"{kind}{number}" if number is not None \
            else f"{kind}_{count}"
        # Of the PCI slot that it is or sits in, bits/s; hwloc has GB/s.
        self.speed = slot_speed(attributes.get("pci_link_speed")) or (outer.speed if outer else 0)
        # Network interfaces are devices of the operating system of kind 2, or OpenFabrics' 3.
        self.is_leaf = self.is_host or (kind == "OSDev" and attributes.get("osdev_type") in ("2", "3"))
        self.only, self.node = None, None  # (the one node in it so far, its speed); itself


def slot_speed(text):
    try:
        speed = float(text or 0)
    except ValueError:
        return 0
    return 8e9 * speed if 0 < speed < 1e6 else 0


class Hwloc:
    def __init__(self, network):
        self.network, self.count = network, 0

    def become_node(self, obj):
        if obj.node is None:
            obj.node = self.network.node(obj.name, obj.line, not obj.is_host)

    def join(self, obj, node, speed):
        """@a node is in the object, which becomes a node itself when it is the second."""
        if obj.node is None and obj.only is None:
            obj.only = (node, speed)
            return
        self.become_node(obj)
        if obj.only is not None:
            self.network.join(obj.node, obj.only[0], obj.only[1])
            obj.only = None
        self.network.join(obj.node, node, speed)

    def take(self, element, outer):
        if element.name != "object":
            for child in element.children:
                self.take(child, outer)
            return
        if "type" not in element.attributes:
            self.network.fail(element.line, "an object without a type")
        obj = Object(element, outer, self.count)
        self.count += 1
        if obj.is_leaf:
            self.become_node(obj)
        for child in element.children:
            self.take(child, obj)
        inner = (obj.node, obj.speed) if obj.node is not None else obj.only
        if outer is not None and inner is not None:
            self.join(outer, *inner)


def read_hwloc(network, content):
    root, hwloc = parse(network, content, "an hwloc file"), Hwloc(network)
    if root.name != "topology":
        looks = {"system": "; it looks like NCCL's", "network": "; it looks like SNDlib's"}.get(root.name, "")
        network.fail(root.line, f"<{root.name}> is neither GraphML's <graphml> nor hwloc's <topology>{looks}; XML of others is not read")
    hwloc.take(root, None)
    if hwloc.count == 0:
        network.fail(None, "no objects of hwloc in it; write it with lstopo machine.xml")


def read_graphml(network, content):
    GraphMl(network).take(parse(network, content, "a GraphML file"), None)


def read_xml(network, content):
    """GraphML and hwloc's files are XML, and either may be called so."""
    (read_graphml if b"<graphml" in content else read_hwloc)(network, content)
