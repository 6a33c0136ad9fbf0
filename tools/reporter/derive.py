# SPDX-License-Identifier: BSD-3-Clause
"""What follows from the counts of a report: sums, forecasts, the traffic on links, what these gave, and where the map is wrong.

What needs the planner mtree has added (tools/commands/report.c).  A direction of a link is an arc: 2 l is link l from its `from` to its
`to`, 2 l + 1 the other way."""

import calls as of_calls
from values import at, elements, member, number

DISAGREES = 2  # the factor by which a map and the calls may differ
# The part of the time below which a backlog is not evidence: what arrived in that time was under way before, so a short one seems
# to have carried more than the link can.
LEAST_BACKLOGGED = 0.2


class Map:
    """A topology, and what is found of its arcs."""

    def __init__(self, network):
        self.network, self.links = network, elements(network, "links")
        arcs = 2 * len(self.links)
        self.bytes, self.gave, self.pressed, self.narrowest = [0] * arcs, [0] * arcs, [0] * arcs, [False] * arcs
        self.capacity = self.of_arcs("capacity_bps")
        self.seconds, self.disagrees = 0, False

    def of_arcs(self, key, other=""):
        return [number(link, key if key in link else other, way) for link in self.links for way in range(2)]

    def measure(self, paths):
        """Find what each arc gave from what was measured between hosts, [(rate, part of the time with a backlog, rate then, arcs)].
        Several calls, for several groups of hosts, add up."""
        for rate, part, full_rate, arcs in paths:
            is_full = part >= LEAST_BACKLOGGED
            for arc in arcs:
                self.gave[arc] += full_rate if is_full else rate
                self.pressed[arc] = max(self.pressed[arc], part if is_full else 0)
        for _, part, _, arcs in paths:
            if arcs and part >= LEAST_BACKLOGGED:
                self.narrowest[max(arcs, key=lambda arc: self.share(self.gave[arc], arc))] = True

    def carry(self, plan, moved):
        for arc, load in enumerate(elements(plan, "load")):
            self.bytes[arc] += load * moved

    def share(self, rate, arc):
        """The share of the arc's capacity that @a rate is."""
        return rate / self.capacity[arc] if self.capacity[arc] > 0 else 0

    def found(self, arc, carried, on_map):
        """Bits/s that the calls found on an arc, where the map has another number by more than a factor of two; 0: they agree.  A
        link that limits what is sent gives what it can; another one at least what it carried."""
        found = max(self.gave[arc] if self.narrowest[arc] else self.capacity[arc], carried)
        return found if found > DISAGREES * on_map or found < on_map / DISAGREES else 0

    def write(self, connecting):
        """Where connections were opened for @a connecting seconds, data may have passed over others."""
        self.seconds += connecting if self.seconds > 0 else 0
        carried = [8 * moved / self.seconds if self.seconds > 0 else 0 for moved in self.bytes]
        on_map = self.of_arcs("map_bps", "capacity_bps")
        arcs = range(len(self.bytes))
        members = {"bytes": self.bytes, "use": [self.share(carried[arc], arc) for arc in arcs],
                   "gave_bps": [self.gave[arc] if self.pressed[arc] > 0 else 0 for arc in arcs], "pressed": self.pressed,
                   "narrowest": self.narrowest, "found_bps": [self.found(arc, carried[arc], on_map[arc]) for arc in arcs]}
        for place, link in enumerate(self.links):
            link.update({key: values[2 * place:2 * place + 2] for key, values in members.items()})
        self.network.update(seconds=self.seconds, disagrees=self.disagrees or any(members["found_bps"]))


def forecast(calls, plan, size):
    """What calls of that mean size were expected to take when they were planned.  Calls of one line differ in size by a factor of
    two at most: Open MPI's time is taken to grow as that of the plan."""
    planned, openmpi, throughput = number(calls, "planned_s"), number(calls, "planned_openmpi_s"), number(plan, "throughput_bps")
    expected = planned
    if planned > 0 and throughput > 0:
        expected += max(8 * (size - number(plan, "bytes")) / throughput, -planned / 2)
        calls["forecast_s"] = expected
    if planned > 0 and openmpi > 0:
        calls["openmpi_forecast_s"] = openmpi * expected / planned


def derive_means(report, calls):
    """The means of the ranks that are heard; each has its own by the keys of calls, and by who served."""
    key = calls.pop("key", None)
    for served in elements(calls, "served"):
        by = 0 if member(served, "by") == "trees" else 1
        means = [mean for mean in (number(member(of_rank, "means"), key, by) for of_rank in report["times"]) if mean > 0]
        if means:
            served.update(ranks=len(means), mean_of_ranks_s=sum(means) / len(means), slowest_rank_s=max(means))


def derive_calls(report, calls, maps):
    derive_means(report, calls)
    for key in ("calls", "bytes", "shared_s"):
        calls[key] = sum(number(served, key) for served in elements(calls, "served"))
    plan, trees, share = of_calls.plan_of(report, calls), of_calls.by_trees(calls), number(calls, "host_share")
    if plan is None:
        return
    forecast(calls, plan, calls["bytes"] / max(calls["calls"], 1) * share)
    bound, slowest = number(calls, "bound_seconds"), number(trees, "slowest_rank_s")
    if bound > 0 and slowest > 0:
        calls["share_of_bound"] = bound / slowest
    calls["disagrees"] = number(calls, "share_of_bound") > DISAGREES
    if "load" in plan:
        topology = maps[plan["topology"]]
        topology.disagrees = topology.disagrees or calls["disagrees"]
        direct = at(report, "plans", member(calls, "direct_plan"))
        relayed = 0 if direct is None else number(calls, "relayed_bytes")
        topology.carry(plan, share * relayed)
        topology.carry(direct or plan, share * (number(trees, "bytes") - relayed))
        topology.seconds += number(trees, "shared_s")


def derive(report):
    """Add to a report the members that docs/report.md calls derived, and take away what serves for that alone."""
    maps = [Map(network) for network in report["topologies"]]
    for communicator in report["communicators"]:
        arcs = communicator.pop("path_arcs", [])
        if arcs:
            maps[communicator["topology"]].measure([(*path[2:5], path_arcs) for path, path_arcs in zip(communicator["paths"], arcs)])
        for calls in elements(communicator, "calls"):
            derive_calls(report, calls, maps)
    connecting = sum(number(of_rank, "connecting_s") for of_rank in report["times"] if number(of_rank, "rank") == 0)
    for topology in maps:
        topology.write(connecting)
    for plan in report["plans"]:
        plan.pop("load", None)
    for of_rank in report["times"]:
        of_rank.pop("means", None)
    return report
