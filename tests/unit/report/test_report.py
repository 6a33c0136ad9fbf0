#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What follows from the counts of a report (mtree report --json), and what its page says of them."""
import copy
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")
MTREE = os.environ.get("MTREE", "./mtree")
sys.path[:0] = [os.path.join(ROOT, "tools", folder) for folder in ("reporter", "drawing")]
sys.dont_write_bytecode = True

import sentences  # noqa: E402
from text import write_text  # noqa: E402

# a - b - c, 100 bits/s and 40 bits/s.  The plan is a chain from a.
LINE = {
    "format": "mtree-report 4", "elapsed_s": 12500, "times": [],
    "topologies": [{"origin": "test", "dot": 'graph line { a -- b [capacity="100bps" latency="1ms"]; '
                                             'b -- c [capacity="40bps" latency="1ms"]; }', "measured": []}],
    "plans": [{"topology": 0, "collective": "bcast", "algorithm": "hand", "root": "a", "throughput_bps": 40, "bound_bps": 40,
               "bytes": 4000, "seconds": 800, "hosts": ["a", "b", "c"],
               "trees": [{"root": "a", "rate_bps": 40, "share": 1, "chunk_bytes": 0, "edges": [["a", "b"], ["b", "c"]],
                          "latency_s": [0.001, 0.001]}]}],
    "communicators": [
        {"name": "world", "ranks": 3, "topology": 0, "hosts": 3, "vertices": [0, 1, 2],
         "paths": [[0, 1, 30, 0, 0], [1, 2, 30, 0.9, 36]],
         "calls": [{"function": "bcast", "root": 0, "plan": 0, "host_share": 1, "planned_s": 800, "planned_openmpi_s": 1600,
                    "fallbacks": [],
                    "served": [{"by": "trees", "calls": 2, "bytes": 12000, "timed": 2, "shared_s": 12000, "median_s": 1400,
                                "slowest_rank_s": 2400},
                               {"by": "openmpi", "calls": 1, "bytes": 6000, "timed": 1, "shared_s": 500}]}]}]}


def run(report):
    return subprocess.run([MTREE, "report", "--json", "-"], input=json.dumps(report), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, text=True)


class Derived(unittest.TestCase):
    def setUp(self):
        self.report = copy.deepcopy(LINE)
        (self.map,), (self.plan,), (self.group,) = (self.report[key] for key in ("topologies", "plans", "communicators"))
        (self.calls,) = self.group["calls"]

    def edit_map(self, what, with_):
        self.assertIn(what, self.map["dot"])
        self.map["dot"] = self.map["dot"].replace(what, with_)

    def derive(self):
        done = run(self.report)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.report = json.loads(done.stdout)
        self.map, self.calls = self.report["topologies"][0], self.report["communicators"][0]["calls"][0]
        return self.map["links"][-2:]

    def test_means(self):
        self.calls["key"] = "the sums"
        self.report["times"] = [{"rank": rank, "means": {"the sums": [trees, openmpi], "others": [7, 7]}}
                                for rank, trees, openmpi in ((1, 2, 0), (2, 3, 5), (0, 7, 0))]
        self.report["times"].append({"rank": 3, "means": {}})
        self.derive()
        trees, openmpi = self.calls["served"]
        self.assertEqual((3, 4, 7), tuple(trees[key] for key in ("ranks", "mean_of_ranks_s", "slowest_rank_s")))
        self.assertEqual((1, 5, 5), tuple(openmpi[key] for key in ("ranks", "mean_of_ranks_s", "slowest_rank_s")))
        self.assertNotIn("key", self.calls)
        self.assertNotIn("means", self.report["times"][0])

    def says(self, line):
        self.assertIn(f"\n{line}\n", write_text(self.report))

    def test_links_carry_what_trees_put_on_them(self):
        near, far = self.derive()
        self.assertEqual(12000, self.map["seconds"])
        self.assertEqual([[12000, 0]] * 2, [near["bytes"], far["bytes"]])
        self.assertAlmostEqual(0.2, far["use"][0])
        self.assertEqual(([36, 0], [True, False]), (far["gave_bps"], far["narrowest"]))
        self.assertEqual([0, 2], self.report["plans"][0]["trees"][0]["arcs"])

    def test_the_link_that_is_nearest_to_full_is_the_narrowest(self):
        self.group["paths"] = [[0, 2, 30, 0.9, 36], [0, 1, 20, 0, 0]]
        near, far = self.derive()
        # a > b carried both paths: one at its rate while full, the other at its mean.
        self.assertEqual(([56, 0], [0.9, 0], [False, False]), (near["gave_bps"], near["pressed"], near["narrowest"]))
        self.assertEqual(([36, 0], [True, False]), (far["gave_bps"], far["narrowest"]))

    def test_paths_that_kept_up_tell_nothing(self):
        self.group["paths"] = [[2, 0, 30, 0.19, 1000]]
        for link in self.derive():
            self.assertEqual(([0, 0], [False, False]), (link["pressed"], link["narrowest"]))

    def test_groups_add_up(self):
        self.group["paths"] = [[1, 2, 10, 0.5, 20]]
        self.report["communicators"].append(dict(self.group, calls=[]))
        _, far = self.derive()
        self.assertEqual((40, 0.5), (far["gave_bps"][0], far["pressed"][0]))

    def test_calls_have_sums_and_forecasts(self):
        self.derive()
        self.assertEqual([3, 18000, 12500], [self.calls[key] for key in ("calls", "bytes", "shared_s")])
        # 6000 bytes on a mean: 2000 more than planned for, at 40 bits/s.
        self.assertEqual([1200, 2400], [self.calls[key] for key in ("forecast_s", "openmpi_forecast_s")])
        # One broadcast may follow another before that has ended.
        self.assertEqual([1200, "cut", 0.5], [self.calls[key] for key in ("bound_seconds", "bound_by", "share_of_bound")])

    def test_calls_of_all_ranks_have_the_least_time(self):
        self.plan.update(collective="allreduce", root=None)
        self.derive()
        self.assertAlmostEqual(1200.002, self.calls["bound_seconds"])
        self.assertEqual(["flow", "the flow from a to c"], [self.calls[key] for key in ("bound_by", "bound_limit")])
        self.assertAlmostEqual(1200.002 / 2400, self.calls["share_of_bound"])

    def test_without_a_forecast_nothing_is_said_of_open_mpi(self):
        del self.calls["planned_openmpi_s"]
        self.derive()
        self.assertNotIn("openmpi_forecast_s", self.calls)

    def test_what_calls_find_is_compared_with_the_map(self):
        """b > c has 40 bits/s; 0: they agree."""
        for part, rate, carried, found in ((0.9, 21, 12000, 0), (0.9, 19, 12000, 19), (0.1, 19, 12000, 0), (0.9, 79, 12000, 0),
                                           (0.9, 81, 12000, 81), (0.9, 36, 116000, 0), (0.9, 36, 144000, 96)):
            self.setUp()
            self.group["paths"][1][3:] = part, rate
            self.calls["served"][0]["bytes"] = carried
            with self.subTest(part=part, rate=rate, carried=carried):
                _, far = self.derive()
                self.assertEqual([found, 0], far["found_bps"])
                self.assertTrue(found == 0 or self.map["disagrees"])

    def test_a_capacity_that_was_measured_is_compared_with_the_map(self):
        """It was changed while the job ran: that is what the calls found."""
        self.edit_map('"40bps"', '"85bps" capacity_back="40bps"')
        self.map["measured"] = [[1, "b", 40, 40]]
        self.derive()
        self.says("The map disagrees with the calls by more than a factor of two: b > c has 85 b/s, calls found 36 b/s. Measure the "
                  "network: mtree probe")

    def test_calls_that_are_quicker_than_possible_disagree(self):
        """The bound of a call of 6000 bytes is 1200 s."""
        self.calls["served"][0]["slowest_rank_s"] = 599
        self.derive()
        self.says("The map disagrees with the calls by more than a factor of two: bcast 0-0 B root 0 took 599 s, on the map at least "
                  "1200 s. Measure the network: mtree probe")

    def test_a_link_that_is_gone_is_named(self):
        self.edit_map("a -- b", 'a -- c [capacity="9bps" latency="1ms"]; a -- b')
        self.map["measured"] = [[0, "a", 0, 0]]
        self.derive()
        self.says("Gone, and left out of plans: a--c")

    def test_calls_through_relays_are_those_that_were(self):
        self.report["plans"].append(copy.deepcopy(self.plan))
        self.plan.update(hosts=["a", "c"], relays=["b"])
        self.calls.update(direct_plan=1, relayed=1, relayed_bytes=5000)
        near, _ = self.derive()
        self.assertEqual([None, True, None], [vertex.get("relay") for vertex in self.map["vertices"]])
        self.assertEqual(12000, near["bytes"][0])
        self.says("Relays: b")
        self.assertIn("  1 tree through 1 relay, 1 of 2 calls  ", write_text(self.report))

    def test_a_report_that_contradicts_itself_is_refused(self):
        for what, with_, line in (('"vertices": [0, 1, 2]', '"vertices": [0, 1, 3]', "a communicator contradicts its topology"),
                                  ("[[0, 1, 30", "[[0, 3, 30", "a communicator contradicts its topology"),
                                  ("[[0, 1, 30", "[[-1, 1, 30", "a communicator contradicts its topology"),
                                  ("b -- c", "b -- d", "a plan contradicts its topology"),
                                  ("b -- c", "c -- d", "topology 0:1: host . has no path"),
                                  ('"dot"', '"dots"', "topology 0:1: not a DOT graph"),
                                  ('"measured": []', '"measured": [[2, "a", 1, 1]]', "what was measured contradicts its topology"),
                                  ('"measured": []', '"measured": [[0, "a", -1, 1]]', "what was measured contradicts its topology"),
                                  ('"edges": [["a", "b"], ', '"edges": [', "plan"),
                                  ('"share": 1', '"share": 0.5', "plan: the shares sum to 0.5"),
                                  ("[0, 1, 30, 0, 0]", '[0, 1, "30", 0, 0]', "the report is damaged")):
            text = json.dumps(LINE)
            self.assertIn(what, text)
            done = run(json.loads(text.replace(what, with_, 1)))
            self.assertEqual(1, done.returncode, what)
            self.assertRegex(done.stderr, f"^mtree: standard input: {line}.*\n$")

    def test_what_is_derived_may_be_derived_again(self):
        self.map["measured"] = [[1, "c", 30, 50]]
        self.derive()
        once = copy.deepcopy(self.report)
        self.assertEqual([[50, 30], [40, 40]], [self.map["links"][1][key] for key in ("capacity_bps", "map_bps")])
        self.derive()
        self.assertEqual(once, self.report)


def calls(trees, **forecasts):
    return [{"calls": [dict(served=[dict(by="trees", **trees), {"by": "openmpi", "calls": 9, "bytes": 9, "seconds": 9}], **forecasts)]}]


class Sentences(unittest.TestCase):
    def test_time_in_calls_is_that_of_the_ranks(self):
        report = {"elapsed_s": 10, "times": [{"mtree_s": 2}, {"mtree_s": 4}], "communicators": calls({"calls": 7, "bytes": 2048})}
        self.assertEqual("Ranks spent 3 s of 10 s in calls that mtree served (mean of 2, from 2 s to 4 s): 7 calls of rank 0, 2 KB",
                         sentences.served(report))
        report = {"elapsed_s": 10, "times": [{"mtree_s": 2}], "communicators": calls({"calls": 1, "bytes": 2048})}
        self.assertEqual("Rank 0 spent 2 s of 10 s in calls that mtree served: 1 call of rank 0, 2 KB", sentences.served(report))

    def test_no_rank_spent_more_than_the_job_lasted(self):
        """A rank's clock began a little before that of rank 0."""
        self.assertEqual("Ranks spent 9.50 s of 10 s in calls that mtree served (mean of 2, from 9 s to 10 s): 0 calls of rank 0, 0 B",
                         sentences.served({"elapsed_s": 10, "times": [{"mtree_s": 10.5}, {"mtree_s": 9}]}))

    def test_what_is_beside_that_is_apart(self):
        self.assertEqual("Beside that: 2 s of waiting for plans, 1 s of opening connections, 4 s in calls that Open MPI served",
                         sentences.beside({"elapsed_s": 10, "times": [{"planning_s": 1, "connecting_s": 2, "openmpi_s": 3},
                                                                      {"planning_s": 3, "openmpi_s": 5}]}))

    def test_a_forecast_is_called_so(self):
        trees = {"calls": 7, "seconds": 14, "shared_s": 14}
        self.assertEqual("Forecast, not measured: 7 of these calls take 14 s with mtree, 21 s with Open MPI",
                         sentences.forecast({"communicators": calls(trees, forecast_s=2, openmpi_forecast_s=3)}))
        self.assertEqual("Forecast: Open MPI's time for these calls was not predicted",
                         sentences.forecast({"communicators": calls(trees, forecast_s=2)}))

    def test_calls_that_overlap_count_once_in_forecasts(self):
        """Seven calls of 2 s each that overlapped took 3.5 s together."""
        trees = {"calls": 7, "seconds": 14, "shared_s": 3.5}
        self.assertEqual("Forecast, not measured: 7 of these calls take 3.50 s with mtree, 7 s with Open MPI",
                         sentences.forecast({"communicators": calls(trees, forecast_s=2, openmpi_forecast_s=4)}))


if __name__ == "__main__":
    unittest.main()
