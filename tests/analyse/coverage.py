#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py SOURCES BUILD: the part of each room's lines that ran, from the gcov data in BUILD.

--files names the files too, least first; --least PERCENT makes less in a room of it a failure.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

ROOMS = ("base", "topo", "planner", "schedule", "tcp", "relay", "simulate", "report", "coll_mtree", "mpich", "tools")
JUDGED = ("topo", "planner", "schedule", "tcp", "coll_mtree")


def data_files(build):
    for folder, _, names in os.walk(build):
        for name in sorted(names):
            if name.endswith(".gcno"):
                yield os.path.join(folder, name)


def lines_run(sources, build):
    """{file: {line: times}}; a file may be in several programs."""
    times = collections.defaultdict(lambda: collections.defaultdict(int))
    for path in data_files(build):
        done = subprocess.run(["gcov", "--json-format", "--stdout", path], check=True, cwd=build,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for text in done.stdout.splitlines():
            report = json.loads(text)
            for file in report["files"]:
                where = os.path.join(report["current_working_directory"], file["file"])
                name = os.path.relpath(os.path.realpath(where), sources)
                if name.split(os.sep)[0] in ROOMS:
                    for line in file["lines"]:
                        times[name][line["line_number"]] += line["count"]
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources")
    parser.add_argument("build")
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    arguments = parser.parse_args()
    sources = os.path.realpath(arguments.sources)
    times = lines_run(sources, os.path.realpath(arguments.build))
    if not times:
        sys.exit("coverage.py: no gcov data in " + arguments.build)
    parts = []
    rooms = collections.defaultdict(lambda: [0, 0])
    for name, lines in times.items():
        ran = sum(count > 0 for count in lines.values())
        parts.append((ran / len(lines), len(lines) - ran, name))
        rooms[name.split(os.sep)[0]][0] += ran
        rooms[name.split(os.sep)[0]][1] += len(lines)
    if arguments.files:
        for part, missed, name in sorted(parts):
            print(f"{100 * part:6.1f} %  {missed:4d} lines missed  {name}")
    low = []
    for room in ROOMS:
        ran, lines = rooms[room]
        print(f"{room:12s} {100 * ran / max(lines, 1):5.1f} % of {lines} lines")
        if room in JUDGED and 100 * ran < arguments.least * lines:
            low.append(room)
    if low:
        sys.exit(f"coverage.py: less than {arguments.least:g} % in " + ", ".join(low))


main()
