# SPDX-License-Identifier: BSD-3-Clause
"""The topology as `mtree topology --json --routes` prints it, and who forwards what."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from .errors import NetlabError
from .quantities import MOST_MTU, Rate

DEFAULT_MTU = 9000
BURST_SECONDS = 0.002  # of traffic that may follow at once when the machine was late


@dataclass
class Vertex:
    name: str  # the node's name in the file
    host: str  # the host name that mpirun uses
    is_host: bool  # ranks run here; False: a switch, which only forwards


@dataclass
class Link:
    ends: tuple  # two vertex names, as in the file
    rates: list  # bits/s as in the file, from ends[0] to ends[1] and back
    latency: float  # seconds, one way
    mtu: int = DEFAULT_MTU
    loss: float = 0.0  # the part of packets that is lost
    reorder: float = 0.0  # the part that overtakes others
    jitter: float = 0.0  # the most seconds beyond the latency
    cross: list = field(default_factory=lambda: [0.0, 0.0])  # bits/s, as rates
    addresses: tuple = ()  # of its ends, where the file names them: no route takes it; None at a switch

    @property
    def needs_relay(self):
        """Whether packets meet what netem does otherwise, or not at all."""
        return self.loss > 0 or self.reorder > 0 or self.jitter > 0


@dataclass
class Conditions:
    """Of links that the file says nothing else of."""

    mtu: int = DEFAULT_MTU
    loss: float = 0.0
    reorder: float = 0.0
    jitter: float = 0.0
    cross: Rate = field(default_factory=lambda: Rate(0.0))


@dataclass
class Topology:
    vertices: list
    links: list
    routes: dict  # (from, to) -> [from, ..., to], for every ordered pair of hosts

    def link_between(self):
        """Map (vertex, vertex), in either order, to the number of the link that routes take."""
        numbers = {}
        for number, link in enumerate(self.links):
            if link.addresses:
                continue
            numbers[link.ends] = numbers[link.ends[::-1]] = number
        return numbers


def find_program(name, variable, given=None):
    """The program NAME of this project: as given, as the environment's VARIABLE says, in
    the build folder that netlab was started from, beside netlab, where `make install` puts
    helpers, or on PATH."""
    for path in (given, os.environ.get(variable)):
        if path:
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                raise NetlabError(f"{path} is not a program; it should be {name}")
            return os.path.abspath(path)
    tools = os.path.dirname(os.path.abspath(sys.argv[0]))
    prefix = os.path.dirname(tools)
    helpers = os.path.join(prefix, "libexec", "mtree")
    built = os.path.join(prefix, "..")  # tools/netlab is two folders deep in a build folder
    near = os.pathsep.join((prefix, built, tools, helpers))
    return shutil.which(name, path=near) or shutil.which(name)


def ask_mtree(options, *arguments, file=None):
    """What `mtree topology` prints of FILE, or else of options.file; it reports what is wrong
    there."""
    file = file or options.file
    mtree = find_program("mtree", "MTREE", options.mtree)
    if mtree is None:
        raise NetlabError(
            "mtree is neither in the build folder nor on PATH: build it with make, "
            "or give --mtree PATH"
        )
    latency = ["--no-latency"] if options.no_latency else []
    reader = subprocess.run(
        [mtree, "topology", file, *latency, *arguments],
        stdout=subprocess.PIPE,
        check=False,
    )
    if reader.returncode != 0:
        raise NetlabError(
            f"{mtree} could not read {file} (status {reader.returncode})"
        )
    return reader.stdout


def shared_network(answer):
    """The topology file of what ANSWER has without cables: packets of hosts' own addresses take
    none of these."""
    lines = [f'"{entry["name"]}" [host="{entry["host"]}"];' for entry in answer["hosts"]]
    lines += [f'"{entry["name"]}" [kind=switch];' for entry in answer["switches"]]
    for entry in answer["links"]:
        there, back = entry["capacity_bps"]
        if "cables" not in entry:
            first, second = ("from", "to") if there > 0 else ("to", "from")
            lines.append(
                f'"{entry[first]}" -- "{entry[second]}" [capacity="{there or back}bps" '
                f'capacity_back="{back if there > 0 else there}bps" latency="{entry["latency_s"]}s"];'
            )
    return "graph shared {\n" + "\n".join(lines) + "\n}\n"


def read(options):
    """Read options.file, without latencies and with the routes that follow from that
    when the lab is to have none."""
    try:
        answer = json.loads(ask_mtree(options, "--json", "--routes"))
        if any("cables" in entry for entry in answer["links"]):
            with tempfile.NamedTemporaryFile("w", suffix=".dot", encoding="utf-8") as file:
                file.write(shared_network(answer))
                file.flush()
                routed = json.loads(ask_mtree(options, "--json", "--routes", file=file.name))
            answer["routes"] = routed["routes"]
        return parse(answer, options)
    except (ValueError, KeyError, TypeError) as error:
        raise NetlabError(
            f"mtree topology answered something else than a topology: {error!r}"
        ) from error


def write(options, path):
    """Write the lab's network as a topology file.  What forecasts take no notice of is not
    in it unless it is in the options' file."""
    conditions = ["--mtu", str(options.mtu), "--burst", f"{BURST_SECONDS * 1e3:g}ms"]
    if options.loss > 0:
        conditions += ["--loss", repr(options.loss)]
    ask_mtree(options, "--scale", repr(options.scale), *conditions, "--output", path)


def check_cross(ends, capacity, rate):
    """Refuse cross traffic that leaves nothing of a direction."""
    if rate >= capacity:
        raise NetlabError(
            f"link {ends[0]}--{ends[1]}: cross traffic of {rate / 1e6:g} Mb/s leaves nothing of "
            f"{capacity / 1e6:g} Mb/s"
        )


def parse_link(entry, conditions):
    """A link of the file under its own conditions, else those that hold for all."""
    capacities = entry["capacity_bps"]
    cross = [
        entry.get("cross_bps", conditions.cross.of(capacity)) if capacity > 0 else 0.0
        for capacity in capacities
    ]
    for capacity, rate in zip(capacities, cross):
        check_cross((entry["from"], entry["to"]), capacity, rate)
    return Link(
        (entry["from"], entry["to"]),
        capacities,
        entry["latency_s"],
        mtu=int(entry.get("mtu", conditions.mtu)),
        loss=entry.get("loss", conditions.loss),
        reorder=conditions.reorder,
        jitter=entry.get("jitter_s", conditions.jitter),
        cross=cross,
    )


def parse_links(entry, conditions):
    """The links of an entry: itself, or its cables."""
    if "cables" not in entry:
        return [parse_link(entry, conditions)]
    links = []
    for cable in entry["cables"]:
        link = parse_link(entry | {"capacity_bps": cable["capacity_bps"]}, conditions)
        link.addresses = (cable.get("from_address"), cable.get("to_address"))
        links.append(link)
    return links


def parse(answer, conditions=None):
    """The topology of ANSWER; the command line's options can be the conditions."""
    conditions = conditions or Conditions()
    vertices = [Vertex(entry["name"], entry["host"], True) for entry in answer["hosts"]]
    vertices += [
        Vertex(entry["name"], entry["name"], False) for entry in answer["switches"]
    ]
    links = [link for entry in answer["links"] for link in parse_links(entry, conditions)]
    routes = {(entry["from"], entry["to"]): entry["via"] for entry in answer["routes"]}
    return Topology(vertices, links, routes)


def forwarding(topology):
    """The next vertex towards host `to` is forwarding(topology)[vertex][to].

    mtree's routes depend on the destination alone, as the kernel's do; if they did not,
    packets would leave them unnoticed.
    """
    tables = {vertex.name: {} for vertex in topology.vertices}
    for (source, target), route in topology.routes.items():
        for here, following in zip(route, route[1:]):
            if tables[here].setdefault(target, following) != following:
                raise NetlabError(
                    f"the route {source}-{target} goes from {here} to {following}, "
                    f"another one to {tables[here][target]}: mtree and netlab are of "
                    "different versions"
                )
    return tables


def route_mtus(topology, tables):
    """The longest packet that passes from a vertex to host `to` is [vertex][to]."""
    numbers = topology.link_between()
    mtus = {vertex.name: {} for vertex in topology.vertices}
    for here in tables:
        for target in tables[here]:
            at, least = here, MOST_MTU
            while at != target:
                following = tables[at][target]
                least = min(least, topology.links[numbers[at, following]].mtu)
                at = following
            mtus[here][target] = least
    return mtus
