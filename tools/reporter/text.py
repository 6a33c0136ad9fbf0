# SPDX-License-Identifier: BSD-3-Clause
"""A report as a page of text for a terminal."""

import calls as of_calls
import sentences
import tables
from values import elements


def trees(report, communicator):
    """Those of the plan that moved most in a communicator."""
    heaviest = of_calls.heaviest(calls for calls in elements(communicator, "calls") if "trees_bps" in calls and "plan" in calls)
    if heaviest is not None:
        table = tables.of_trees(report, of_calls.plan_of(report, heaviest))
        yield f"\nTrees of {of_calls.name(heaviest)}\n{table.text() if table.has_rows else ''}"


def paragraphs(report):
    """All of them but the first begin with an empty line."""
    yield "\n".join(sentences.of_job(report) + sentences.obstacle(report)) + "\n"
    for place, network in enumerate(elements(report, "topologies")):
        yield "\n".join(["", "Topology " + sentences.topology(network), *sentences.of_topology(report, place), ""])
    for communicator in elements(report, "communicators"):
        yield f"\n{sentences.communicator(communicator)}\n"
        yield "\n".join(table.text() for table in tables.of_communicator(report, communicator) if table.has_rows)
        yield from trees(report, communicator)


def write_text(report):
    return "".join(paragraphs(report))
