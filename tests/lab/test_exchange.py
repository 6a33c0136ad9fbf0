#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""On B4 all-to-all, gather and scatter go over trees, as expected of them, and every result is right."""

import os
import unittest

import labs

B4 = os.path.join(labs.ROOT, "topologies", "b4.dot")
TIMEOUT = 240


class Exchange(unittest.TestCase):
    def serve(self, collective, size):
        """Have 12 ranks make calls of SIZE, of which those over trees are counted in a report."""
        bench = [os.path.join(labs.BUILD, "mtree_bench"), "-t", collective, "-m", f"{size}:{size}"]
        done = labs.netlab(
            *["run", B4, "--scale", "0.2", "--no-latency", "--"],
            *["mpirun", *bench, "-x", "2", "-i", "2", "-c"],
            environment=labs.environment(verbose="2"),
            timeout=TIMEOUT,
        )
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output)
        self.assertRegex(output, rf"(?m)^{size} .* Pass$")
        planned = collective.removesuffix("v")
        self.assertRegex(output, rf"{planned} of about .*: mtree \w+, \d+ trees?", output)

    def test_alltoall(self):
        self.serve("alltoall", 12 * 50000)

    def test_alltoallv(self):
        self.serve("alltoallv", 12 * 50000)

    def test_gather(self):
        self.serve("gather", 100000)

    def test_scatterv(self):
        self.serve("scatterv", 1200000)


if __name__ == "__main__":
    labs.main()
