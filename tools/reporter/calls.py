# SPDX-License-Identifier: BSD-3-Clause
"""The lines of calls of a report: their names, their plans, and which moved most."""

from scene import size
from values import at, elements, member, number, text


def lines(report):
    """Those of all communicators."""
    return [calls for communicator in elements(report, "communicators") for calls in elements(communicator, "calls")]


def name(calls):
    """ "allreduce 8 MB-16 MB", "bcast 1 KB-2 KB root 3": what a line of calls is about."""
    function = text(calls, "function")
    if function == "barrier":
        return function
    least = number(calls, "bytes_from")
    root = f" root {number(calls, 'root'):.0f}" if "root" in calls else ""
    return f"{function} {size(least) if least > 0 else 0}-{size(number(calls, 'bytes_to'))}{root}"


def by_trees(calls):
    """What mtree served of them; None: nothing."""
    return next((served for served in elements(calls, "served") if text(served, "by") == "trees"), None)


def plan_of(report, calls):
    """None: they have none."""
    return at(report, "plans", member(calls, "plan"))


def heaviest(candidates):
    """Those of a list that moved most; None: none moved anything."""
    return max((calls for calls in candidates if number(calls, "bytes") > 0), key=lambda calls: number(calls, "bytes"), default=None)


def heaviest_of_plan(report, plan):
    return heaviest(calls for calls in lines(report) if plan_of(report, calls) is plan)


def on_topology(report, topology):
    """Those with a plan that is on the topology of that number."""
    return [calls for calls in lines(report) if member(plan_of(report, calls), "topology") == topology]
