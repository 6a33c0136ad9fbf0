#!/usr/bin/env python3
"""served.py NAME REPORT: how many collective calls of a run mtree served; a failure when none."""

import collections
import json
import sys

name, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    report = json.load(file)
calls = collections.Counter()
functions = collections.Counter()
for group in report["communicators"]:
    for row in group["calls"]:
        for served in row["served"]:
            by = "Open MPI" if served["by"] in ("openmpi", "rival") else "mtree"
            calls[by] += served["calls"]
            if by == "mtree":
                functions[row["function"]] += served["calls"]
what = ", ".join(f"{count} {function}" for function, count in sorted(functions.items()))
print(f"{name}: mtree served {calls['mtree']} collectives ({what}), Open MPI {calls['Open MPI']} of those that mtree could")
sys.exit(calls["mtree"] == 0)
