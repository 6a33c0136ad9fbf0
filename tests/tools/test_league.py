#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/league without a lab: its cells, what it skips, its table, its mistakes; a job of Gloo."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAGUE = ROOT / "bench/league"
sys.dont_write_bytecode = True
sys.path.insert(0, str(LEAGUE))

import lab  # noqa: E402
import league  # noqa: E402
import networks  # noqa: E402
import players  # noqa: E402
import table  # noqa: E402


def entry(milliseconds):
    microseconds = milliseconds * 1e3
    return {
        "label": "4 ring",
        "median_us": microseconds,
        "min_us": microseconds * 0.9,
        "max_us": microseconds * 1.1,
        "calls_us": [microseconds],
    }


def cell(network, mtree, **others):
    """A cell of an allreduce of 1 MB whose bound is 100 ms."""
    return {
        "network": network,
        "collective": "allreduce",
        "bytes": 1 << 20,
        "bound_bps": (1 << 20) * 80,
        "predicted_us": 1e5,
        "players": {"mtree": mtree, **others},
        "report": [],
        "seconds": 10,
    }


LOST = cell("star", entry(200), default=entry(150), best={"label": "best", "more_than_us": 6e5})
WORSE = cell("ring", entry(200), default=entry(100))
WON = cell("b4", entry(125), default=entry(250), mpich=entry(500), gloo={"label": "", "failed": "2 wrong"})
CALL = {
    "served": [{"by": "trees", "calls": 3}, {"by": "openmpi", "calls": 2}, {"by": "rival", "calls": 1}],
    "fallbacks": [{"why": "trial", "text": "it was Open MPI's turn in a trial", "calls": 2}],
}


class Cells(unittest.TestCase):
    def test_names_are_different_and_every_network_has_all(self):
        cells = networks.cells(networks.NETWORKS, networks.COLLECTIVES, networks.SIZES)
        self.assertEqual(len({each.name for each in cells}), len(cells))
        self.assertEqual(len(cells), 15 * len(networks.NETWORKS))
        for collective in networks.COLLECTIVES:
            for num_bytes in networks.SIZES:
                algorithms, segments = players.candidates(collective, num_bytes)
                self.assertTrue(algorithms and segments)

    def test_other_hosts_of_geant_are_switches(self):
        text = networks.NETWORKS["geant"].text(ROOT, None)
        self.assertEqual(text.count("kind=host"), len(networks.GEANT_HOSTS))
        self.assertEqual(text.count("kind=switch"), 22 - len(networks.GEANT_HOSTS))

    def test_calls_of_a_run_follow_the_forecast(self):
        self.assertEqual(lab.calls_of(0.001), (lab.MOST_CALLS, lab.SHORT_WARMUP))
        self.assertEqual(lab.calls_of(0.15), (2, lab.WARMUP))
        self.assertEqual(lab.calls_of(60), (1, lab.LONG_WARMUP))

    def test_long_calls_take_the_algorithm_that_was_best_before(self):
        with tempfile.TemporaryDirectory() as folder:
            match = object.__new__(lab.Match)
            match.collective, match.num_bytes = "allreduce", 16 << 20
            match.entries = {"best": lab.Entry("best")}
            match.lab = types.SimpleNamespace(
                job={"network": "b4", "folder": folder},
                comparison=types.SimpleNamespace(num_ranks=12),
            )
            self.assertIsNone(match.known_best(1 << 20))
            shorter = networks.Cell("b4", "allreduce", 1 << 20)
            shorter.save(pathlib.Path(folder), cell("b4", entry(1), best=entry(2)))
            self.assertEqual(match.choose_best().label, "4 ring")
            self.assertEqual(match.entries["best"].label, "4 ring")

    def test_long_calls_come_last(self):
        self.assertEqual(networks.passes(networks.SIZES), [[64 << 10, 1 << 20], [16 << 20]])
        self.assertEqual(networks.passes([16 << 20]), [[16 << 20]])


class Resuming(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_league(self, *arguments):
        command = [sys.executable, LEAGUE / "league.py", self.path, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_cell_that_is_there_is_loaded_and_not_measured(self):
        for size in (64 << 10, 1 << 20):
            each = networks.Cell("b4", "allreduce", size)
            self.assertIsNone(each.load(self.path))
            each.save(self.path, {**LOST, "network": "b4", "bytes": size})
        done = self.run_league("--networks", "b4", "--collectives", "allreduce", "--sizes", "64k,1M")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("| b4 allreduce 64 KB |", done.stdout)
        self.assertEqual(len(json.loads((self.path / "league.json").read_text())), 2)
        self.assertEqual(len((self.path / "b4.tsv").read_text().splitlines()), 3)

    def test_a_file_that_holds_no_cell(self):
        (self.path / "b4-bcast-65536.json").write_text("{")
        done = self.run_league("--networks", "b4", "--collectives", "bcast", "--sizes", "64k")
        self.assertEqual(done.returncode, 2)
        self.assertIn("b4-bcast-65536.json holds no cell", done.stderr)

    def test_a_network_that_is_none(self):
        done = self.run_league("--networks", "b5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'b5' is none of b4, abilene", done.stderr)

    def test_quick_is_a_part_and_short(self):
        quick = league.parse_arguments(["folder", "--quick"])
        every = league.parse_arguments(["folder"])
        self.assertLess(quick.seconds, every.seconds)
        self.assertLess(set(quick.networks), set(every.networks))
        self.assertLess(set(quick.collectives), set(every.collectives))
        self.assertLess(set(quick.sizes), set(every.sizes))

    def test_a_build_without_a_program_for_mpich_leaves_it_out(self):
        self.assertIn("mpich", players.missing(self.path))

    def test_the_estimate_is_of_cells_of_that_size(self):
        missing = [networks.Cell("b4", "bcast", size) for size in (1 << 20, 1 << 20, 64 << 10)]
        self.assertEqual(league.seconds_left(missing, []), 3 * league.FIRST_GUESS)
        there = [{**WON, "seconds": 4}, {**WON, "seconds": 6}, {**WON, "bytes": 64 << 10, "seconds": 1}]
        self.assertEqual(league.seconds_left(missing, there), 11)


class Table(unittest.TestCase):
    def test_lost_cells_come_first_the_worst_before_all(self):
        order = [each["network"] for each in table.in_order([WON, LOST, WORSE])]
        self.assertEqual(order, ["ring", "star", "b4"])

    def test_a_cell_in_which_mtree_failed_is_lost(self):
        failed = cell("sites", {"label": "mtree", "failed": "exit status 1"}, default=entry(1))
        self.assertEqual(table.in_order([WON, LOST, failed])[0], failed)
        self.assertEqual(table.reason(failed), "exit status 1")

    def test_lines(self):
        text = table.markdown([WON, LOST, WORSE])
        self.assertIn("| star allreduce 1 MB | 200 | 150 | > 600 |", text)
        self.assertIn("| b4 allreduce 1 MB | 125 | 250 |", text)
        self.assertIn("| 500 | failed |", text)
        self.assertIn("| 2.00 | 80% |", text)
        self.assertIn("fastest in 1 of 3 cells, median gain 0.75", text)

    def test_failures_are_named_below_the_table(self):
        self.assertIn("- b4 allreduce 1 MB: Gloo failed: 2 wrong\n", table.markdown([WON, LOST]))
        self.assertEqual(table.failures([LOST]), [])

    def test_a_reason_says_who_served_and_what_was_expected(self):
        text = table.reason({**LOST, "report": [CALL]})
        self.assertEqual(
            text,
            "calls: 3 by trees, 2 by Open MPI, 1 by another of Open MPI's algorithms; it was Open MPI's turn in a trial (2); "
            "2.0 times the forecast of 100 ms",
        )

    def test_a_plot_has_a_column_per_player_and_a_dash_where_none_was_measured(self):
        lines = table.plot_table([WON, LOST]).splitlines()
        self.assertEqual(lines[0].split("\t")[:3], ["cell", "mtree", "Open MPI's best"])
        self.assertEqual(lines[1].split("\t")[:4], ["allreduce 1 MB", "80.0", "-", "40.0"])


@unittest.skipIf(players.torch_python() is None, "no torch here")
class Gloo(unittest.TestCase):
    def test_each_collective_gives_right_results(self):
        gloo = players.Gloo("lo", "127.0.0.1")
        self.addCleanup(gloo.stop)
        environment = {
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }
        for collective in networks.COLLECTIVES:
            task = {"collective": collective, "bytes": 65536, "iterations": 2, "warmup": 1}
            self.assertEqual(len(gloo.calls(environment, task, 60)), 2)


if __name__ == "__main__":
    unittest.main()
