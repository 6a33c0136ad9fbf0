#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replanning in a lab whose network changes: plans go around a link that becomes slow, and sums stay right."""

import os
import random
import subprocess
import unittest

import labs

SQUARE = os.path.join(labs.ROOT, "tests", "lab", "square.dot")
TIMEOUT = 120
LINKS = ("a--b", "b--c", "c--d", "d--a", "a--c", "b--d")
CALLS = 16
CUT_AFTER = 4  # the link gets slow after this call


class Replan(unittest.TestCase):
    def setUp(self):
        self.environment = labs.environment(verbose="2", guard="-1")
        self.lab = f"replan-{os.getpid()}"
        self.netlab("up", SQUARE, "--name", self.lab)
        self.addCleanup(self.netlab, "down", self.lab)

    def netlab(self, *command):
        done = labs.netlab(*command, environment=self.environment, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def cut(self, line):
        """a--b gets slow."""
        if line.startswith(f"call {CUT_AFTER} "):
            self.netlab("set", self.lab, "a--b", "capacity=x0.25")

    def sums(self, *arguments, size=2000000, calls=CALLS, change=None):
        """The output of a job that makes sums while CHANGE, called with each line, changes the network; else a link is cut."""
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_replan")
        command = ["mpirun", program, str(size), str(calls), *arguments]
        job = subprocess.Popen(
            ["timeout", str(TIMEOUT), labs.NETLAB, "exec", self.lab, "-", "--", *command],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = []
        with job.stdout:
            for line in job.stdout:
                output.append(line)
                (change or self.cut)(line)
        self.assertEqual(job.wait(), 0, "".join(output))
        self.assertIn("ok\n", output)
        self.assertEqual(sum(line.startswith("call ") for line in output), calls)
        return "".join(output)

    @labs.again
    def test_goes_around_a_link_that_gets_slow(self):
        output = self.sums()
        self.assertRegex(output, r"(a->b|b->a) gives .*; planned anew, ")
        self.assertIn("; from here on sums are added in another order", output)
        # The same kind of call has another plan from then on.
        plans = output.count("allreduce of about 1.91 MB: mtree ")
        self.assertGreaterEqual(plans, 2, output)

    def test_calls_under_way_keep_their_plan(self):
        self.assertIn("planned anew", self.sums("both"))

    @labs.again
    def test_jitter_on_all_links_changes_no_trees(self):
        draw = random.Random(1)

        def jitter(line):
            if line.startswith("call ") and int(line.split()[1]) % 4 == 0:
                for link in LINKS:
                    self.netlab("set", self.lab, link, f"capacity=x{draw.uniform(0.8, 1.2):.3f}")

        output = self.sums(size=1000000, calls=40, change=jitter)
        self.assertNotIn("planned anew", output)

    @labs.again
    def test_puts_a_wrong_map_right_at_once(self):
        """Links that carry more than the map says are found with those that carry less."""
        for link, capacity in zip(LINKS, ("x0.5", "x1.5", "x0.6", "x1.4", "x0.7", "x1.6")):
            self.netlab("set", self.lab, link, f"capacity={capacity}")
        output = self.sums("all", "exact", size=1000000, calls=24, change=lambda line: None)
        self.assertRegex(output, r" 1[012] of 12 links give other rates; .*; planned anew, ")

    @labs.again
    def test_takes_a_link_up_again_that_heals(self):
        healed = []

        def cut_and_heal(line):
            self.cut(line)
            if "; planned anew, " in line and not healed:
                healed.append(line)
                self.netlab("set", self.lab, "a--b", "capacity=x1")

        output = self.sums("all", "exact", size=500000, calls=240, change=cut_and_heal)
        self.assertTrue(healed, output)
        # What it gave before, by steps of two.
        self.assertRegex(output, r"(a->b|b->a) is tried at 30 Mb/s")

    @labs.again
    def test_other_shares_do_where_a_link_gets_little_slower(self):
        def slow_down(line):
            if line.startswith(f"call {CUT_AFTER} "):
                self.netlab("set", self.lab, "a--b", "capacity=x0.85")

        output = self.sums("all", "exact", size=2000000, calls=60, change=slow_down)
        self.assertRegex(output, r"(a->b|b->a) gives .*; the same trees with other shares, ")
        self.assertNotIn("planned anew", output)

    def test_sums_that_round_change_their_order_once_at_most(self):
        """A link gets slow, heals and gets slow again; little is to be gained by another."""
        healed = []

        def change(line):
            self.cut(line)
            if line.startswith("call 40 "):
                healed.append(line)
                self.netlab("set", self.lab, "a--b", "capacity=x1")
                self.netlab("set", self.lab, "b--c", "capacity=x0.25")

        output = self.sums(size=1000000, calls=90, change=change)
        self.assertTrue(healed, output)
        changes = output.count("; planned anew, ") + output.count("the same trees with other shares, ")
        self.assertLessEqual(changes, 1, output)
        self.assertEqual(output.count("from here on sums are added in another order"), changes, output)

    def test_stays_with_its_plans_when_told_to(self):
        self.environment["OMPI_MCA_coll_mtree_replan"] = "0"
        self.assertNotIn("planned anew", self.sums())


if __name__ == "__main__":
    labs.main()
