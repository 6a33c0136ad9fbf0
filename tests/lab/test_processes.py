#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Init with mtree fills no process table that Open MPI leaves empty until messages need it."""

import os
import re
import stat
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "star.dot")
PROGRAM = os.path.join(labs.BUILD, "tests", "lab", "lab_allreduce")
TIMEOUT = 60


class Processes(unittest.TestCase):
    def processes(self, **variables):
        """How many processes rank 1 has in its table after MPI_Init."""
        done = labs.netlab(
            *("run", STAR, "--", "mpirun", PROGRAM, "processes"), environment={**labs.environment(), **variables}, timeout=TIMEOUT
        )
        found = re.search(r"^(\d+) processes$", done.stdout, re.MULTILINE)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        return int(found[1])

    def test_mtree_adds_none(self):
        plain = self.processes(OMPI_MCA_coll="^mtree")
        self.assertLess(plain, 3)
        self.assertEqual(self.processes(), plain)
        self.assertEqual(self.processes(OMPI_MCA_coll_mtree_report=os.devnull), plain)
        # No report takes the place of what is no file.
        self.assertTrue(stat.S_ISCHR(os.stat(os.devnull).st_mode))


if __name__ == "__main__":
    labs.main()
