#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of conditions from what conditions.py measured: summary.py RESULTS.json FOLDER.

FOLDER/conditions.md is the table, FOLDER/conditions.tsv what gnuplot draws.
"""

import json
import pathlib
import statistics
import sys

HEADER = (
    "| condition | bytes | with streams | without streams | default | best of Open MPI's | / default | / best | predicted | bound by |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)
LATE_CALLS = 4  # the last ones of a series, which its median is of


def share(row, microseconds):
    """The part of the bound after headers, which take their part of what a cut carries."""
    compare = row["compare"]
    payload = row["payload_part"] if compare["bound_by"] == "cut" else 1
    return compare["bound_us"] / payload / microseconds


def spread(row, entry):
    """Median and range of the shares, as text."""
    if entry is None:
        return "-"
    least, most = share(row, entry["max_us"]), share(row, entry["min_us"])
    return f"{share(row, entry['median_us']):.0%} ({least * 100:.0f} to {most * 100:.0f})"


def without_streams(row):
    """The same of calls over Open MPI's connections alone, but for the first."""
    if "pml_calls" not in row:
        return "-"
    calls = row["pml_calls"][1:]
    entry = {"median_us": statistics.median(calls), "min_us": min(calls), "max_us": max(calls)}
    return spread(row, entry)


def times(compare, which):
    return "-" if compare[which] is None else f"{compare[which]:.1f}"


def predicted(compare):
    """What was predicted of what was measured, after headers are added to it."""
    if compare.get("predicted_us") is None or compare["mtree"] is None:
        return "-"
    return f"{compare['predicted_us'] / compare['mtree']['median_us']:.2f}"


def cells(row):
    compare = row["compare"]
    best = compare["best"]
    return [
        f"{row['bytes'] >> 20} MB",
        spread(row, compare["mtree"]),
        without_streams(row),
        spread(row, compare["default"]),
        f"{spread(row, best)} {best['label'].split(' ', 1)[-1]}" if best else "-",
        times(compare, "times_default"),
        times(compare, "times_best"),
        predicted(compare),
        compare["bound_by"],
    ]


def series(row):
    """The calls of one job, seconds, and what they end with."""
    calls = [microseconds * 1e-6 for microseconds in row["calls"]]
    text = "calls of " + ", ".join(f"{seconds:.2f}" for seconds in calls) + " s"
    if "right" in row:
        right = statistics.median(row["right"][1:]) * 1e-6
        late = statistics.median(calls[-LATE_CALLS:])
        text += f"; with the right map {right:.2f} s: {late / right:.2f} times that in the end"
    return text


def line(name, row):
    """A row for a terminal."""
    return f"{name}: " + (series(row) if "calls" in row else " | ".join(cells(row)))


def markdown(results):
    lines = [
        f"| {name} | " + " | ".join(cells(row)) + " |\n"
        for name, row in results.items()
        if "compare" in row
    ]
    notes = [f"- {line(name, row)}\n" for name, row in results.items() if "calls" in row]
    return HEADER + "".join(lines) + ("\n" if notes else "") + "".join(notes)


def plot_table(results):
    """Percent of the bound: a line per row, mtree, Open MPI's best and its default."""
    lines = ["condition\tmtree\tbest of Open MPI's algorithms\tOpen MPI's default\n"]
    for name, row in results.items():
        if "compare" in row:
            entries = [row["compare"][which] for which in ("mtree", "best", "default")]
            shares = [
                f"{100 * share(row, entry['median_us']):.1f}" if entry else "-" for entry in entries
            ]
            lines.append("\t".join([name, *shares]) + "\n")
    return "".join(lines)


def main():
    results_path, folder = map(pathlib.Path, sys.argv[1:])
    results = json.loads(results_path.read_text())
    (folder / "conditions.md").write_text(markdown(results))
    (folder / "conditions.tsv").write_text(plot_table(results))


if __name__ == "__main__":
    main()
