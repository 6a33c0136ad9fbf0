#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls are arrival-ordered while a rank is late that others wait for, and go over trees again when it is in time."""

import json
import os
import re
import tempfile
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "star.dot")
TIMEOUT = 120
CALLS = (2, 7, 14)  # together, one late, together
INNER = 1  # in the plan's one tree h0 -> h1 -> h4 -> h3 -> h2


class Skew(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.report = os.path.join(directory.name, "report.json")
        self.environment = labs.environment(verbose="2", guard="-1", report=self.report)

    def calls(self, collective, late, calls=CALLS, **parameters):
        """The output of a job, and how many of its calls were over trees and how many by arrival; results are checked."""
        for name, value in parameters.items():
            self.environment[f"OMPI_MCA_coll_mtree_{name}"] = value
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_arrival_skew")
        arguments = [collective, str(late)] + [str(number) for number in calls]
        done = labs.netlab(
            *["run", STAR, "--no-latency", "--", "mpirun", program, *arguments],
            environment=self.environment,
            timeout=TIMEOUT,
        )
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output)
        self.assertRegex(output, r"lab_arrival_skew: [1-9]\d* checks on 5 ranks, 0 failed")
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        counts = {True: 0, False: 0}
        for group in report["communicators"]:
            for row in group["calls"]:
                if row["function"] == collective and row["bytes_from"] >= 2**20:
                    algorithm = report["plans"][row["plan"]]["algorithm"]
                    (served,) = row["served"]
                    counts[algorithm == "arrival"] += served["calls"]
                    self.assertEqual(served["by"], "trees", output)
        self.assertEqual(sum(counts.values()), sum(calls), output)
        changes = re.findall(r"from here on (by arrival|over trees)", output)
        return changes, counts[True], output

    def assert_by_arrival_and_back(self, collective, **parameters):
        changes, by_arrival, output = self.calls(collective, INNER, **parameters)
        self.assertEqual(changes, ["by arrival", "over trees"], output)
        # It changes after three late calls, and back after six in time; ranks learn of it a call later.
        self.assertGreaterEqual(by_arrival, 6, output)
        self.assertLess(by_arrival, sum(CALLS[1:]), output)

    @labs.again
    def test_bcast_is_by_arrival_and_back(self):
        # Whoever wants sums to be the same every time does not mind.
        self.assert_by_arrival_and_back("bcast", deterministic="1")

    @labs.again
    def test_reduce_is_by_arrival_and_back(self):
        self.assert_by_arrival_and_back("reduce")

    def test_stays_where_nothing_is_gained(self):
        # Without its root nobody has anything; the last of the only tree holds nobody up.
        for late in (0, 2):
            changes, by_arrival, output = self.calls("bcast", late, (2, 6, 0))
            self.assertEqual((changes, by_arrival), ([], 0), output)

    def test_stays_where_told_to(self):
        for parameters in ({"follow": "0"}, {"algorithm": "packing", "follow": "1"}):
            changes, by_arrival, output = self.calls("bcast", INNER, (2, 6, 0), **parameters)
            self.assertEqual((changes, by_arrival), ([], 0), output)

    def test_sums_stay_deterministic(self):
        changes, by_arrival, output = self.calls("reduce", INNER, (2, 6, 0), deterministic="1")
        self.assertEqual((changes, by_arrival), ([], 0), output)


if __name__ == "__main__":
    labs.main()
