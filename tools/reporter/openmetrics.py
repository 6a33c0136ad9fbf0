# SPDX-License-Identifier: BSD-3-Clause
"""A report as OpenMetrics 1.0 text: all its numbers.  What is missing in the report has no sample.  docs/report.md lists the names."""

import re

from values import elements, is_number, member

UNITS = ("bits_per_second", "seconds", "bytes", "ratio")  # ends of names


def text_of(value):
    return f"{value:.15g}" if is_number(value) else str(value)


# Where objects of one kind are in a report: members of each other.  "key#label" is a list whose elements have their number as a label,
# "key:name" one whose elements are told apart by their member of that name.
JOB, TOTALS, TIMES = "", "totals", "times:rank"
TOPOLOGIES, PLANS, COMMUNICATORS = "topologies#topology", "plans#plan", "communicators#communicator"
LINKS, TREES, CALLS = TOPOLOGIES + " links#link", PLANS + " trees#tree", COMMUNICATORS + " calls#calls"
SERVED, FALLBACKS, RATES = CALLS + " served:by", CALLS + " fallbacks:why", CALLS + " trees_bps#tree"


def inside(value, key, kind, label):
    """The objects of one member, with the label that each has there."""
    if not kind:
        return [({}, member(value, key))]
    return [({label: number if kind == "#" else member(inner, label)}, inner) for number, inner in enumerate(elements(value, key))]


def objects(report, where):
    """Those of one kind, with their labels."""
    found = [({}, report)]
    for key, kind, label in re.findall(r"(\w+)([#:]?)(\w*)", where):
        found = [({**labels, **more}, inner) for labels, value in found for more, inner in inside(value, key, kind, label)]
    return [way for labels, link in found for way in both_ways(labels, link)] if where == LINKS else found


def both_ways(labels, link):
    """The directions of a link; what has one value is the same for both."""
    ends = member(link, "from"), member(link, "to")
    for direction in range(2):
        values = {key: (value[direction:] or [None])[0] if isinstance(value, list) else value for key, value in link.items()}
        yield {"topology": labels["topology"], "from": ends[direction], "to": ends[1 - direction]}, values


# Without the prefix "mtree_"; an info's members are its labels; "" is the object itself.
METRICS = (
    ("job", "info", "format,mtree,open_mpi,started", JOB, "Versions, and when the job began (UTC)"),
    ("job_obstacle", "info", "obstacle", JOB, "Why mtree could not serve MPI_COMM_WORLD"),
    ("job_complete", "gauge", "complete", JOB, "1: the job has ended"),
    ("job_elapsed_seconds", "gauge", "elapsed_s", JOB, "Since MPI_Init"),
    ("job_ranks", "gauge", "ranks", JOB, "Ranks of the job"),
    ("job_ranks_heard", "gauge", "ranks_heard", JOB, "Ranks whose times are in the report"),
    ("rank_mtree_seconds", "counter", "mtree_s", TIMES, "Time in calls that mtree served, overlapping ones once"),
    ("rank_openmpi_seconds", "counter", "openmpi_s", TIMES, "Time in blocking calls that Open MPI served, beside that"),
    ("rank_planning_seconds", "counter", "planning_s", TIMES, "Time of waiting for plans, beside that"),
    ("rank_connecting_seconds", "counter", "connecting_s", TIMES, "Time of opening connections, beside that"),
    ("chunks", "counter", "chunks", TOTALS, "Chunks sent by rank 0"),
    ("chunk_bytes", "counter", "chunk_bytes", TOTALS, "Bytes of these chunks"),
    ("plans", "counter", "plans", TOTALS, "Plans made"),
    ("probe_bytes", "counter", "probe_bytes", TOTALS, "Bytes sent by rank 0 to probe the network"),
    ("most_scratch_bytes", "gauge", "most_scratch_bytes", TOTALS, "Most scratch memory of rank 0"),
    ("topology", "info", "name,origin", TOPOLOGIES, "Topologies and where they came from"),
    ("topology_calls_seconds", "gauge", "seconds", TOPOLOGIES, "Time of mtree's calls on it, connecting included"),
    ("topology_disagrees", "gauge", "disagrees", TOPOLOGIES, "1: calls found another network, by more than two"),
    ("link_capacity_bits_per_second", "gauge", "capacity_bps", LINKS, "Capacity of a direction of a link"),
    ("link_latency_seconds", "gauge", "latency_s", LINKS, "Its latency, one way"),
    ("link_bytes", "gauge", "bytes", LINKS, "What plans put on it"),
    ("link_use_ratio", "gauge", "use", LINKS, "Part of what fits into the time of mtree's calls"),
    ("link_gave_bits_per_second", "gauge", "gave_bps", LINKS, "What it gave while paths over it were full"),
    ("link_full_ratio", "gauge", "pressed", LINKS, "Part of the time for which they were"),
    ("link_map_bits_per_second", "gauge", "map_bps", LINKS, "Capacity on the map, where calls have found another one"),
    ("link_found_bits_per_second", "gauge", "found_bps", LINKS, "What calls found, where the map differs by more than two; else 0"),
    ("link_narrowest", "gauge", "narrowest", LINKS, "1: it limits such a path"),
    ("plan", "info", "collective,algorithm,root,topology,limit", PLANS, "Plans, and what limits them"),
    ("plan_throughput_bits_per_second", "gauge", "throughput_bps", PLANS, "What all trees carry together"),
    ("plan_bound_bits_per_second", "gauge", "bound_bps", PLANS, "What no plan can exceed; 0: not known"),
    ("plan_height", "gauge", "height", PLANS, "Hops from a root to its farthest leaf"),
    ("plan_message_bytes", "gauge", "bytes", PLANS, "Size planned for; 0: throughput alone"),
    ("plan_predicted_seconds", "gauge", "seconds", PLANS, "Predicted time of that size; 0: not predicted"),
    ("plan_tree", "info", "root", TREES, "The roots of a plan's trees"),
    ("plan_tree_rate_bits_per_second", "gauge", "rate_bps", TREES, "Planned rate of a tree"),
    ("plan_tree_share_ratio", "gauge", "share", TREES, "Part of the message that a tree carries"),
    ("plan_tree_chunk_bytes", "gauge", "chunk_bytes", TREES, "Its chunks; 0: chosen at run time"),
    ("communicator", "info", "name,leader,topology", COMMUNICATORS, "Groups of ranks"),
    ("communicator_ranks", "gauge", "ranks", COMMUNICATORS, "Ranks of a group"),
    ("communicator_hosts", "gauge", "hosts", COMMUNICATORS, "Its hosts"),
    ("communicator_communicators", "gauge", "communicators", COMMUNICATORS, "Communicators over it"),
    ("calls", "info", "function,root,plan,direct_plan", CALLS, "Lines of calls: one function, size class and root"),
    ("calls_least_bytes", "gauge", "bytes_from", CALLS, "The least size of the class"),
    ("calls_most_bytes", "gauge", "bytes_to", CALLS, "The greatest size of the class"),
    ("calls_made", "counter", "calls", CALLS, "Calls on rank 0"),
    ("calls_bytes", "counter", "bytes", CALLS, "Bytes of their messages"),
    ("calls_seconds", "counter", "shared_s", CALLS, "Their time on rank 0, shared by the calls that ran then"),
    ("calls_planned_seconds", "gauge", "planned_s", CALLS, "What was expected of a call of the plan's size"),
    ("calls_planned_openmpi_seconds", "gauge", "planned_openmpi_s", CALLS, "The same of Open MPI, at that time"),
    ("calls_forecast_seconds", "gauge", "forecast_s", CALLS, "The same of a call of the mean size; not measured"),
    ("calls_forecast_openmpi_seconds", "gauge", "openmpi_forecast_s", CALLS, "The same of Open MPI; not measured"),
    ("calls_host_share", "gauge", "host_share", CALLS, "Size of a call in terms of its plan, per its bytes"),
    ("calls_relayed", "counter", "relayed", CALLS, "Calls that passed through relays"),
    ("calls_relayed_bytes", "counter", "relayed_bytes", CALLS, "Bytes of their messages"),
    ("calls_bound_seconds", "gauge", "bound_seconds", CALLS, "The least possible time for it"),
    ("calls_bound_ratio", "gauge", "share_of_bound", CALLS, "That, as a part of the slowest rank's mean"),
    ("calls_disagrees", "gauge", "disagrees", CALLS, "1: they took less than half of the least possible time"),
    ("calls_tree_bits_per_second", "gauge", "", RATES, "What each tree of the plan gave"),
    ("served_calls", "counter", "calls", SERVED, "Calls served by trees or Open MPI"),
    ("served_bytes", "counter", "bytes", SERVED, "Bytes of their messages"),
    ("served_timed", "counter", "timed", SERVED, "Those that were timed"),
    ("served_seconds", "counter", "seconds", SERVED, "Time of the timed ones on rank 0"),
    ("served_shared_seconds", "counter", "shared_s", SERVED, "The same, shared by the calls that ran then"),
    ("served_median_seconds", "gauge", "median_s", SERVED, "Median of the latest ones"),
    ("served_least_seconds", "gauge", "least_s", SERVED, "The shortest one"),
    ("served_most_seconds", "gauge", "most_s", SERVED, "The longest one"),
    ("served_ranks", "gauge", "ranks", SERVED, "Ranks whose times are in the next two"),
    ("served_mean_of_ranks_seconds", "gauge", "mean_of_ranks_s", SERVED, "Mean over ranks"),
    ("served_slowest_rank_seconds", "gauge", "slowest_rank_s", SERVED, "Mean of the slowest rank"),
    ("fallbacks", "counter", "calls", FALLBACKS, "Calls that Open MPI served, by the reason"),
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
        else:
            number = member(value, members) if members else value
            if isinstance(number, (int, float)):
                yield sample(name + ("_total" if kind == "counter" else ""), labels, number)


def lines(report):
    for name, kind, members, where, about in METRICS:
        yield f"# TYPE mtree_{name} {kind}"
        yield from (f"# UNIT mtree_{name} {unit}" for unit in UNITS if name.endswith(f"_{unit}"))
        yield f"# HELP mtree_{name} {about}."
        yield from samples(name, kind, members, objects(report, where))
    yield "# EOF\n"


def write_openmetrics(report):
    return "\n".join(lines(report))
