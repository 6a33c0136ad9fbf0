#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/league without a lab: its cells, what it skips, its table, its mistakes; a job of Gloo."""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAGUE = ROOT / "bench/league"
sys.dont_write_bytecode = True
sys.path.insert(0, str(LEAGUE))

import jobs  # noqa: E402
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
        "bound_us": 1e5,
        "bound_by": "cut",
        "predicted_us": 1e5,
        "players": {"mtree": mtree, **others},
        "report": [],
        "seconds": 10,
    }


LOST = cell("star", entry(200), default=entry(150), best={"label": "best", "more_than_us": 6e5})
WORSE = cell("ring", entry(200), default=entry(100))
WON = cell("b4", entry(125), default=entry(250), mpich=entry(500), gloo={"label": "", "failed": "2 wrong"})
CALL = {
    "served": [{"by": "trees", "calls": 3}, {"by": "openmpi", "calls": 2}],
    "fallbacks": [{"why": "planning", "text": "its plan was still being made", "calls": 2}],
}


CALLS_US = {"mtree": 100e3, "default": 400e3, "endless": 100e6}
FORCED_US = {"4 ring": 150e3, "3 tree": 200e3, "5 slow": 900e3}


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

    def test_a_record_of_a_report_is_of_a_cell_by_function_and_size(self):
        call = {"function": "bcast", "bytes_from": 1 << 20, "bytes_to": 2 << 20}
        self.assertTrue(lab.counts(call, networks.Cell("b4", "bcast", 1 << 20)))
        self.assertFalse(lab.counts(call, networks.Cell("b4", "bcast", 4 << 20)))
        # Nine equal parts are a byte short of it.
        self.assertTrue(lab.counts(call, networks.Cell("torus", "bcast", 2 << 20)))
        self.assertFalse(lab.counts(call, networks.Cell("b4", "gather", 1 << 20)))


class StandIn:
    """A job whose calls of 1 MB take so many microseconds, those by forced algorithms as FORCED_US
    says; of other sizes as many times as much."""

    def __init__(self, call_us=None):
        self.call_us, self.tasks = call_us, []

    def calls(self, task, seconds, limit):
        self.tasks.append(task)
        call_us = (self.call_us or FORCED_US[task.control[0][0]]) * task.num_bytes / (1 << 20)
        if call_us * 1e-6 > limit:
            raise jobs.TooSlow(limit - (seconds if task.calls > 1 else 0))
        begun = min(task.calls, math.ceil(seconds / (call_us * 1e-6)))
        return [call_us] * max(begun - task.warmup, 1)


class Turns(unittest.TestCase):
    def setUp(self):
        self.jobs = {name: StandIn(call_us) for name, call_us in CALLS_US.items()}
        self.jobs["forced"] = StandIn()
        forced = [(label, ((label, "1"),)) for label in FORCED_US]
        patch = unittest.mock.patch.object(players, "forced", lambda *_: forced)
        patch.start()
        self.addCleanup(patch.stop)
        self.cells = {}
        self.lab = types.SimpleNamespace(
            job={"network": "b4", "turns": 1, "limit": 20, "where": {}},
            comparison=types.SimpleNamespace(predicted=self.predicted, bound=self.bound, hosts=[]),
            measured=lambda collective, num_bytes: self.cells.get(num_bytes),
            job_of=lambda name: self.jobs["forced" if name == "best" else name],
        )

    def predicted(self, collective, num_bytes):
        return num_bytes / (1 << 20) * 1e5

    def bound(self, collective, num_bytes):
        return {"bound_us": num_bytes / 12.5, "bound_by": "cut"}

    def sizes(self, name):
        return [task.num_bytes >> 20 for task in self.jobs[name].tasks]

    def tried(self):
        return [task.control[0][0] for task in self.jobs["forced"].tasks]

    def play(self, num_bytes, *names):
        self.lab.job["players"] = names
        match = lab.Match(self.lab, "allreduce", num_bytes)
        self.cells[num_bytes] = match.play()
        return self.cells[num_bytes]["players"]

    def test_the_best_is_the_fastest_of_those_that_were_tried(self):
        entries = self.play(1 << 20, "mtree", "default", "best", "endless", "adapt")
        self.assertEqual(list(entries), ["mtree", "default", "best", "endless"])
        self.assertEqual((entries["best"]["label"], entries["best"]["median_us"]), ("4 ring", 150e3))
        self.assertEqual(self.tried()[:4], [*FORCED_US, "4 ring"])

    def test_one_that_is_hopeless_twice_makes_no_more_calls(self):
        entries = self.play(1 << 20, "mtree", "default", "best")
        self.assertEqual(len(entries["mtree"]["calls_us"]), 3)
        self.assertEqual(entries["default"]["calls_us"], [400e3])
        self.assertEqual([task.calls for task in self.jobs["default"].tasks], [2])
        self.assertEqual(len(entries["best"]["calls_us"]), 3)
        self.assertEqual([task.calls for task in self.jobs["forced"].tasks], [1, 1, 1, 2, 4])

    def test_algorithms_are_tried_with_less_where_the_default_is_hopeless(self):
        self.play(1 << 20, "mtree", "default", "best")
        self.assertEqual([task.num_bytes >> 18 for task in self.jobs["forced"].tasks], [1, 1, 1, 4, 4])
        self.jobs["forced"].tasks.clear()
        self.jobs["default"].call_us = 150e3
        self.play(1 << 20, "mtree", "default", "best")
        self.assertEqual([task.num_bytes >> 18 for task in self.jobs["forced"].tasks], 5 * [4])

    def test_one_whose_calls_are_short_makes_many_until_time_is_up(self):
        entries = self.play(64 << 10, "mtree", "default")
        self.assertEqual(len(entries["mtree"]["calls_us"]), lab.MOST_CALLS)
        self.assertEqual(entries["default"]["calls_us"], [400e3 / 16])
        self.assertEqual([task.calls for task in self.jobs["default"].tasks], [2, 38])

    def test_one_that_does_not_end_is_stopped(self):
        self.assertEqual(self.play(1 << 20, "mtree", "endless")["endless"]["more_than_us"], 10e6)

    def test_longer_calls_take_the_algorithm_that_was_best_before(self):
        for size in (1 << 20, 16 << 20):
            entries = self.play(size, "mtree", "best")
        self.assertEqual(set(self.tried()[4:]), {"4 ring"})
        self.assertEqual(entries["best"]["label"], "4 ring")

    def test_shorter_calls_show_that_a_player_is_slower(self):
        for size in (1 << 20, 16 << 20):
            entries = self.play(size, "mtree", "default", "best")
        self.assertEqual(self.sizes("default"), [1, 8])
        self.assertEqual(round(entries["default"]["more_than_us"]), 3.2e6)
        self.assertEqual(entries["default"]["of_bytes"], 8 << 20)
        self.assertEqual(entries["best"]["calls_us"], [2.4e6])

    def test_where_all_others_are_slower_the_fastest_of_them_makes_its_whole_call(self):
        for size in (1 << 20, 16 << 20):
            entries = self.play(size, "mtree", "default")
        self.assertEqual(self.sizes("default"), [1, 8, 16])
        self.assertEqual(entries["default"]["calls_us"], [6.4e6])

    def test_a_shorter_call_that_shows_nothing_is_followed_by_a_longer_one(self):
        self.play(1 << 20, "mtree", "default", "best")
        self.jobs["default"].call_us = 150e3
        entries = self.play(16 << 20, "mtree", "default", "best")
        self.assertEqual(self.sizes("default"), [1, 8, 16])
        self.assertEqual(entries["default"]["calls_us"], [2.4e6])

    def test_a_shorter_call_is_the_least_that_should_suffice(self):
        sizes = [lab.shorter_bytes(16 << 20, ratio) >> 20 for ratio in (1, 2.4, 2.5, 4.9, 5, 10, 100)]
        self.assertEqual(sizes, [16, 16, 8, 8, 4, 2, 2])


@unittest.skipIf(shutil.which("ompi_info") is None, "no Open MPI here")
class Forced(unittest.TestCase):
    def test_each_algorithm_has_its_control_variable(self):
        for num_bytes in (64 << 10, 1 << 20):
            for collective in networks.COLLECTIVES:
                tried = players.forced(collective, num_bytes, 8)
                wanted = players.candidates(collective, num_bytes)[0]
                self.assertLessEqual({label.split()[1] for label, _ in tried}, set(wanted))
                self.assertGreaterEqual(len(tried), 2)
                for label, control in tried:
                    name = f"coll_tuned_{collective}_algorithm"
                    self.assertEqual(control[0], (name, label.split()[0]))


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

    def test_a_page_gets_the_table_between_its_marks(self):
        networks.Cell("b4", "allreduce", 1 << 20).save(self.path, {**LOST, "network": "b4"})
        page = self.path / "page.md"
        some = ("--networks", "b4", "--collectives", "allreduce", "--sizes", "1M", "--page", page)
        page.write_text(f"before\n{table.MARK}\nold\n{table.MARK}\nafter\n")
        for _ in range(2):
            self.assertEqual(self.run_league(*some).returncode, 0)
        text = page.read_text()
        self.assertTrue(text.startswith(f"before\n{table.MARK}\n\n| cell, ms |"))
        self.assertTrue(text.endswith(f"\n\n{table.MARK}\nafter\n"))
        self.assertNotIn("old", text)
        page.write_text("no marks\n")
        done = self.run_league(*some)
        self.assertEqual(done.returncode, 2)
        self.assertIn("page.md: it must have two lines '<!-- the league's table -->'", done.stderr)

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

    def test_what_a_gain_is_at_least(self):
        stopped = {"label": "", "more_than_us": 3e5}
        self.assertEqual(table.gain_text(cell("b4", entry(100), default=entry(250))), "2.50")
        self.assertEqual(table.gain_text(cell("b4", entry(100), default=entry(250), han=stopped)), "2.50")
        self.assertEqual(table.gain_text(cell("b4", entry(100), default=entry(400), han=stopped)), "3.00 to 4.00")
        self.assertEqual(table.gain_text(cell("b4", entry(100), han=stopped)), "> 3.00")

    def test_lines(self):
        text = table.markdown([WON, LOST, WORSE])
        self.assertIn("| star allreduce 1 MB | 200 | 150 | > 600 |", text)
        self.assertIn("| b4 allreduce 1 MB | 125 | 250 |", text)
        self.assertIn("| 500 | failed |", text)
        self.assertIn("| 2.00 | 80% cut |", text)
        self.assertIn("fastest in 1 of 3 cells, median gain 0.75", text)

    def test_failures_are_named_below_the_table(self):
        self.assertIn("- b4 allreduce 1 MB: Gloo failed: 2 wrong\n", table.markdown([WON, LOST]))
        self.assertEqual(table.failures([LOST]), [])

    def test_a_reason_says_who_served_and_what_was_expected(self):
        text = table.reason({**LOST, "report": [CALL]})
        self.assertEqual(
            text,
            "calls: 3 by trees, 2 by Open MPI; its plan was still being made (2); "
            "2.0 times the forecast of 100 ms",
        )

    def test_a_plot_has_a_column_per_player_and_a_dash_where_none_was_measured(self):
        lines = table.plot_table([WON, LOST]).splitlines()
        self.assertEqual(lines[0].split("\t")[:3], ["cell", "mtree", "Open MPI's best"])
        self.assertEqual(lines[1].split("\t")[:4], ["allreduce 1 MB", "80.0", "-", "40.0"])


ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def job_of(case, command, start_seconds=60):
    job = jobs.Job(command, ENVIRONMENT, start_seconds)
    case.addCleanup(job.finish)
    return job


class Jobs(unittest.TestCase):
    def test_one_that_ends_has_failed_and_is_not_started_again(self):
        job = job_of(self, ["false"])
        for _ in range(2):
            with self.assertRaisesRegex(players.compare.RunFailed, "ended early"):
                job.calls(jobs.Task("bcast", 64, 1, 0), 1, 1)
        self.assertIsNone(job.process)

    def test_one_that_does_not_begin_is_not_waited_for_again(self):
        job = job_of(self, ["sleep", "100"], 0.1)
        for _ in range(2):
            with self.assertRaisesRegex(players.compare.RunFailed, "had not begun after 0.1 s"):
                job.calls(jobs.Task("bcast", 64, 1, 0), 1, 1)

    def test_wrong_results(self):
        job = job_of(self, ["sed", "-u", "s/.*/{\"sizes\": [{\"failures\": 2}]}/"])
        with self.assertRaisesRegex(players.compare.RunFailed, "2 results are wrong"):
            job.calls(jobs.Task("bcast", 64, 1, 0), 1, 1)

    @unittest.skipIf(shutil.which("mpirun") is None, "no Open MPI here")
    def test_mtree_bench_carries_out_tasks_until_the_input_ends(self):
        job = job_of(self, ["mpirun", "-n", "3", "./mtree_bench", "--tasks"])
        for collective in networks.COLLECTIVES:
            self.assertEqual(len(job.calls(jobs.Task(collective, 65536, 2, 1), 60, 60)), 2)
            self.assertEqual(len(job.calls(jobs.Task(collective, 65536, 5, 4), 0, 60)), 1)
        for control in ("1", "4"):
            task = jobs.Task("allreduce", 65536, 2, 1, (("coll_tuned_allreduce_algorithm", control),))
            self.assertEqual(len(job.calls(task, 60, 60)), 2)
        process = job.process
        job.finish()
        self.assertEqual(process.returncode, 0)

    def test_tasks_with_the_same_variables_share_a_communicator(self):
        with tempfile.NamedTemporaryFile("r") as told:
            command = f"exec mpirun -n 2 ./mtree_bench --tasks 2>{told.name}"
            job = job_of(self, ["sh", "-c", command])
            job.environment = ENVIRONMENT | {"OMPI_MCA_coll_base_verbose": "10"}
            for control in ("4", "1", "4", "1"):
                control = (("coll_tuned_allreduce_algorithm", control),)
                job.calls(jobs.Task("allreduce", 64, 1, 0, control), 60, 60)
            job.finish()
            made = re.findall(r"new communicator: .* SPLIT FROM", told.read())
        self.assertEqual(len(made), 2 * 2)

    @unittest.skipIf(players.torch_python() is None, "no torch here")
    def test_gloo_carries_them_out_too(self):
        job = job_of(self, players.gloo_command("127.0.0.1"))
        job.environment = ENVIRONMENT | players.gloo_environment("lo")
        for collective in networks.COLLECTIVES:
            self.assertEqual(len(job.calls(jobs.Task(collective, 65536, 2, 1), 60, 60)), 2)
            self.assertEqual(len(job.calls(jobs.Task(collective, 65536, 5, 4), 0, 60)), 1)


if __name__ == "__main__":
    unittest.main()
