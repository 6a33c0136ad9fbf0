# SPDX-License-Identifier: BSD-3-Clause
"""Slurm's topologies.

topology.conf has a line for each switch, "SwitchName=NAME Nodes=LIST" or "SwitchName=NAME Switches=LIST", as the tree plugin
reads it, for each block, "BlockName=NAME Nodes=LIST", and "BlockSizes=LIST", or for each ring, "RingName=NAME Nodes=LIST".
Values may be quoted, and '=' have blanks around it.  "#" begins a comment, a backslash at the end of a line continues it, and
"Include FILE" stands for the lines of that file.

topology.yaml has a list of topologies, one of which is read.  It is a mapping with the name under "topology", and "tree" with
a list of "switches", "block" with a list of "blocks" and one of "block_sizes", "ring" with a list of "rings", or "torus3d" with
one of "toruses", which have "dims" x, y and z.

A tree has a switch above nodes and above other switches.  Blocks are of nodes that are close to each other; each becomes a
switch.  The sizes of blocks say how many nodes a larger block has, which is made of blocks that follow each other: it becomes a
switch above theirs.  The nodes of a ring or torus are joined to each other.  A last switch, called as what it joins, is above
the parts that the file does not join."""

import math
import os
import re

from doctorlib import host_list
from network import MOST_NAME, read_file
from tables import text_of

MOST_BYTES = 1 << 20
MOST_INCLUDED = 8  # files in each other
MOST_SIZE = 16384
MOST_DEPTH = 32
KEYS = ("switchname", "nodes", "switches", "linkspeed", "blockname", "blocksizes", "ringname")
PAIR = re.compile(r'([^=\s]*)\s*=\s*(?:"([^"]*)"|(?!")(\S*))\s*', re.ASCII)
INCLUDE = re.compile(r"include\s+(\S*)", re.ASCII | re.I)


class Slurm:
    def __init__(self, network):
        self.network, self.kind = network, None
        self.blocks, self.sizes = [], []  # nodes of the network in the file's order; of blocks, in nodes, growing

    def begin(self, kind, line):
        """A file has one topology, whose parts are @a kind."""
        if self.kind not in (None, kind):
            self.network.fail(line, f"{self.kind} and {kind} are two topologies; keep one of them")
        self.kind = kind

    def names(self, text, line):
        try:
            return host_list.expand(text)
        except host_list.ListError as error:
            return self.network.fail(line, f"the list '{text[:60]}': {error}")

    def join_list(self, name, text, speed, line, are_switches=False):
        for member in self.names(text, line) if text is not None else ():
            self.network.node(member, line, are_switches)
            record = {"source": name, "target": member}
            # Slurm does not define a speed's unit, so a bare number is not used.
            if speed is not None and speed.strip("0123456789."):
                self.network.take(record, "capacity", speed, line)
            self.network.add_link(record, line)

    def add_switch(self, name, nodes, switches, speed, line):
        self.begin("switches", line)
        self.network.node(name, line, True)
        self.join_list(name, nodes, speed, line)
        self.join_list(name, switches, speed, line, True)

    def add_block(self, name, nodes, line):
        self.begin("blocks", line)
        if name in self.network.places:
            self.network.fail(line, f"block {name[:60]} is there already, or a node is called so; rename one")
        self.blocks.append(self.network.node(name, line, True))
        self.join_list(name, nodes, None, line)

    def add_torus(self, nodes, sizes, line):
        """A torus of so many nodes along each dimension, of which the first changes fastest; @a sizes None: a ring of all."""
        self.begin("toruses" if sizes else "rings", line)
        places = [self.network.node(name, line) for name in self.names(nodes, line)]
        sizes = sizes or [len(places)]
        if math.prod(sizes) != len(places):
            self.network.fail(line, f"a torus of {' x '.join(map(str, sizes))} nodes, but its list has {len(places)}; make them agree")
        step = 1
        for size in sizes:
            for i, place in enumerate(places):
                if i // step % size < size - 1:
                    self.network.join(place, places[i + step])
                elif size > 2:
                    self.network.join(places[i - (size - 1) * step], place)
            step *= size

    def add_size(self, text, line):
        size = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0
        times, rest = divmod(size, self.sizes[0] if self.sizes else size or 1)
        if not (self.sizes[-1] if self.sizes else 0) < size <= MOST_SIZE or rest or times & (times - 1):
            self.network.fail(line, f"block size '{text[:20]}': sizes are whole numbers, each the first one times a power of two")
        self.sizes.append(size)

    def join_below(self, name, below):
        """A new switch above some nodes, called so, with underscores if something is called so."""
        while name in self.network.places and len(name) < MOST_NAME:
            name += "_"
        node = self.network.node(name, 0, True)
        for inner in below:
            self.network.join(node, inner)
        return node

    def tops(self):
        """One node of each part of the network that no link joins to the others: the first that is below no other."""
        above = list(range(len(self.network.nodes)))

        def part_of(node):
            while above[node] != node:
                above[node] = node = above[above[node]]
            return node

        for link in self.network.links:
            above[part_of(link.v)] = part_of(link.u)
        below = {link.v for link in self.network.links}
        tops = {}
        for node in range(len(above)):
            if node not in below:
                tops.setdefault(part_of(node), node)
        return list(tops.values())

    def finish(self):
        """Join what is apart."""
        nodes = self.blocks
        for smaller, size in zip(self.sizes, self.sizes[1:]):
            times = size // smaller
            if len(nodes) > times:
                groups = [nodes[first:first + times] for first in range(0, len(nodes), times)]
                nodes = [self.join_below(f"blocks_of_{size}_{number}", group) if len(group) > 1 else group[0]
                         for number, group in enumerate(groups, 1)]
        tops = self.tops()
        if len(tops) > 1:
            self.join_below(self.kind, tops)


def take_line(slurm, values, line):
    """The values of a line of topology.conf, by KEYS."""
    network = slurm.network
    name, nodes, switches, speed, block, sizes, ring = (values.get(key) for key in KEYS)
    for size in filter(None, (sizes or "").split(",")):
        slurm.add_size(size, line)
    if block is not None or ring is not None:
        what, key = ("block", "BlockName") if block is not None else ("ring", "RingName")
        if nodes is None or name is not None or switches is not None:
            network.fail(line, f"a {what} needs {key}= and Nodes=")
        if block is not None:
            slurm.add_block(block, nodes, line)
        else:
            slurm.add_torus(nodes, None, line)
    elif (name, nodes, switches, speed) != (None,) * 4:
        if name is None or (nodes is None and switches is None):
            network.fail(line, "a switch needs SwitchName=, and Nodes= or Switches=")
        slurm.add_switch(name, nodes, switches, speed, line)


def values_of(network, text, line):
    values, at = {}, 0
    while at < len(text):
        pair = PAIR.match(text, at)
        if pair is None:
            network.fail(line, f"'{text[at:at + 60]}' is no Key=value")
        if pair[1].lower() not in KEYS:
            network.fail(line, f"{pair[1][:60]} is no key of a switch (SwitchName, Nodes, Switches, LinkSpeed), of blocks (BlockName, "
                         "Nodes, BlockSizes) or of a ring (RingName, Nodes); other topologies of Slurm are not read")
        values[pair[1].lower()] = pair[3] if pair[2] is None else pair[2]
        at = pair.end()
    return values


def include(slurm, name, line, depth):
    """The lines of a file, which is in the folder of the one that includes it unless its name begins with '/'."""
    network = slurm.network
    outer = network.file
    if depth > MOST_INCLUDED:
        network.fail(line, f"more than {MOST_INCLUDED} files include each other")
    network.file = os.path.join(os.path.dirname(outer), name)
    take_file(slurm, read_file(network.file), depth)
    network.file = outer


def take_file(slurm, content, depth=0):
    if b"\0" in content or len(content) > MOST_BYTES:
        slurm.network.fail(None, f"not a topology.conf (a NUL in it, or over {MOST_BYTES} bytes)")
    text, first = "", 1
    for number, line in enumerate(text_of(content).split("\n"), 1):
        text += line.partition("#")[0].rstrip(" \t\r\v\f")
        if text.endswith("\\"):
            text = text[:-1]
            continue
        text = text.lstrip()
        found = INCLUDE.match(text)
        if found:
            include(slurm, found[1], first, depth + 1)
        else:
            take_line(slurm, values_of(slurm.network, text, first), first)
        text, first = "", number + 1
    take_line(slurm, values_of(slurm.network, text.strip(), first), first)


def read_conf(network, content):
    slurm = Slurm(network)
    take_file(slurm, content)
    slurm.finish()


class Yaml:
    """What libyaml composed of a file; nothing here follows it further than the form of the file goes."""

    def __init__(self, network):
        self.network, self.slurm = network, Slurm(network)

    def fail(self, node, why):
        self.network.fail(node.start_mark.line + 1 if node is not None else 1, why)

    def groups(self, node, key, name, switches=None):
        """The groups of the list @a key: their node, name, nodes, and what is below."""
        found = elements(member(node, key))
        if not found:
            self.fail(node, f"a list '{key}' is needed here")
        for group in found:
            values = [text_member(group, word) for word in (name, "nodes", switches)]
            if values[0] is None or values[1:] == [None, None]:
                self.fail(group, f"a {WHATS[key]} needs {name}:, and nodes:{' or children:' if switches else ''}")
            yield (group, group.start_mark.line + 1, *values)

    def take_dims(self, group):
        sizes = [text_member(member(group, "dims"), name) or "" for name in "xyz"]
        if not all(re.fullmatch(r"0*[1-9][0-9]{0,8}", size) for size in sizes):
            self.fail(group, "a torus needs dims: with x, y and z, whole numbers")
        return [int(size) for size in sizes]

    def choose(self, root):
        """The topology to read: the one that was asked for, else the first that is the cluster's default, else the first, as
        Slurm chooses."""
        topologies, wanted = elements(root), self.network.wanted
        first = topologies[0] if topologies else None
        if text_member(first, "topology") is None:
            self.fail(first, "a list of topologies is needed, each beginning with '- topology: NAME'")
        for topology in topologies:
            name, default = text_member(topology, "topology"), text_member(topology, "cluster_default") or ""
            if name is not None and (name == wanted if wanted else default.lower() in ("true", "yes")):
                return topology
        if wanted:
            self.network.fail(None, f"no topology in it is called '{wanted}'")
        return first

    def take(self, topology):
        slurm, name = self.slurm, text_member(topology, "topology")
        tree, block, ring, torus = (member(topology, key) for key in ("tree", "block", "ring", "torus3d"))
        if tree is not None:
            for _, line, switch, nodes, children in self.groups(tree, "switches", "switch", "children"):
                slurm.add_switch(switch, nodes, children, None, line)
        elif block is not None:
            for size in elements(member(block, "block_sizes")):
                slurm.add_size(size.value if is_scalar(size) else "", size.start_mark.line + 1)
            for _, line, called, nodes, _ in self.groups(block, "blocks", "block"):
                slurm.add_block(called, nodes, line)
        elif ring is not None:
            for _, line, _, nodes, _ in self.groups(ring, "rings", "ring"):
                slurm.add_torus(nodes, None, line)
        elif torus is not None:
            for group, line, _, nodes, _ in self.groups(torus, "toruses", "name"):
                slurm.add_torus(nodes, self.take_dims(group), line)
        else:
            self.fail(topology, f"topology {name[:60]} is neither a tree, nor of blocks, rings or toruses; name another one by --topology, "
                      "or make a flat one of N hosts with mtree generate star:N")
        slurm.finish()
        self.network.name = name


WHATS = {"switches": "switch", "blocks": "block", "rings": "ring", "toruses": "torus"}


def is_scalar(node):
    return isinstance(getattr(node, "value", None), str)


def is_list(node):
    return getattr(node, "id", None) == "sequence"


def elements(node):
    return node.value if is_list(node) else []


def member(node, key):
    """The value of a key of a mapping; None: there is none, or it is no mapping."""
    pairs = node.value if getattr(node, "id", None) == "mapping" else []
    return next((value for name, value in pairs if is_scalar(name) and name.value == key), None)


def text_member(node, key):
    value = member(node, key)
    return value.value if is_scalar(value) else None


def read_yaml(network, content):
    try:
        import yaml
    except ImportError:
        network.fail(None, "YAML is not read: python3 has no yaml (Debian: python3-yaml)")
    if len(content) > MOST_BYTES:
        network.fail(None, f"not a topology.yaml (over {MOST_BYTES} bytes)")
    try:
        kind, depth = getattr(yaml, "CSafeLoader", yaml.SafeLoader), 0
        for event in yaml.parse(content, kind):  # what composes nodes calls itself
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH:
                network.fail(event.start_mark.line + 1, "lists nested too deeply: not a topology.yaml")
        loader = kind(content)
        root = loader.get_node() if loader.check_node() else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        network.fail(mark.line + 1 if mark else 1, f"not YAML: {getattr(error, 'problem', None) or getattr(error, 'reason', error)}")
    topologies = Yaml(network)
    topologies.take(topologies.choose(root))
