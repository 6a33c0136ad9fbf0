# SPDX-License-Identifier: BSD-3-Clause
"""A network as a file in another format has it, and the topology file that becomes of it: names made fit for hosts, one link
for every pair that is joined, figures that nobody gives taken from the options or the positions."""

import decimal
import fnmatch
import math
import os
import re
import sys
from collections import namedtuple

KM_PER_SECOND = 200e3  # light in glass
EARTH_KM = 6371.0
MOST_LATENCY = 100.0  # seconds, of one link
MOST_NAME = 255  # bytes
MOST_BYTES = 64 << 20  # of a file

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BITS, BYTES = re.compile(r"(b(?i:ps|/s)|(?i:bits?(/s)?))"), ("Bps", "B/s")
SECONDS = {"ms": decimal.Decimal("1e-3"), "us": decimal.Decimal("1e-6"), "s": 1}

# Between two nodes, by their places; capacity in bits/s from u to v, both ways where links have no direction, 0 where it is
# not known; latency in seconds, negative where it is not.
Link = namedtuple("Link", "u v capacity latency", defaults=(0, -1))


class ImportFailure(Exception):
    """A file that is no network; the text says where and why."""


def read_file(path):
    """The bytes of a file, '-': of standard input."""
    name = "standard input" if path == "-" else path
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        verb = "read" if error.errno == 21 else "opened"
        raise ImportFailure(f"{name}: cannot be {verb}: {os.strerror(error.errno)}") from error
    if len(content) > MOST_BYTES:
        raise ImportFailure(f"{name}: larger than {MOST_BYTES >> 20} MiB, the largest file that mtree reads")
    return content


def cut_number(text):
    """The number at the begin of a text, and the rest; None: there is none."""
    found = NUMBER.match(text)
    if found is None or not math.isfinite(float(found[0])):
        return None, text
    tiny = abs(float(found[0])) < 1e-300
    return decimal.Decimal(0 if tiny else found[0]), text[found.end():]


def take_number(text):
    number, rest = cut_number(text)
    return None if rest.strip(" \t\r\n") else number


def rate_unit(unit):
    """What a rate's unit stands for, in bits/s; None: it is none.  Letters have no case but b, a bit, and B, a byte."""
    prefix = "kmgt".find(unit[:1].lower()) + 1 if unit else 0
    name = unit[1:] if prefix else unit
    return 1000 ** prefix * (8 if name in BYTES else 1) if name in BYTES or BITS.fullmatch(name) else None


def take_quantity(text, factor, factor_of, most):
    """A number with a unit, for which @a factor_of has the factor, or a bare one times @a factor; None: it is none, or over @a most."""
    number = take_number(text)
    if number is None:
        number, unit = cut_number(text.lstrip(" \t"))
        factor = factor_of(unit.lstrip(" \t"))
    return float(number * factor) if number is not None and factor is not None and 0 <= float(number * factor) <= most else None


def take_rate(text, factor):
    """In bits/s."""
    return take_quantity(text, factor, rate_unit, sys.float_info.max)


def take_time(text):
    """In seconds; a bare number is of milliseconds."""
    return take_quantity(text, SECONDS["ms"], lambda unit: SECONDS.get(unit.lower()), MOST_LATENCY)


# The keys of nodes and links, in small letters: the field of a record, and what reads its value.
FIELDS = {"id": ("id", str), "label": ("label", str), "name": ("label", str), "source": ("source", str), "target": ("target", str),
          "longitude": ("lon", take_number), "lon": ("lon", take_number), "latitude": ("lat", take_number), "lat": ("lat", take_number),
          "linkspeedraw": ("capacity", lambda text: take_rate(text, 1)),
          "capacity": ("capacity", lambda text: take_rate(text, 1000000)),
          "bandwidth": ("capacity", lambda text: take_rate(text, 1000000)), "latency": ("latency", take_time), "delay": ("latency", take_time)}


class Node:
    def __init__(self, name):
        self.id, self.label, self.is_switch, self.position = name, None, False, None


class Network:
    def __init__(self, file, wanted):
        """@a wanted: the topology to read, where a file has several; None: its default."""
        self.file, self.wanted = file, wanted
        self.name, self.comments, self.directed = None, [], False
        self.places, self.nodes, self.links = {}, [], []  # place of an identifier in nodes

    def fail(self, line, why):
        """@a line: None for the whole file."""
        where = self.file if line is None else f"{self.file}:{line}"
        raise ImportFailure(": ".join((where, why)))

    def node(self, name, line, is_switch=False):
        """The place of a node, which is added when it is not there."""
        if name not in self.places:
            if not is_valid(name):
                self.fail(line, f"a node's name must be 1 to {MOST_NAME} bytes of UTF-8 without quotes, backslashes and control characters")
            self.places[name] = len(self.nodes)
            self.nodes.append(Node(name))
        place = self.places[name]
        self.nodes[place].is_switch |= is_switch
        return place

    def take(self, record, key, value, line):
        """Take a key and its value into the record of a node or a link; unknown keys are passed over."""
        field, reader = FIELDS.get(key.lower(), (None, None))
        if field is not None:
            record[field] = reader(value)
            if record[field] is None:
                self.fail(line, f"{key} '{value}' cannot be read; correct or remove it")

    def add_node(self, record, line):
        if "id" not in record:
            self.fail(line, "a node without an id")
        node = self.nodes[self.node(record["id"], line)]
        node.label = record.get("label")
        node.position = (float(record["lon"]), float(record["lat"])) if "lon" in record and "lat" in record else None

    def add_link(self, record, line):
        if "source" not in record or "target" not in record:
            self.fail(line, "a link without a source or a target")
        self.links.append(Link(self.node(record["source"], line), self.node(record["target"], line),
                               record.get("capacity", 0), record.get("latency", -1)))

    def join(self, u, v, capacity=0):
        self.links.append(Link(u, v, capacity))


def is_valid(name):
    try:
        return 0 < len(name.encode()) <= MOST_NAME and not re.search(r'[\0-\x1f\x7f"\\]', name)
    except UnicodeEncodeError:
        return False


def host_name(text):
    """Every run of characters that do not fit a host name becomes one underscore."""
    name = ""
    for letter in text:
        name += letter if re.match(r"[A-Za-z0-9._-]", letter) else "" if name.endswith("_") else "_"
    return name


def names(network):
    """The names of the nodes: the label, unless it has characters that no host name has and the identifier is more than a
    number."""
    taken = {}
    for place, node in enumerate(network.nodes):
        is_plain = node.label and (re.fullmatch(r"[A-Za-z0-9.\-_ ]*", node.label) or re.fullmatch(r"[0-9]*", node.id))
        name = host_name(node.label if is_plain else node.id)[:MOST_NAME - 65]
        name += f"_n{place}" if name in taken else ""
        if name in taken:
            raise ImportFailure(f"{network.file}: two nodes would be named {name}; rename one")
        taken[name] = True
    return list(taken)


def latency_between(a, b):
    """Seconds along the great circle, 0 where a position is not known."""
    if a.position is None or b.position is None:
        return 0
    (lon_a, lat_a), (lon_b, lat_b), degree = a.position, b.position, math.pi / 180
    half_lat, half_lon = math.sin((lat_a - lat_b) * degree / 2), math.sin((lon_a - lon_b) * degree / 2)
    chord = half_lat * half_lat + math.cos(lat_a * degree) * math.cos(lat_b * degree) * half_lon * half_lon
    return 2 * EARTH_KM * math.asin(min(1, math.sqrt(chord))) / KM_PER_SECOND


def bundles(network, capacity):
    """All links between two nodes taken together, (u, v, capacity, capacity back, latency), in the order of the file."""
    found = {}
    for u, v, given, latency in network.links:
        if u != v:
            bundle = found.setdefault((min(u, v), max(u, v)), [u, v, 0, 0, []])
            turned = bundle[0] != u
            bundle[2 + turned] += given or capacity
            bundle[3 - turned] += 0 if network.directed else given or capacity
            bundle[4] += [latency] if latency >= 0 else []
    for u, v, there, back, latencies in found.values():
        yield u, v, there, back, (sum(latencies) / len(latencies) if latencies else latency_between(network.nodes[u], network.nodes[v]))


def check_joined(network, called, hosts, joined):
    """Is there a path from the first host to all others, and back?"""
    for turned in (False, True):
        ahead = [[] for _ in called]
        for u, v, *capacities, _ in joined:
            for start, end, capacity in ((u, v, capacities[turned]), (v, u, capacities[not turned])):
                ahead[start] += [end] if capacity > 0 else []
        seen, waiting = {hosts[0]}, [hosts[0]]
        while waiting:
            more = set(ahead[waiting.pop()]) - seen
            seen |= more
            waiting += more
        for host in hosts:
            if host not in seen:
                ends = (host, hosts[0]) if turned else (hosts[0], host)
                raise ImportFailure(f"{network.file}: host {called[ends[0]]} has no path to host {called[ends[1]]}; join them with links")


def write(network, capacity, patterns):
    """Print the topology file; @a capacity is that of links that have none, bits/s, 0: that is an error, and @a patterns are
    those of switches' names."""
    called = names(network)
    for link in network.links:
        if not link.capacity and not capacity:
            raise ImportFailure(f"{network.file}: the capacity of link {called[link.u]}-{called[link.v]} is not known; give one with "
                                "--capacity, or draw all with --skew")
    is_switch = [node.is_switch or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns if pattern)
                 for node, name in zip(network.nodes, called)]
    hosts, joined = [place for place, is_one in enumerate(is_switch) if not is_one], list(bundles(network, capacity))
    if not hosts:
        raise ImportFailure(f"{network.file}: no host: there are no nodes, or all are switches")
    check_joined(network, called, hosts, joined)
    lines = [f"// {line}" for line in network.comments]
    lines.append(f'graph "{host_name(network.name or "network")[:MOST_NAME - 1]}" {{')
    for name, node, is_one in zip(called, network.nodes, is_switch):
        position = ' pos="{!r},{!r}"'.format(*node.position) if node.position else ""
        lines.append(f'"{name}" [kind={"switch" if is_one else "host"}{position}];')
    for u, v, there, back, latency in joined:
        lines.append(f'"{called[u]}" -- "{called[v]}" [capacity="{there!r}bps" capacity_back="{back!r}bps" latency="{latency!r}s"];')
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    print("\n".join(lines), "}", sep="\n")
