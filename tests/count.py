#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count the cases of all test programs of a build folder: N passed, N failed, N skipped."""

import os
import re
import sys

CHECKS = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", re.M)
CASES = re.compile(r"^# cases: (\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
RESULT = re.compile(r"^:test-result: (\w+)", re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def count(trs):
    """Passed, failed and skipped cases of the program whose result file is TRS."""
    result = RESULT.search(read(trs))
    log = trs[: -len(".trs")] + ".log"
    text = read(log) if os.path.exists(log) else ""
    bad = result is None or result[1] not in ("PASS", "XFAIL", "SKIP")
    checks = CHECKS.findall(text)
    cases = CASES.findall(text)
    if result is not None and result[1] == "SKIP":
        return 0, 0, 1
    if checks:
        failed = sum(int(f) + int(e) for _, f, e in checks)
        passed = sum(int(n) for n, _, _ in checks) - failed
        return passed, max(failed, int(bad)), 0
    if cases:
        passed, failed, skipped = (sum(int(row[i]) for row in cases) for i in range(3))
        return passed, max(failed, int(bad)), skipped
    return int(not bad), int(bad), 0


def main():
    totals = [0, 0, 0]
    for folder, _, files in os.walk(sys.argv[1]):
        for name in files:
            if name.endswith(".trs"):
                for i, number in enumerate(count(os.path.join(folder, name))):
                    totals[i] += number
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] > 0 or totals[0] == 0 else 0


sys.exit(main())
