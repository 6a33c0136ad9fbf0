#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module mtree: docs/python.md has a researcher's script, this what it promises besides."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
sys.dont_write_bytecode = True
os.environ.setdefault("MTREE", os.path.join(os.getcwd(), "mtree"))

import mtree  # noqa: E402


class Module(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        path = os.path.join(self.folder, "line.dot")
        with open(path, "w", encoding="utf-8") as file:
            file.write('graph line { s [kind=switch]; a; b [host="b.example"];\n'
                       'a -- s [capacity="10Mbps" latency="1ms"];\n'
                       's -- b [capacity="20Mbps" capacity_back="4Mbps" latency="2ms"];\n'
                       's -- c [capacity="10Mbps"]; }\n')
        self.line = mtree.Topology(path)

    def test_a_topology_has_what_the_file_says(self):
        self.assertEqual(self.line.hosts, ["a", "b.example", "c"])
        self.assertEqual(self.line.switches, ["s"])
        self.assertEqual(self.line.capacity["s", "b.example"], 20e6)
        self.assertEqual(self.line.capacity["b.example", "s"], 4e6)
        self.assertEqual(self.line.arcs("a", "b.example"), [("a", "s"), ("s", "b.example")])
        self.assertAlmostEqual(self.line.latency["a", "b.example"], 3e-3)

    def test_rates_are_what_the_links_allow_in_the_directions_that_are_used(self):
        tree = [("a", "b.example"), ("b.example", "c")]
        for collective, rate in ("bcast", 4e6), ("reduce", 4e6), ("allreduce", 2e6):
            plan = self.line.plan_of([tree], collective=collective)
            self.assertAlmostEqual(plan["throughput_bps"], rate, msg=collective)
        star = [("a", "b.example"), ("a", "c")]
        self.assertAlmostEqual(self.line.plan_of([star], collective="bcast")["throughput_bps"], 5e6)
        self.assertEqual(self.line.plan_of([star])["height"], 1)
        with self.assertRaisesRegex(mtree.Error, "plan_of: scan is none of allreduce"):
            self.line.plan_of([star], collective="scan")

    def test_a_plan_is_changed_and_checked(self):
        plan = self.line.plan(size="1M", trees=2)
        self.line.check(plan)
        plan["trees"][0]["rate_bps"] *= 2
        with self.assertRaisesRegex(mtree.Error, r"from .* to s, whose capacity is [0-9]+ Mb/s"):
            self.line.check(plan)
        plan["trees"][0]["edges"].pop()
        with self.assertRaises(mtree.Error):
            self.line.check(plan)

    def test_a_plan_of_ones_own_runs_and_keeps_to_the_bound(self):
        plan = self.line.plan_of([[("c", "a"), ("c", "b.example")]], collective="bcast")
        self.line.check(plan)
        result = self.line.simulate(plan, size="1M")
        self.assertEqual((result["algorithm"], result["collective"]), ("python", "bcast"))
        self.assertGreater(result["share_of_bound"], 0)
        self.assertLessEqual(result["share_of_bound"], 1)
        best = self.line.compare(collective="bcast", root="c", size="1M", algorithms=["packing"])
        self.assertLessEqual(best["algorithms"][0]["seconds"], result["seconds"])

    def test_plans_go_to_files_and_pictures(self):
        path = os.path.join(self.folder, "plan.json")
        plan = self.line.plan(collective="bcast", root="a", hosts=["a", "c"])
        mtree.save(plan, path)
        self.assertEqual(mtree.load(path), plan)
        use = self.line.draw(os.path.join(self.folder, "map.dot"), plan)["links"]
        self.assertEqual(len(use), 3)
        self.assertGreater(os.path.getsize(os.path.join(self.folder, "map.dot")), 100)

    def test_errors_are_the_lines_of_mtree(self):
        with self.assertRaisesRegex(mtree.Error, "^nowhere.dot: cannot be opened"):
            mtree.Topology("nowhere.dot")
        with self.assertRaisesRegex(mtree.Error, "did you mean packing"):
            self.line.plan(algorithm="pakcing")


if __name__ == "__main__":
    unittest.main()
