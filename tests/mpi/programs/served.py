#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""served.py NAME REPORT...: how many collective calls of a job, or of several, mtree served; a failure when none."""

import collections
import json
import os
import sys

name, *paths = sys.argv[1:]
calls = collections.Counter()
functions = collections.Counter()
jobs = 0
for path in paths:
    if not os.path.exists(path):
        continue
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    jobs += 1
    for group in report["communicators"]:
        for row in group["calls"]:
            for served in row["served"]:
                by = "Open MPI" if served["by"] in ("openmpi", "rival") else "mtree"
                calls[by] += served["calls"]
                if by == "mtree":
                    functions[row["function"]] += served["calls"]
what = ", ".join(f"{count} {function}" for function, count in sorted(functions.items()))
many = f" in {jobs} jobs" if jobs > 1 else ""
print(f"{name}: mtree served {calls['mtree']} collectives{many} ({what}), Open MPI {calls['Open MPI']} of those that mtree could")
sys.exit(calls["mtree"] == 0)
