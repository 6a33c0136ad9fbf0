#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Twelve hosts on which processes may open few files run every collective, over as many connections as they may have."""

import os
import tempfile
import unittest

import labs

PROGRAMS = os.path.join(labs.BUILD, "tests", "mpi")
HOSTS = 12
FEWER = "the limit of open files (ulimit -n) leaves {} of 8 TCP connections to each process"
NONE = "no TCP connections to rank"
SERVED = f"{HOSTS} ranks on {HOSTS} of its {HOSTS} hosts"


class Descriptors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.network = os.path.join(folder.name, "twelve.dot")
        with open(self.network, "w", encoding="utf-8") as file:
            links = "".join(f"h{host} -- switch;" for host in range(HOSTS))
            file.write(f'graph twelve {{ edge [capacity="50Mbps", latency="2ms"]; switch [kind=switch]; {links} }}')

    def job(self, limit, program, **parameters):
        """What mtree says in a job whose processes have the LIMIT, and that succeeds."""
        environment = labs.environment(verbose="1", min_bytes="0", streams="8", **parameters)
        command = ["mpirun", "sh", "-c", f'{limit} && exec "$0"', os.path.join(PROGRAMS, program)]
        done = labs.netlab("run", self.network, "--", *command, environment=environment, timeout=200)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said[-2000:])
        self.assertIn("ranks, 0 failed", said)
        self.assertIn(SERVED, said)
        return said

    def test_few_run_every_collective(self):
        said = self.job("ulimit -n 64", "every_collective")
        self.assertIn(FEWER.format(1), said)
        self.assertNotIn(NONE, said)

    def test_few_run_every_collective_encrypted(self):
        self.assertIn(FEWER.format(1), self.job("ulimit -n 64", "every_collective", encrypt="1"))

    def test_fewer_have_no_connections(self):
        said = self.job("ulimit -n 48", "few_calls")
        self.assertIn(FEWER.format(0), said)
        self.assertRegex(said, NONE + r" \d+ \(Too many open files\): messages to it")

    def test_both_ends_have_the_smaller_number(self):
        said = self.job("{ test $OMPI_COMM_WORLD_RANK != 3 || ulimit -n 64; }", "few_calls")
        self.assertNotIn("limit of open files", said)  # of rank 0
        self.assertNotIn(NONE, said)

    def test_a_limit_is_raised(self):
        said = self.job("ulimit -Sn 64", "few_calls")
        self.assertNotIn("limit of open files", said)
        self.assertNotIn(NONE, said)


if __name__ == "__main__":
    labs.main()
