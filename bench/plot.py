#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables for gnuplot of what `mtree_bench_compare --json` printed: plot.py RESULT.json... FOLDER.

One a collective, FOLDER/COLLECTIVE.tsv: a comment, which is the plot's heading, then bytes and Mb/s of message for
Open MPI's default, the best of its algorithms, mtree, and the bound.  Sizes may be spread over several results.
"""

import json
import os
import sys

HEADER = ("bytes", "Open MPI's default", "best of Open MPI's algorithms", "mtree", "bound")


def megabits(row, which):
    """Message bits a microsecond; a dash, which gnuplot leaves out, where nothing was measured."""
    entry = row.get(which)
    return f"{row['bytes'] * 8 / entry['median_us']:.2f}" if entry else "-"


def main():
    *results, folder = sys.argv[1:]
    tables = {}
    for path in results:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        network = os.path.splitext(os.path.basename(result["file"]))[0]
        where = f"{result['ranks']} ranks on {network}, scale {result['scale']:g}"
        for row in result["rows"]:
            bound = f"{row['bytes'] * 8 / row['bound_us']:.2f}" if row["bound_us"] else "-"
            speeds = [megabits(row, which) for which in ("default", "best", "mtree")]
            _, rows = tables.setdefault(row["collective"], (where, []))
            rows.append([str(row["bytes"]), *speeds, bound])
    for collective, (where, rows) in tables.items():
        with open(os.path.join(folder, f"{collective}.tsv"), "w", encoding="utf-8") as file:
            file.write(f"# {collective}, {where}\n")
            file.writelines("\t".join(line) + "\n" for line in [HEADER, *rows])


if __name__ == "__main__":
    main()
