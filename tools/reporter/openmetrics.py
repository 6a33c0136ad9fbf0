# SPDX-License-Identifier: BSD-3-Clause
"""A report as OpenMetrics 1.0 text: all its numbers.  What is missing in the report has no sample.  docs/report.md lists the names."""

from values import elements, is_number, member

UNITS = ("bits_per_second", "seconds", "bytes", "ratio")  # ends of names


def numbered(value, key, label):
    """The objects of a list, each with its number as a label."""
    return [({label: number}, inner) for number, inner in enumerate(elements(value, key))]


def text_of(value):
    return f"{value:.15g}" if is_number(value) else str(value)


# Each gives the objects of one kind in a report, with their labels.


def job(report):
    return [({}, report)]


def totals(report):
    return [({}, member(report, "totals"))]


def topologies(report):
    return numbered(report, "topologies", "topology")


def times(report):
    return [({"rank": member(inner, "rank") or 0}, inner) for inner in elements(report, "times")]


def plans(report):
    return numbered(report, "plans", "plan")


def communicators(report):
    return numbered(report, "communicators", "communicator")


def inside(outer, key, label):
    return [({**labels, **more}, inner) for labels, value in outer for more, inner in numbered(value, key, label)]


def trees(report):
    return inside(plans(report), "trees", "tree")


def calls(report):
    return inside(communicators(report), "calls", "calls")


def told_apart(outer, key, name):
    """The objects of a list of each object, told apart by their member @a name."""
    return [({**labels, name: member(inner, name)}, inner) for labels, value in outer for inner in elements(value, key)]


def served(report):
    return told_apart(calls(report), "served", "by")


def fallbacks(report):
    return told_apart(calls(report), "fallbacks", "why")


def rates(report):
    """Each tree's number of a list, as if it were an object."""
    return inside([(labels, {"trees": [{"trees_bps": rate} for rate in elements(value, "trees_bps")]}) for labels, value in calls(report)],
                  "trees", "tree")


def links(report):
    """Both directions of a link; what has one value is the same for both."""
    for labels, link in inside(topologies(report), "links", "link"):
        ends = member(link, "from"), member(link, "to")
        for direction in range(2):
            values = {key: (value[direction:] or [None])[0] if isinstance(value, list) else value for key, value in link.items()}
            yield {"topology": labels["topology"], "from": ends[direction], "to": ends[1 - direction]}, values


# Without the prefix "mtree_"; an info's members are its labels.
METRICS = (
    ("job", "info", "format,mtree,open_mpi,started", job, "Versions, and when the job began (UTC)"),
    ("job_obstacle", "info", "obstacle", job, "Why mtree could not serve MPI_COMM_WORLD"),
    ("job_complete", "gauge", "complete", job, "1: the job has ended"),
    ("job_elapsed_seconds", "gauge", "elapsed_s", job, "Since MPI_Init"),
    ("job_ranks", "gauge", "ranks", job, "Ranks of the job"),
    ("job_ranks_heard", "gauge", "ranks_heard", job, "Ranks whose times are in the report"),
    ("rank_mtree_seconds", "counter", "mtree_s", times, "Time in calls that mtree served, overlapping ones once"),
    ("rank_openmpi_seconds", "counter", "openmpi_s", times, "Time in blocking calls that Open MPI served, beside that"),
    ("rank_planning_seconds", "counter", "planning_s", times, "Time of waiting for plans, beside that"),
    ("rank_connecting_seconds", "counter", "connecting_s", times, "Time of opening connections, beside that"),
    ("chunks", "counter", "chunks", totals, "Chunks sent by rank 0"),
    ("chunk_bytes", "counter", "chunk_bytes", totals, "Bytes of these chunks"),
    ("plans", "counter", "plans", totals, "Plans made"),
    ("probe_bytes", "counter", "probe_bytes", totals, "Bytes sent by rank 0 to probe the network"),
    ("most_scratch_bytes", "gauge", "most_scratch_bytes", totals, "Most scratch memory of rank 0"),
    ("topology", "info", "name,origin", topologies, "Topologies and where they came from"),
    ("topology_calls_seconds", "gauge", "seconds", topologies, "Time of mtree's calls on it, connecting included"),
    ("topology_disagrees", "gauge", "disagrees", topologies, "1: calls found another network, by more than two"),
    ("link_capacity_bits_per_second", "gauge", "capacity_bps", links, "Capacity of a direction of a link"),
    ("link_latency_seconds", "gauge", "latency_s", links, "Its latency, one way"),
    ("link_bytes", "gauge", "bytes", links, "What plans put on it"),
    ("link_use_ratio", "gauge", "use", links, "Part of what fits into the time of mtree's calls"),
    ("link_gave_bits_per_second", "gauge", "gave_bps", links, "What it gave while paths over it were full"),
    ("link_full_ratio", "gauge", "pressed", links, "Part of the time for which they were"),
    ("link_map_bits_per_second", "gauge", "map_bps", links, "Capacity on the map, where calls have found another one"),
    ("link_found_bits_per_second", "gauge", "found_bps", links, "What calls found, where the map differs by more than two; else 0"),
    ("link_narrowest", "gauge", "narrowest", links, "1: it limits such a path"),
    ("plan", "info", "collective,algorithm,root,topology,limit", plans, "Plans, and what limits them"),
    ("plan_throughput_bits_per_second", "gauge", "throughput_bps", plans, "What all trees carry together"),
    ("plan_bound_bits_per_second", "gauge", "bound_bps", plans, "What no plan can exceed; 0: not known"),
    ("plan_height", "gauge", "height", plans, "Hops from a root to its farthest leaf"),
    ("plan_message_bytes", "gauge", "bytes", plans, "Size planned for; 0: throughput alone"),
    ("plan_predicted_seconds", "gauge", "seconds", plans, "Predicted time of that size; 0: not predicted"),
    ("plan_tree", "info", "root", trees, "The roots of a plan's trees"),
    ("plan_tree_rate_bits_per_second", "gauge", "rate_bps", trees, "Planned rate of a tree"),
    ("plan_tree_share_ratio", "gauge", "share", trees, "Part of the message that a tree carries"),
    ("plan_tree_chunk_bytes", "gauge", "chunk_bytes", trees, "Its chunks; 0: chosen at run time"),
    ("communicator", "info", "name,leader,topology", communicators, "Groups of ranks"),
    ("communicator_ranks", "gauge", "ranks", communicators, "Ranks of a group"),
    ("communicator_hosts", "gauge", "hosts", communicators, "Its hosts"),
    ("communicator_communicators", "gauge", "communicators", communicators, "Communicators over it"),
    ("calls", "info", "function,root,plan,direct_plan", calls, "Lines of calls: one function, size class and root"),
    ("calls_least_bytes", "gauge", "bytes_from", calls, "The least size of the class"),
    ("calls_most_bytes", "gauge", "bytes_to", calls, "The greatest size of the class"),
    ("calls_made", "counter", "calls", calls, "Calls on rank 0"),
    ("calls_bytes", "counter", "bytes", calls, "Bytes of their messages"),
    ("calls_seconds", "counter", "shared_s", calls, "Their time on rank 0, shared by the calls that ran then"),
    ("calls_planned_seconds", "gauge", "planned_s", calls, "What was expected of a call of the plan's size"),
    ("calls_planned_openmpi_seconds", "gauge", "planned_openmpi_s", calls, "The same of Open MPI, at that time"),
    ("calls_forecast_seconds", "gauge", "forecast_s", calls, "The same of a call of the mean size; not measured"),
    ("calls_forecast_openmpi_seconds", "gauge", "openmpi_forecast_s", calls, "The same of Open MPI; not measured"),
    ("calls_host_share", "gauge", "host_share", calls, "Size of a call in terms of its plan, per its bytes"),
    ("calls_relayed", "counter", "relayed", calls, "Calls that passed through relays"),
    ("calls_relayed_bytes", "counter", "relayed_bytes", calls, "Bytes of their messages"),
    ("calls_bound_seconds", "gauge", "bound_seconds", calls, "The least possible time for it"),
    ("calls_bound_ratio", "gauge", "share_of_bound", calls, "That, as a part of the slowest rank's mean"),
    ("calls_disagrees", "gauge", "disagrees", calls, "1: they took less than half of the least possible time"),
    ("calls_tree_bits_per_second", "gauge", "trees_bps", rates, "What each tree of the plan gave"),
    ("served_calls", "counter", "calls", served, "Calls served by trees or Open MPI"),
    ("served_bytes", "counter", "bytes", served, "Bytes of their messages"),
    ("served_timed", "counter", "timed", served, "Those that were timed"),
    ("served_seconds", "counter", "seconds", served, "Time of the timed ones on rank 0"),
    ("served_shared_seconds", "counter", "shared_s", served, "The same, shared by the calls that ran then"),
    ("served_median_seconds", "gauge", "median_s", served, "Median of the latest ones"),
    ("served_least_seconds", "gauge", "least_s", served, "The shortest one"),
    ("served_most_seconds", "gauge", "most_s", served, "The longest one"),
    ("served_ranks", "gauge", "ranks", served, "Ranks whose times are in the next two"),
    ("served_mean_of_ranks_seconds", "gauge", "mean_of_ranks_s", served, "Mean over ranks"),
    ("served_slowest_rank_seconds", "gauge", "slowest_rank_s", served, "Mean of the slowest rank"),
    ("fallbacks", "counter", "calls", fallbacks, "Calls that Open MPI served, by the reason"),
)


def escaped(value):
    return text_of(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def sample(name, labels, value):
    inner = ",".join(f'{key}="{escaped(label)}"' for key, label in labels.items() if label is not None)
    return f"mtree_{name}{{{inner}}} {value:.15g}" if inner else f"mtree_{name} {value:.15g}"


def samples(name, kind, members, found):
    for labels, value in found:
        if kind == "info":
            given = {key: member(value, key) for key in members.split(",")}
            labels = {**labels, **{key: given[key] for key in given if is_number(given[key]) or isinstance(given[key], str)}}
            if labels:
                yield sample(f"{name}_info", labels, 1)
        elif isinstance(member(value, members), (int, float)):
            yield sample(name + ("_total" if kind == "counter" else ""), labels, value[members])


def lines(report):
    for name, kind, members, walk, about in METRICS:
        yield f"# TYPE mtree_{name} {kind}"
        yield from (f"# UNIT mtree_{name} {unit}" for unit in UNITS if name.endswith(f"_{unit}"))
        yield f"# HELP mtree_{name} {about}."
        yield from samples(name, kind, members, walk(report))
    yield "# EOF\n"


def write_openmetrics(report):
    return "\n".join(lines(report))
