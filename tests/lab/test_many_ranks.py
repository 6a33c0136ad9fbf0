#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""128 ranks on the 64 hosts of a torus run every collective over mtree's plans, and check each result."""

import os
import re
import subprocess
import tempfile
import unittest

import labs

RANKS, HOSTS = 128, 64
TIMEOUT = 900
# Those with plans of their own; v and w forms and the barrier have that of another.
COLLECTIVES = set("allreduce reduce bcast allgather reduce_scatter alltoall gather scatter scan".split())


class ManyRanks(unittest.TestCase):
    def test_every_collective(self):
        environment = {
            **labs.environment(verbose="2", min_bytes="0"),
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_allreduce")
        with tempfile.TemporaryDirectory() as folder:
            torus = os.path.join(folder, "torus.dot")
            subprocess.run([environment["MTREE"], "generate", "torus:4x4x4", "-c", "1Gbps", "-o", torus], check=True)
            lab = ["run", torus, "--ranks-per-host", str(RANKS // HOSTS)]
            done = labs.netlab(*lab, "--", "mpirun", program, "all", environment=environment, timeout=TIMEOUT)
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output[-4000:])
        self.assertRegex(output, rf"(?m)^ok {RANKS} {HOSTS} {RANKS // HOSTS}$")
        planned = set(re.findall(r"coll:mtree: .*?(\w+) of about [^:]*: mtree ", output))
        self.assertEqual(planned, COLLECTIVES, output[-4000:])


if __name__ == "__main__":
    labs.main()
