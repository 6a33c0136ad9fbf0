# SPDX-License-Identifier: BSD-3-Clause
"""Networks as text: tables of links and of nodes, whose fields tabs separate, and GML (Himsolt, "GML: A portable Graph File
Format").  In a table "-" or nothing stands for what is not known, and lines "# key: value" describe the network."""

import html.entities
import re

MOST_LINE = 4096
BLANKS = re.compile(r"[ \t\n\v\f\r]+|#[^\n]*")
TOKEN = re.compile(r'"([^"]*)"?|([][]|[^ \t\n\v\f\r\[\]"]+)')
ENTITY = re.compile(r"&(?:#x([0-9a-fA-F]{1,13})|#([0-9]{1,14})|(\w{1,15}));", re.ASCII)
LINE = re.compile(r"[^\r\n]*")
MOST_DEPTH = 31


def text_of(content):
    return content.decode("utf-8", "surrogateescape")


def take_heading(network, line):
    line = line.lstrip("# \t")
    key, _, value = line.partition(":")
    if key == "name":
        network.name = network.name if network.name is not None else value.lstrip(" \t")
    elif key == "directed":
        network.directed = "yes" in value
    elif key in ("description", "source", "license"):
        network.comments.append(line)


def lines_of(network, content):
    for number, line in enumerate(content.split(b"\n"), 1):
        if len(line) >= MOST_LINE or b"\0" in line:
            network.fail(number, f"not a line of a table (over {MOST_LINE} bytes, or a NUL in it)")
        line = text_of(line.partition(b"\r")[0])
        if line:
            yield number, line


def take_fields(network, keys, fields, number):
    record = {}
    for key, field in zip(keys, fields):
        if field not in ("", "-"):
            network.take(record, key, field, number)
    return record


def read_links(network, content):
    for number, line in lines_of(network, content):
        fields = line.split("\t")
        if line.startswith("#"):
            take_heading(network, line)
        elif len(fields) < 2:
            network.fail(number, "two nodes with a tab between them are needed")
        else:
            network.add_link(take_fields(network, ("source", "target", "capacity", "latency"), fields, number), number)


def read_nodes(network, content):
    """Nodes without links are of no use; labels of the others are."""
    for number, line in lines_of(network, content):
        fields = line.split("\t")
        if not line.startswith("#") and fields[0] in network.places:
            network.add_node(take_fields(network, ("id", "label", "lat", "lon"), fields, number), number)


def character(found):
    """GML writes characters beyond ASCII and quotes as HTML does, "&#252;" or "&uuml;"; others stay as they are."""
    codes = html.entities.name2codepoint
    code = int(found[1], 16) if found[1] else int(found[2]) if found[2] else 39 if found[3] == "apos" else codes.get(found[3], 0)
    return chr(code) if 32 <= code <= 0x10FFFF else found[0]


class Gml:
    def __init__(self, network, text):
        self.network, self.text, self.at, self.line = network, text, 0, 1

    def fail(self, what):
        self.network.fail(self.line, f"{what}: not a GML file")

    def token(self):
        """The next one, and whether it was quoted; None at the end."""
        blank = BLANKS.match(self.text, self.at)
        while blank:
            self.line, self.at = self.line + blank[0].count("\n"), blank.end()
            blank = BLANKS.match(self.text, self.at)
        found = TOKEN.match(self.text, self.at)
        if found is None:
            return None, False
        self.line, self.at = self.line + found[0].count("\n"), found.end()
        return (found[2], False) if found[1] is None else (ENTITY.sub(character, found[1]), True)

    def graph_key(self, key, value):
        network = self.network
        if key == "directed":
            network.directed = value == "1"
        elif key == "label":
            network.name = value if network.name is None else network.name
        elif key in ("source", "creator"):
            network.comments.append(f"{key}: {LINE.match(value)[0]}")

    def close(self, scope, record, line):
        if scope == "node":
            self.network.add_node(record, line)
        elif scope == "edge":
            self.network.add_link(record, line)

    def read(self):
        scopes = [("file", None, 0)]  # what is open, its record, and where it begins
        while True:
            key, is_quoted = self.token()
            if key is None:
                break
            if key == "]" and not is_quoted:
                if len(scopes) == 1:
                    self.fail("a ']' without its '['")
                self.close(*scopes.pop())
                continue
            if is_quoted or key == "[":
                self.fail("a value without a key")
            value, is_quoted = self.token()
            if value is None or (value == "]" and not is_quoted):
                self.fail("a key without a value")
            scope, record, _ = scopes[-1]
            if value == "[" and not is_quoted:
                if len(scopes) > MOST_DEPTH:
                    self.fail("lists nested too deeply")
                inner = (scope, key.lower())
                scopes.append((key.lower() if inner in (("file", "graph"), ("graph", "node"), ("graph", "edge")) else "other",
                               {}, self.line))
            elif scope == "graph":
                self.graph_key(key.lower(), value)
            elif scope in ("node", "edge"):
                self.network.take(record, key, value, self.line)
        if len(scopes) > 1:
            self.fail("a '[' without its ']'")


def read_gml(network, content):
    if b"\0" in content:
        network.fail(None, "holds a NUL byte: not a GML file")
    Gml(network, text_of(content)).read()
