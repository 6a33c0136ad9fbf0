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
class Conditions:
    """Of links that the file says nothing else of."""

    mtu: int = DEFAULT_MTU
    loss: float = 0.0
    reorder: float = 0.0
    jitter: float = 0.0
    cross: Rate = field(default_factory=lambda: Rate(0.0))


def ends(link):
    return link["from"], link["to"]


def needs_relay(link):
    """Whether netlab_relay holds, loses or reorders packets on it."""
    return not link["netem"] and any(link[key] > 0 for key in ("latency_s", "loss", "reorder", "jitter_s"))


def use_netem(links):
    """Let the kernel hold the packets of LINKS, where nothing but latency is wanted on any of them."""
    if all(link[key] == 0 for link in links for key in ("loss", "reorder", "jitter_s")):
        for link in links:
            link["netem"] = link["latency_s"] > 0


@dataclass
class Topology:
    vertices: list  # each with its "name" in the file, the name "host" that mpirun uses, and "is_host"
    links: list  # as parse_link() makes them
    routes: dict  # (from, to) -> [from, ..., to], for every ordered pair of hosts

    def link_between(self):
        """Map (vertex, vertex), in either order, to the number of the link that routes take."""
        numbers = {}
        for number, link in enumerate(self.links):
            if not link["addresses"]:
                numbers[ends(link)] = numbers[ends(link)[::-1]] = number
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


def check_cross(link, capacity, rate):
    """Refuse cross traffic that leaves nothing of a direction."""
    if rate >= capacity:
        raise NetlabError(
            f"link {link['from']}--{link['to']}: cross traffic of {rate / 1e6:g} Mb/s leaves nothing of "
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
        check_cross(entry, capacity, rate)
    return {
        "from": entry["from"],
        "to": entry["to"],
        "capacity_bps": capacities,
        "latency_s": entry["latency_s"],
        "mtu": int(entry.get("mtu", conditions.mtu)),
        "loss": entry.get("loss", conditions.loss),
        "reorder": conditions.reorder,
        "jitter_s": entry.get("jitter_s", conditions.jitter),
        "cross_bps": cross,
        "netem": False,
        "addresses": [],  # of its ends, where the file names them: no route takes it; None at a switch
    }


def parse_links(entry, conditions):
    """The links of an entry: itself, or its cables."""
    if "cables" not in entry:
        return [parse_link(entry, conditions)]
    links = []
    for cable in entry["cables"]:
        link = parse_link(entry | {"capacity_bps": cable["capacity_bps"]}, conditions)
        links.append(link | {"addresses": [cable.get("from_address"), cable.get("to_address")]})
    return links


def parse(answer, conditions=None):
    """The topology of ANSWER; the command line's options can be the conditions."""
    conditions = conditions or Conditions()
    vertices = [
        {"name": entry["name"], "host": entry["host"] if is_host else entry["name"], "is_host": is_host}
        for is_host, entries in ((True, answer["hosts"]), (False, answer["switches"])) for entry in entries
    ]
    links = [link for entry in answer["links"] for link in parse_links(entry, conditions)]
    routes = {(entry["from"], entry["to"]): entry["via"] for entry in answer["routes"]}
    return Topology(vertices, links, routes)


def forwarding(topology):
    """The next vertex towards host `to` is forwarding(topology)[vertex][to].

    mtree's routes depend on the destination alone, as the kernel's do; if they did not,
    packets would leave them unnoticed.
    """
    tables = {vertex["name"]: {} for vertex in topology.vertices}
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
    mtus = {vertex["name"]: {} for vertex in topology.vertices}
    for here in tables:
        for target in tables[here]:
            at, least = here, MOST_MTU
            while at != target:
                following = tables[at][target]
                least = min(least, topology.links[numbers[at, following]]["mtu"])
                at = following
            mtus[here][target] = least
    return mtus
