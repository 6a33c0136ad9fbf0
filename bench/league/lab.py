# SPDX-License-Identifier: BSD-3-Clause
"""Inside a lab: measure the league's cells, each into a file of its own.

lab.py JOB, a JSON object: `network`, `cells` ([collective, bytes]), `build`, `folder`, `players`,
`turns`, `limit` (seconds of a run), `until` (when no cell is begun any more), `where`.  Prints the
name of each cell when it is there; what the jobs say goes to standard error.
"""

import contextlib
import dataclasses
import itertools
import json
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

import players  # noqa: E402
from jobs import Job, Task  # noqa: E402
from networks import Cell  # noqa: E402
from players import SERVES, compare  # noqa: E402

SECONDS_PER_RUN = 0.3  # calls are repeated until a run takes about this long
MOST_CALLS = 10
SCAN_CALLS = 2  # of each of Open MPI's algorithms
# In 30 calls mtree's autotuner has settled, in three connections have gained speed.  Those of long
# calls have it from the shorter ones that came before.
SHORT, SHORT_WARMUP = 0.05, 30  # seconds of a call
WARMUP = 3
LONG, LONG_WARMUP = 0.5, 0
ROUNDED = 64  # bytes that the ranks' equal parts may be short of the size, together
START_SECONDS, GLOO_START_SECONDS = 30, 120  # that a job may take to begin


class Entry:
    """A player's calls in a cell, or why there are none."""

    def __init__(self, label):
        self.label = label
        self.task = None  # its calls, where they are not those of all
        self.calls = []
        self.seconds = 0  # that its runs took, starts and all
        self.more_than = None  # microseconds that a call takes at least: it was stopped
        self.failed = None

    def goes_on(self):
        return self.more_than is None and self.failed is None

    def to_json(self):
        result = {"label": self.label, "seconds": self.seconds}
        if self.failed is not None:
            return result | {"failed": self.failed}
        if self.more_than is not None:
            return result | {"more_than_us": self.more_than}
        figures = {"median": statistics.median, "min": min, "max": max}
        numbers = {f"{name}_us": figure(self.calls) for name, figure in figures.items()}
        return result | numbers | {"calls_us": self.calls}


def calls_of(predicted):
    """Timed calls and warm-up of a run, from the seconds that a call of mtree's should take."""
    calls = round(min(max(SECONDS_PER_RUN / predicted, 1), MOST_CALLS))
    if predicted < SHORT:
        return calls, SHORT_WARMUP
    return calls, WARMUP if predicted < LONG else LONG_WARMUP


class Match:
    """A cell while it is measured: the players in turns."""

    def __init__(self, lab, collective, num_bytes):
        self.lab, self.collective, self.num_bytes = lab, collective, num_bytes
        self.predicted_us = lab.comparison.predicted(collective, num_bytes)
        self.task = Task(collective, num_bytes, *calls_of(self.predicted_us * 1e-6))
        names = [name for name in lab.job["players"] if collective in SERVES.get(name, collective)]
        self.entries = {name: Entry(name) for name in names}

    def patience(self, num_calls, also=()):
        """Seconds after which no more calls begin: players that are hopeless are not waited for."""
        done = [statistics.median(entry.calls) for entry in self.entries.values() if entry.calls]
        hopeless = compare.HOPELESS * min([*done, *also], default=float("inf")) * 1e-6
        return min(hopeless * num_calls, self.lab.job["limit"])

    def find_best(self):
        """Open MPI's fastest algorithm, by a few calls of each: its label, and what forces it.
        RunTooSlow: none was in time."""
        calls = min(self.task.iterations, SCAN_CALLS)
        scan = dataclasses.replace(self.task, iterations=calls, warmup=0)
        found = {}
        for label, control in players.forced(
            self.collective, self.num_bytes, len(self.lab.comparison.hosts)
        ):
            task = dataclasses.replace(scan, control=control)
            with contextlib.suppress(compare.RunTooSlow):
                patience = self.patience(calls, found)
                times = self.lab.jobs["forced"].calls(task, patience, self.lab.job["limit"])
                found[statistics.median(times)] = (label, control)
        if not found:
            raise compare.RunTooSlow()
        return found[min(found)]

    def best_task(self):
        """The calls by the best of Open MPI's algorithms; longer calls are not tried with every one
        where those of this lab were."""
        known = self.lab.best.get(self.collective) if self.num_bytes > players.LONG else None
        self.entries["best"].label, control = found = known or self.find_best()
        if self.num_bytes >= players.LONG:
            self.lab.best[self.collective] = found
        return dataclasses.replace(self.task, control=control)

    def turn(self, name):
        """One run of a player."""
        entry, limit = self.entries[name], self.lab.job["limit"]
        patience = self.patience(self.task.calls)
        began = time.monotonic()
        try:
            task, job = self.task, name
            if name == "best":
                task = entry.task = entry.task or self.best_task()
                job = "forced"
            entry.calls += self.lab.jobs[job].calls(task, patience, limit)
        except compare.RunTooSlow:
            # The last call that was begun had not ended.
            entry.more_than = (limit - (patience if self.task.calls > 1 else 0)) * 1e6
        except compare.RunFailed as failure:
            entry.failed = str(failure)
            compare.note(f"FAILED {self.collective} {self.num_bytes} {name}: {failure}")
        entry.seconds += time.monotonic() - began

    def play(self):
        """All turns; what was measured."""
        started = time.time()
        for _ in range(self.lab.job["turns"]):
            for name, entry in self.entries.items():
                if entry.goes_on():
                    self.turn(name)
        return {
            "network": self.lab.job["network"],
            "collective": self.collective,
            "bytes": self.num_bytes,
            "ranks": len(self.lab.comparison.hosts),
            "bound_bps": self.lab.comparison.bound(self.collective),
            "predicted_us": self.predicted_us,
            "calls_per_run": self.task.iterations,
            "turns": self.lab.job["turns"],
            "players": {name: entry.to_json() for name, entry in self.entries.items()},
            "report": [],
            "began": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(started)),
            "seconds": time.time() - started,
            "where": self.lab.job["where"],
        }


class Lab:
    """The lab that we are in, and the players' jobs there."""

    def __init__(self, job, report):
        self.job, self.report = job, report
        options = compare.parse_arguments([job["network"], "--build", job["build"]])
        # What one cell measures to be fastest is not for the next one.
        options.mca.append(("coll_mtree_cache_days", "0"))
        self.comparison = players.Comparison(options, compare.lab_topology())
        self.best = {}  # {collective: (label, control)} of the algorithms for long calls
        self.jobs = {variant.label: self.new_job(variant) for variant in self.variants()}
        command = players.gloo_command(socket.gethostname())
        gloo = self.comparison.environment() | players.gloo_environment("netlab")
        self.jobs["gloo"] = Job(command, gloo, GLOO_START_SECONDS)

    def new_job(self, variant):
        command = [*self.comparison.launch(variant), "--tasks"]
        return Job(command, self.comparison.environment(), START_SECONDS)

    def variants(self):
        """Players that run mtree_bench."""
        mtree = self.comparison.mtree_variant()
        mtree.parameters.append(("coll_mtree_report", str(self.report)))
        yield from (mtree, compare.default_variant())
        yield from map(players.component_variant, players.COMPONENTS)
        yield from self.comparison.mpich_variants()
        yield players.forced_variant()

    def measure(self, cells):
        """The cells of one collective.  mtree's job ends with them, and its report says who served
        their calls."""
        measured = {}
        for cell in cells:
            if time.time() > self.job["until"]:
                break
            measured[cell] = Match(self, cell.collective, cell.num_bytes).play()
            cell.save(Path(self.job["folder"]), measured[cell])
            print(cell.name, flush=True)
        self.jobs["mtree"].finish()
        calls = self.take_report()
        for cell, result in measured.items():
            result["report"] = [call for call in calls if counts(call, cell)]
            cell.save(Path(self.job["folder"]), result)

    def take_report(self):
        """What mtree's last job says of its calls."""
        try:
            report = json.loads(self.report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        self.report.unlink()
        return [call for group in report["communicators"] for call in group["calls"]]

    def finish(self):
        for job in self.jobs.values():
            job.finish()


def counts(call, cell):
    """Is this record of mtree's report about calls of the cell?"""
    is_size = call["bytes_from"] <= cell.num_bytes < call["bytes_to"] + ROUNDED
    return call["function"] == cell.collective and is_size


def main():
    job = json.loads(sys.argv[1])
    cells = [Cell(job["network"], collective, num_bytes) for collective, num_bytes in job["cells"]]
    with tempfile.TemporaryDirectory(prefix="mtree_league_") as folder:
        lab = Lab(job, Path(folder) / "report.json")
        try:
            for _, group in itertools.groupby(cells, lambda cell: cell.collective):
                lab.measure(list(group))
        finally:
            lab.finish()


if __name__ == "__main__":
    main()
