#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls turn to the order of arrival while a rank comes late that others wait for, and back when it comes in time."""

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
        self.environment = labs.environment(verbose="2", guard="0", report=self.report)

    def calls(self, collective, late, calls=CALLS, **parameters):
        """What a job said, and how many of its calls were over trees and how many by arrival; results are checked."""
        for name, value in parameters.items():
            self.environment[f"OMPI_MCA_coll_mtree_{name}"] = value
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_skew")
        arguments = [collective, str(late)] + [str(number) for number in calls]
        done = labs.netlab(
            *["run", STAR, "--no-latency", "--", "mpirun", program, *arguments],
            environment=self.environment,
            timeout=TIMEOUT,
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        self.assertRegex(said, r"lab_skew: [1-9]\d* checks on 5 ranks, 0 failed")
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        counts = {True: 0, False: 0}
        for group in report["communicators"]:
            for row in group["calls"]:
                if row["function"] == collective and row["bytes_from"] >= 2**20:
                    algorithm = report["plans"][row["plan"]]["algorithm"]
                    counts[algorithm == "arrival"] += row["calls"]
                    self.assertEqual([served["by"] for served in row["served"]], ["trees"], said)
        self.assertEqual(sum(counts.values()), sum(calls), said)
        turns = re.findall(r"from here on (by arrival|over trees)", said)
        return turns, counts[True], said

    def assert_turns_and_returns(self, collective, **parameters):
        turns, by_arrival, said = self.calls(collective, INNER, **parameters)
        self.assertEqual(turns, ["by arrival", "over trees"], said)
        # Three calls speak for it before it turns, and six before it returns; word is a call behind.
        self.assertGreaterEqual(by_arrival, 6, said)
        self.assertLess(by_arrival, sum(CALLS[1:]), said)

    @labs.again
    def test_bcast_turns_and_returns(self):
        # Whoever wants sums to be the same every time does not mind.
        self.assert_turns_and_returns("bcast", deterministic="1")

    @labs.again
    def test_reduce_turns_and_returns(self):
        self.assert_turns_and_returns("reduce")

    def test_stays_where_nothing_is_gained(self):
        # Without its root nobody has anything; the last of the only tree holds nobody up.
        for late in (0, 2):
            turns, by_arrival, said = self.calls("bcast", late, (2, 6, 0))
            self.assertEqual((turns, by_arrival), ([], 0), said)

    def test_stays_where_told_to(self):
        for parameters in ({"follow": "0"}, {"algorithm": "packing", "follow": "1"}):
            turns, by_arrival, said = self.calls("bcast", INNER, (2, 6, 0), **parameters)
            self.assertEqual((turns, by_arrival), ([], 0), said)

    def test_sums_stay_deterministic(self):
        turns, by_arrival, said = self.calls("reduce", INNER, (2, 6, 0), deterministic="1")
        self.assertEqual((turns, by_arrival), ([], 0), said)


if __name__ == "__main__":
    labs.main()
