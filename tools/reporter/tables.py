# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a report's page, each as text and as HTML."""

import calls as of_calls
from scene import escape, rate, size, time
from sentences import arcs, plural
from values import elements, number, text


class Table:
    def __init__(self, heads, sides, rows):
        """Rows of cells, of which "" are empty; columns that are empty below their head are left out.  A letter of @a sides, l
        or r, says how a column is aligned."""
        self.has_rows = bool(rows)
        shown = [c for c in range(len(heads)) if any(row[c] for row in rows)]
        self.sides = [sides[c] for c in shown]
        self.rows = [[row[c] for c in shown] for row in (heads, *rows)]

    def text(self):
        """Indented by two blanks."""
        wide = [max(map(len, column)) for column in zip(*self.rows)]
        return "".join("".join("  " + (cell.rjust(width) if side == "r" else cell.ljust(width))
                               for cell, side, width in zip(row, self.sides, wide)).rstrip(" ") + "\n" for row in self.rows)

    def html(self):
        kinds = ["th"] + ["td"] * (len(self.rows) - 1)
        sides = [' class="r"' if side == "r" else "" for side in self.sides]
        return ('<div class="wide"><table>\n'
                + "".join("<tr>" + "".join(f"<{kind}{side}>{escape(cell)}</{kind}>" for cell, side in zip(row, sides)) + "</tr>\n"
                          for kind, row in zip(kinds, self.rows)) + "</table></div>\n")


def time_cell(value, key):
    seconds = number(value, key)
    return ("-" if seconds < 0 else "") + time(abs(seconds)) if key in value else ""


def rate_cell(bits):
    return rate(bits) if bits > 0 else ""


def backend(served, calls, plan):
    """The one that served: "10 trees, packing", "10 trees through 3 relays, 18 of 20 calls", "Open MPI"."""
    by, relayed = text(served, "by"), number(calls, "relayed")
    if by != "trees" or plan is None:
        return "Open MPI" if by == "openmpi" else by
    trees, relays = plural(len(elements(plan, "trees")), "tree"), len(elements(plan, "relays"))
    if relays == 0:
        return f"{trees}, {text(plan, 'algorithm')}"
    some = "" if relayed == number(served, "calls") else f", {relayed:.0f} of {number(served, 'calls'):.0f} calls"
    return f"{trees} through {plural(relays, 'relay')}{some}"


def served_rows(report, calls):
    """One per backend that served calls of one class; what they have in common stands in the first."""
    plan = of_calls.plan_of(report, calls)
    for place, served in enumerate(elements(calls, "served")):
        common = {} if place else calls
        is_bounded = text(served, "by") == "trees" and "share_of_bound" in calls
        yield ("" if place else of_calls.name(calls), backend(served, calls, plan), f"{number(served, 'calls'):.0f}",
               size(number(served, "bytes")), *(time_cell(served, key) for key in ("shared_s", "median_s", "slowest_rank_s")),
               time_cell(common, "forecast_s"),
               f"{100 * number(calls, 'share_of_bound'):.1f} %, {text(calls, 'bound_by')}" if is_bounded else "",
               time_cell(common, "openmpi_forecast_s"))


def of_communicator(report, communicator):
    """Its calls, and why some of them fell back."""
    group = elements(communicator, "calls")
    return (Table(("calls of", "served by", "calls", "bytes", "time", "median", "slowest", "forecast", "of bound", "Open MPI forecast"),
                  "llrrrrrrrr", [row for calls in group for row in served_rows(report, calls)]),
            Table(("calls of", "calls", "why Open MPI served them"), "lrl",
                  [(of_calls.name(calls), f"{number(fallback, 'calls'):.0f}", text(fallback, "text"))
                   for calls in group for fallback in elements(calls, "fallbacks")]))


def of_links(network):
    return Table(("from", "to", "capacity", "latency", "sent", "use", "gave", "full for"), "llrrrrrr",
                 [(*arc.ends, rate_cell(arc.number("capacity_bps")), time_cell(arc.link, "latency_s"), size(arc.number("bytes")),
                   f"{100 * arc.number('use'):.1f} %", rate_cell(arc.number("gave_bps")),
                   f"{100 * arc.number('pressed'):.0f} %" if arc.number("pressed") > 0 else "") for arc in arcs(network)])


def of_trees(report, plan):
    """Those of a plan, and what they gave in the calls that moved most over it."""
    gave = of_calls.heaviest_of_plan(report, plan)
    return Table(("tree", "root", "rate", "gave", "of the message", "chunk"), "rlrrrr",
                 [(str(t + 1), text(tree, "root"), rate_cell(number(tree, "rate_bps")), rate_cell(number(gave, "trees_bps", t)),
                   f"{100 * number(tree, 'share'):.1f} %", size(number(tree, "chunk_bytes")))
                  for t, tree in enumerate(elements(plan, "trees"))])
