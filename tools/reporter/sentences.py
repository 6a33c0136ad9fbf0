# SPDX-License-Identifier: BSD-3-Clause
"""What a report's page says in lines: of the job, of each topology and of each communicator.  Those of measured times come
first, and forecasts are called so."""

import calls as of_calls
from scene import rate, size, time
from values import at, elements, member, number, text

SAME_USE = 1.000001  # uses that differ by less are the same: those of trees are sums of rounded shares
MOST_NAMED = 3  # links and lines of calls where the map disagrees with them


def plural(count, noun):
    return f"{count:.0f} {noun}{'' if count == 1 else 's'}"


def job(report):
    complete = member(report, "complete") is True
    return (f"{'A job' if complete else 'A running job'} of {number(report, 'ranks'):.0f} ranks, begun {text(report, 'started')}, "
            f"{time(number(report, 'elapsed_s'))}{'' if complete else ' so far'}")


def versions(report):
    heard = number(report, "ranks_heard")
    return (f"mtree {text(report, 'mtree')}, Open MPI {text(report, 'open_mpi')}; times are those of rank 0"
            + (f", ranks' means those of {heard:.0f} of {number(report, 'ranks'):.0f} ranks" if heard > 1 else ""))


def times(report, key):
    """A time of the ranks that were heard, none more than the job has lasted: a rank's clock may begin before rank 0's."""
    return [min(number(of_rank, key), number(report, "elapsed_s")) for of_rank in elements(report, "times")]


def mean(values):
    return sum(values) / max(len(values), 1)


def served(report):
    """The time in calls that mtree served, their number and bytes."""
    spent = times(report, "mtree_s")
    by_trees = [of_calls.by_trees(calls) for calls in of_calls.lines(report)]
    many = len(spent) > 1
    return (f"{'Ranks' if many else 'Rank 0'} spent {time(mean(spent))} of {time(number(report, 'elapsed_s'))} in calls that mtree "
            "served" + (f" (mean of {len(spent)}, from {time(min(spent))} to {time(max(spent))})" if many else "")
            + f": {plural(sum(number(trees, 'calls') for trees in by_trees), 'call')} of rank 0, "
            + size(sum(number(trees, "bytes") for trees in by_trees)))


def beside(report):
    planning, connecting, openmpi = (time(mean(times(report, key))) for key in ("planning_s", "connecting_s", "openmpi_s"))
    return (f"Beside that: {planning} of waiting for plans, {connecting} of opening connections, {openmpi} in calls that Open MPI "
            "served")


def forecast(report):
    """Of calls that ran beside others the part counts that the calls had of their time."""
    count = expected = openmpi = 0
    for calls in of_calls.lines(report):
        if "openmpi_forecast_s" in calls:
            trees = of_calls.by_trees(calls)
            made, seconds = number(trees, "calls"), number(trees, "seconds")
            counted = made * (number(trees, "shared_s") / seconds if seconds > 0 else 1)
            count += made
            expected += counted * number(calls, "forecast_s")
            openmpi += counted * number(calls, "openmpi_forecast_s")
    if any(member(topology, "disagrees") is True for topology in elements(report, "topologies")):
        return "Forecast: none, as the map disagrees with the calls"
    if count > 0:
        return f"Forecast, not measured: {count:.0f} of these calls take {time(expected)} with mtree, {time(openmpi)} with Open MPI"
    return "Forecast: Open MPI's time for these calls was not predicted"


def work(report):
    totals = member(report, "totals")
    return (f"Rank 0 sent {number(totals, 'chunks'):.0f} chunks, {size(number(totals, 'chunk_bytes'))}; "
            f"{size(number(totals, 'probe_bytes'))} for probing; its receive slots took "
            f"{size(number(totals, 'most_scratch_bytes'))} at most; {number(totals, 'plans'):.0f} plans")


def of_job(report):
    return [line(report) for line in (job, served, beside, forecast, versions, work)]


def obstacle(report):
    return [f"MPI_COMM_WORLD was not served: {text(report, 'obstacle')}"] if "obstacle" in report else []


def communicator(group):
    """ "MPI_COMM_WORLD: 12 ranks on 12 hosts"."""
    more = number(group, "communicators") - 1
    return (f"{text(group, 'name')}: {number(group, 'ranks'):.0f} ranks"
            + (f" on {number(group, 'hosts'):.0f} hosts" if "hosts" in group else "")
            + (f", with {more:.0f} more communicators of the same ranks" if more > 0 else ""))


def topology(network):
    """ "b4: 12 hosts, 19 links, from b4.dot"."""
    vertices, cost = elements(network, "vertices"), number(network, "message_cost_s")
    hosts = sum(text(vertex, "kind") == "host" for vertex in vertices)
    return (f"{text(network, 'name')}: {hosts} hosts, " + (f"{len(vertices) - hosts} switches, " if hosts < len(vertices) else "")
            + f"{len(elements(network, 'links'))} links, from {text(network, 'origin')}"
            + (f", {time(cost)} a message" if cost > 0 else ""))


class Arc:
    """A direction of a link: arc 2 l is link l from its `from` to its `to`, 2 l + 1 back."""

    def __init__(self, link, way):
        self.link, self.way = link, way
        self.ends = [text(link, "from"), text(link, "to")][::-1 if way else 1]
        self.name = " > ".join(self.ends)

    def number(self, key):
        return number(self.link, key, self.way)


def arcs(network):
    return [Arc(link, way) for link in elements(network, "links") for way in range(2)]


def crossing(report, place, arc):
    """Which trees of the heaviest calls on a topology cross an arc."""
    calls = of_calls.heaviest(of_calls.on_topology(report, place))
    trees = elements(of_calls.plan_of(report, calls), "trees")
    found = [str(t) for t, tree in enumerate(trees, 1) if arc in elements(tree, "arcs")]
    return f"; crossed by trees {' '.join(found)} of {of_calls.name(calls)}" if found else ""


def relays(network):
    found = [text(vertex, "name") for vertex in elements(network, "vertices") if member(vertex, "relay") is True]
    return f"Relays: {', '.join(found)}" if found else ""


def gone(network):
    """Links without a capacity are in no plan."""
    found = ["--".join(Arc(link, 0).ends) for link in elements(network, "links")
             if number(link, "capacity_bps", 0) == number(link, "capacity_bps", 1) == 0]
    return f"Gone, and left out of plans: {', '.join(found)}" if found else ""


def busiest(report, place, network):
    """The link whose capacity was used most; nothing without traffic."""
    found, most = None, 0
    for place_of_arc, arc in enumerate(arcs(network)):
        if arc.number("use") > SAME_USE * most:
            found, most = (place_of_arc, arc), arc.number("use")
    if found is None:
        return ""
    return (f"Busiest link: {found[1].name}, {100 * most:.1f} % of {rate(found[1].number('capacity_bps'))} in "
            f"{time(number(network, 'seconds'))} of mtree's calls" + crossing(report, place, found[0]))


def slowest(report, place, network):
    """Of the links that were the narrowest of a full path for a fifth of the time or more, the one that gave the least part of
    its capacity; nothing where all paths kept up."""
    found = [(arc.number("gave_bps") / max(arc.number("capacity_bps"), 1), place_of_arc, arc)
             for place_of_arc, arc in enumerate(arcs(network)) if at(arc.link, "narrowest", arc.way) is True]
    if not found:
        return ""
    share, place_of_arc, arc = min(found, key=lambda one: one[0])
    return (f"Slowest link: {arc.name}, gave {rate(arc.number('gave_bps'))} of {rate(arc.number('capacity_bps'))}, "
            f"{100 * share:.1f} %, while full, which it was {100 * arc.number('pressed'):.0f} % of the time"
            + crossing(report, place, place_of_arc))


def disagreement(report, place, network):
    """Where the calls found the network otherwise than the map has it, by more than a factor of two."""
    if member(network, "disagrees") is not True:
        return ""
    found = [f"{of_calls.name(calls)} took {time(number(calls, 'bound_seconds') / number(calls, 'share_of_bound'))}, on the map at "
             f"least {time(number(calls, 'bound_seconds'))}"
             for calls in of_calls.on_topology(report, place) if member(calls, "disagrees") is True]
    found += [f"{arc.name} has {rate(arc.number('map_bps' if 'map_bps' in arc.link else 'capacity_bps'))}, calls found "
              f"{rate(arc.number('found_bps'))}" for arc in arcs(network) if arc.number("found_bps") > 0]
    return ("The map disagrees with the calls by more than a factor of two: " + "; ".join(found[:MOST_NAMED])
            + (f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else "") + ". Measure the network: mtree probe")


def of_topology(report, place):
    """Those of the topology of that number that have something to say."""
    network = at(report, "topologies", place)
    lines = (relays(network), disagreement(report, place, network), gone(network), busiest(report, place, network),
             slowest(report, place, network))
    return [line for line in lines if line]
