# SPDX-License-Identifier: BSD-3-Clause
"""Topologies, plans and simulations of mtree(1) from Python (docs/python.md).

Everything goes through the program `mtree` on PATH, or the one that the environment's MTREE names,
and its JSON.  A plan is the object of docs/plan-file.md, a dict to be changed at will.  Options are
those of the command line: trees=4 is --trees 4, min_rate="5Mbps" --min-rate 5Mbps, hosts=["a", "b"]
--hosts a,b.
"""

import json
import os
import subprocess
from collections import defaultdict

# Which way the edges of a tree carry the message: from parent to child, back, or both.
WAYS = {"allreduce": (True, True), "bcast": (True, False), "reduce": (False, True)}


class Error(Exception):
    """What mtree said was wrong, without its name before it."""


def call(command, *arguments, stdin=None, **options):
    """The JSON that `mtree COMMAND --json` prints."""
    line = [os.environ.get("MTREE", "mtree"), command, "--json", *arguments]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            line.append(option)
        elif value is not None and value is not False:
            listed = ",".join(value) if isinstance(value, (list, tuple)) else str(value)
            line += [option, listed]
    given = None if stdin is None else json.dumps(stdin)
    done = subprocess.run(line, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("mtree: ") or f"status {done.returncode}")
    return json.loads(done.stdout)


class Topology:
    """The network of a topology file.  Hosts are named as in plans, which is as mpirun does."""

    def __init__(self, path):
        self.path = os.fspath(path)
        told = call("topology", self.path, routes=True)
        names = {host["name"]: host["host"] for host in told["hosts"]}
        self.name = told["name"]
        self.hosts = list(names.values())
        self.switches = [switch["name"] for switch in told["switches"]]
        self.capacity = {}  # (from, to) -> bits/s, both directions of each link
        for link in told["links"]:
            ends = names.get(link["from"], link["from"]), names.get(link["to"], link["to"])
            self.capacity[ends], self.capacity[ends[::-1]] = link["capacity_bps"]
        self.route = {}  # (host, host) -> the vertices from the one to the other
        self.latency = {}  # (host, host) -> seconds, one way
        for route in told["routes"]:
            ends = names[route["from"]], names[route["to"]]
            self.route[ends] = [names.get(vertex, vertex) for vertex in route["via"]]
            self.latency[ends] = route["latency_s"]

    def arcs(self, sender, receiver):
        """The directions of links, (from, to), that lie between two hosts."""
        route = self.route[sender, receiver]
        return list(zip(route, route[1:]))

    def plan(self, **options):
        """What mtree plans: options are those of `mtree plan`."""
        return call("plan", self.path, **options)

    def plan_of(self, trees, shares=None, collective="allreduce", algorithm="python"):
        """A plan of one's own for allreduce, bcast or reduce.

        Each of TREES is a list of (parent, child), whose first parent is the root.  SHARES, which
        need not sum to one, say how the message is divided; all alike without them.  Rates are as
        high as the links allow in these shares.
        """
        if collective not in WAYS:
            raise Error(f"plan_of: {collective} is none of {', '.join(WAYS)}")
        shares = shares or [1] * len(trees)
        shares = [share / sum(shares) for share in shares]
        load = defaultdict(float)
        for tree, share in zip(trees, shares):
            for parent, child in tree:
                for ends, is_used in zip(((parent, child), (child, parent)), WAYS[collective]):
                    for arc in self.arcs(*ends) if is_used else ():
                        load[arc] += share
        rate = min(self.capacity[arc] / load[arc] for arc in load)
        root = trees[0][0][0]
        return {
            "collective": collective, "algorithm": algorithm, "throughput_bps": rate,
            "bound_bps": 0.0, "height": max(map(height, trees)), "bytes": 0.0, "seconds": 0.0,
            "root": None if collective == "allreduce" else root, "limit": None,
            "hosts": list(self.hosts),
            "trees": [
                {"root": tree[0][0], "rate_bps": rate * share, "share": share, "chunk_bytes": 0,
                 "edges": [list(edge) for edge in tree],
                 "latency_s": [self.latency[tuple(edge)] for edge in tree]}
                for tree, share in zip(trees, shares)
            ],
        }

    def check(self, plan):
        """Raise Error unless each tree spans the hosts and no link gets more than it carries."""
        call("check", "-", self.path, stdin=plan)

    def simulate(self, plan=None, **options):
        """What `mtree simulate` measures of a plan, or of mtree's own: "seconds",
        "share_of_bound", "links" and more."""
        if plan is None:
            return call("simulate", self.path, **options)
        return call("simulate", self.path, plan="-", stdin=plan, **options)

    def compare(self, **options):
        """mtree's algorithms and Open MPI's: options are those of `mtree compare`."""
        return call("compare", self.path, **options)

    def draw(self, picture, plan=None, **options):
        """Draw the network, and the trees of a plan, to a file .svg, .png, .pdf or .dot; the use of
        the links."""
        given = {} if plan is None else {"plan": "-", "stdin": plan}
        return call("draw", self.path, output=os.fspath(picture), **given, **options)


def height(tree):
    """Edges from the root to the farthest leaf."""
    above = {child: parent for parent, child in tree}

    def depth(host):
        return 1 + depth(above[host]) if host in above else 0

    return max(map(depth, above))


def load(path):
    """The plan in a file."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(plan, path):
    """Write a plan for mtree and for coll_mtree_plan."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan, file, indent=1)
        file.write("\n")
