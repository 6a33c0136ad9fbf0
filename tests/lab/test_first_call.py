#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Connections over long ways begin with the first call, without a message of Open MPI's, while its plan is under way;
where what they carry does not arrive, Open MPI's messages serve."""

import json
import os
import tempfile
import unittest

import labs

# Seconds between two hosts, many enough that a busy machine adds little.  By Open MPI's messages connections took 4.5
# round trips.
ONE_WAY = 0.3
ROUND_TRIP = 2 * ONE_WAY
FIRST, LAST = 28500, 28599
FAR = """graph far {{ edge [capacity="50Mbps", latency="{}ms"]; switch [kind=switch];
h0 -- switch; h1 -- switch; h2 -- switch; }}"""
SWALLOWED = f"ip length > 60 tcp dport {FIRST}-{LAST} drop"


class FirstCall(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = f"first-{os.getpid()}-{self._testMethodName[-8:]}"
        self.report = os.path.join(folder.name, "report.json")
        topology = os.path.join(folder.name, "far.dot")
        with open(topology, "w", encoding="utf-8") as file:
            file.write(FAR.format(1000 * ONE_WAY / 2))
        self.environment = labs.environment(
            streams="2", min_bytes="0", verbose="1", report=self.report, tcp_ports=f"{FIRST}-{LAST}", topology=topology)
        self.netlab("up", topology, "--name", self.name)
        self.addCleanup(self.netlab, "down", self.name)

    def netlab(self, *command):
        done = labs.netlab(*command, environment=self.environment, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def job(self, size):
        """What a job of two sums of SIZE bytes said, and the seconds for which each rank opened connections."""
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_replan")
        said = self.netlab("exec", self.name, "-", "--", "mpirun", program, str(size), "2", "nonblocking")
        self.assertIn("ok\n", said)
        with open(self.report, encoding="utf-8") as file:
            return said, [rank["connecting_s"] for rank in json.load(file)["times"]]

    @labs.again
    def test_connections_begin_before_the_plan_comes(self):
        for size in (40000, 200000):
            said, seconds = self.job(size)
            self.assertNotIn("no TCP connections", said)
            # They take three round trips, of which a plan takes some two.
            self.assertLess(max(seconds), 2 * ROUND_TRIP)

    def test_what_does_not_arrive_goes_over_openmpi(self):
        self.netlab("exec", self.name, "h1", "--", *labs.filtering("input", SWALLOWED))
        said, _ = self.job(40000)
        self.assertRegex(said, r"no TCP connections to rank \d \(what is sent there does not arrive\): messages to it")


if __name__ == "__main__":
    labs.main()
