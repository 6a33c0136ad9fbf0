# SPDX-License-Identifier: BSD-3-Clause
"""Inside a lab: measure the league's cells, each into a file of its own.

lab.py JOB, a JSON object: `network`, `cells` ([collective, bytes]), `build`, `folder`, `players`,
`turns`, `limit` (seconds of a run), `until` (when no cell is begun any more), `where`.  Prints the
name of each cell when it is there; what the jobs say goes to standard error.
"""

import contextlib
import dataclasses
import json
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

import players  # noqa: E402
import table  # noqa: E402
from jobs import Job, Task, TooSlow  # noqa: E402
from networks import Cell  # noqa: E402
from players import SERVES, compare  # noqa: E402

SECONDS_PER_RUN = 0.3  # calls are repeated until a run takes about this long
MOST_CALLS = 10
SCAN_CALLS = 2  # of each of Open MPI's algorithms; one where Open MPI's default is hopeless,
SCAN_PART = 4  # and this part of the bytes
CALLS_TO_JUDGE = 2  # whether a player is hopeless, where calls are not short
# In 30 calls mtree's plan is there, in three connections have gained speed.  Those of long
# calls have it from the shorter ones that came before.
SHORT, SHORT_WARMUP = 0.05, 30  # seconds of a call
WARMUP = 3
LONG, LONG_WARMUP = 0.5, 0
ROUNDED = 64  # bytes that the ranks' equal parts may be short of the size, together
PROVEN = 1.25  # times the fastest's call that a shorter one should take
START_SECONDS, GLOO_START_SECONDS = 60, 120  # that a job may take to begin


class Entry:
    """A player's calls in a cell, or why there are none."""

    def __init__(self, label):
        self.label = label
        self.task = None  # its calls, where they are not those of all
        self.calls = []
        self.seconds = 0  # that its runs took, starts and all
        self.more_than = None  # microseconds that a call takes at least
        self.shorter = None  # bytes of the call that took so long, where it was a shorter one
        self.failed = None

    def goes_on(self):
        return self.more_than is None and self.failed is None

    def to_json(self):
        result = {"label": self.label, "seconds": self.seconds}
        if self.failed is not None:
            return result | {"failed": self.failed}
        if self.more_than is not None:
            shorter = {} if self.shorter is None else {"of_bytes": self.shorter}
            return result | {"more_than_us": self.more_than} | shorter
        figures = {"median": statistics.median, "min": min, "max": max}
        numbers = {f"{name}_us": figure(self.calls) for name, figure in figures.items()}
        return result | numbers | {"calls_us": self.calls}


def calls_of(predicted):
    """Timed calls and warm-up of a run, from the seconds that a call of mtree's should take."""
    calls = round(min(max(SECONDS_PER_RUN / predicted, 1), MOST_CALLS))
    if predicted < SHORT:
        return calls, SHORT_WARMUP
    return calls, WARMUP if predicted < LONG else LONG_WARMUP


def shorter_bytes(num_bytes, ratio):
    """The least part of a call that should take PROVEN times as long as the fastest's whole call,
    by a player that takes RATIO times as long.  All of it where that is no small part."""
    shorter = num_bytes
    while shorter > 2 * players.LONG and shorter * ratio >= 2 * PROVEN * num_bytes:
        shorter //= 2
    return shorter


class Match:
    """A cell while it is measured: the players in turns."""

    def __init__(self, lab, collective, num_bytes):
        self.lab, self.collective, self.num_bytes = lab, collective, num_bytes
        # The cell that shows which algorithm and players are fast, where this one's calls are long.
        self.before = lab.measured(collective, players.LONG) if num_bytes > players.LONG else None
        self.predicted_us = lab.comparison.predicted(collective, num_bytes)
        self.task = Task(collective, num_bytes, *calls_of(self.predicted_us * 1e-6))
        names = [name for name in lab.job["players"] if collective in SERVES.get(name, collective)]
        self.entries = {name: Entry(name) for name in names}

    def hopeless(self, also=()):
        """Seconds of a call from which on a player is hopeless."""
        done = [statistics.median(entry.calls) for entry in self.entries.values() if entry.calls]
        return compare.HOPELESS * min([*done, *also], default=float("inf")) * 1e-6

    def patience(self, num_calls, also=()):
        """Seconds after which no more calls begin: players that are hopeless are not waited for."""
        return min(self.hopeless(also) * num_calls, self.lab.job["limit"])

    def find_best(self):
        """Open MPI's fastest algorithm, by a few calls of each: its label, and what forces it.
        TooSlow: none was in time."""
        calls, num_bytes = min(self.task.iterations, SCAN_CALLS), self.num_bytes
        default = self.entries.get("default")
        if default is not None and default.calls and default.calls[-1] > self.hopeless() * 1e6:
            calls, num_bytes = 1, num_bytes // SCAN_PART
        scan = dataclasses.replace(self.task, num_bytes=num_bytes, iterations=calls, warmup=0)
        found, job = {}, self.lab.job_of("best")
        for label, control in players.forced(
            self.collective, self.num_bytes, len(self.lab.comparison.hosts)
        ):
            task = dataclasses.replace(scan, control=control)
            with contextlib.suppress(TooSlow):
                patience = self.patience(calls, found)
                times = job.calls(task, patience, self.lab.job["limit"])
                found[statistics.median(times)] = (label, control)
        if not found:
            raise TooSlow(self.lab.job["limit"])
        return found[min(found)]

    def known_best(self):
        """The algorithm that was fastest in the cell of shorter calls, or None."""
        label = self.before and self.before["players"].get("best", {}).get("label")
        num_ranks = len(self.lab.comparison.hosts)
        tried = players.forced(self.collective, self.num_bytes, num_ranks)
        return next((each for each in tried if each[0] == label), None)

    def best_task(self):
        """The calls by the best of Open MPI's algorithms; longer calls are not tried with every one
        where shorter ones were."""
        self.entries["best"].label, control = self.known_best() or self.find_best()
        return dataclasses.replace(self.task, control=control)

    def is_slower(self, name, job, task):
        """Has a shorter call shown that the player is slower than the fastest?"""
        shorter, fastest = self.num_bytes, self.hopeless() / compare.HOPELESS
        if self.before is not None and name not in table.OURS:
            shorter = shorter_bytes(self.num_bytes, table.times_the_fastest(self.before, name))
        entry, limit = self.entries[name], self.lab.job["limit"]
        while shorter < self.num_bytes:
            task = dataclasses.replace(task, num_bytes=shorter, iterations=1, warmup=0)
            seconds = job.calls(task, limit, limit)[0] * 1e-6
            if seconds > fastest:
                entry.more_than, entry.shorter = seconds * 1e6, shorter
                return True
            shorter *= 2
        return False

    def calls(self, job, task):
        """The calls of a run.  Where the first two show that the player is hopeless, and are not
        short, the second one alone."""
        hopeless, limit = self.hopeless(), self.lab.job["limit"]
        if task.warmup >= CALLS_TO_JUDGE and hopeless < float("inf"):
            first = dataclasses.replace(task, iterations=CALLS_TO_JUDGE, warmup=0)
            times = job.calls(first, limit / 2, limit)
            if min(times) * 1e-6 > max(hopeless, SHORT):
                return times[-1:]
            task = dataclasses.replace(task, warmup=task.warmup - CALLS_TO_JUDGE)
        return job.calls(task, self.patience(task.calls), limit)

    def turn(self, name, whole=False):
        """One run of a player; WHOLE: without shorter calls before."""
        entry = self.entries[name]
        began = time.monotonic()
        try:
            task, job = self.task, self.lab.job_of(name)
            if name == "best":
                task = entry.task = entry.task or self.best_task()
            if whole or not self.is_slower(name, job, task):
                entry.calls += self.calls(job, task)
        except TooSlow as slow:
            entry.more_than = slow.seconds * 1e6
        except compare.RunFailed as failure:
            entry.failed = str(failure)
            compare.note(f"FAILED {self.collective} {self.num_bytes} {name}: {failure}")
        entry.seconds += time.monotonic() - began

    def add_rival(self):
        """Where no other player made its whole call, the one that should be the fastest makes it,
        so that the gain is known; if it should end in half the time that a run may take."""
        others = {name: entry for name, entry in self.entries.items() if name not in table.OURS}
        if any(entry.calls for entry in others.values()):
            return
        whole = {
            name: entry.more_than * self.num_bytes / entry.shorter
            for name, entry in others.items()
            if entry.shorter is not None
        }
        name = min(whole, key=whole.get, default=None)
        if name is not None and whole[name] < self.lab.job["limit"] / 2 * 1e6:
            self.entries[name].more_than = self.entries[name].shorter = None
            self.turn(name, whole=True)

    def play(self):
        """All turns; what was measured."""
        started = time.time()
        for _ in range(self.lab.job["turns"]):
            for name, entry in self.entries.items():
                if entry.goes_on():
                    self.turn(name)
            self.add_rival()
        return {
            "network": self.lab.job["network"],
            "collective": self.collective,
            "bytes": self.num_bytes,
            "ranks": len(self.lab.comparison.hosts),
            **self.lab.comparison.bound(self.collective, self.num_bytes),
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
        self.folder = Path(job["folder"])
        self.begun = []  # cells that were measured in this lab
        options = compare.parse_arguments([job["network"], "--build", job["build"]])
        # What one cell measures to be fastest is not for the next one.
        options.mca.append(("coll_mtree_cache_days", "0"))
        self.comparison = players.Comparison(options, compare.lab_topology())
        self.jobs = {variant.label: self.new_job(variant) for variant in self.variants()}
        command = players.gloo_command(socket.gethostname())
        gloo = self.comparison.environment() | players.gloo_environment("netlab")
        self.jobs["gloo"] = Job(command, gloo, GLOO_START_SECONDS)

    def job_of(self, name):
        """The job that makes a player's calls."""
        return self.jobs["forced" if name == "best" else name]

    def start(self):
        """All jobs at once: most of what each takes is waiting for far hosts."""
        wanted = {collective for collective, _ in self.job["cells"]}
        jobs = [
            self.job_of(name)
            for name in self.job["players"]
            if wanted.intersection(SERVES.get(name, wanted))
        ]
        for job in jobs:
            job.start()
        for job in jobs:
            with contextlib.suppress(compare.RunFailed):
                job.begin()

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

    def cell(self, collective, num_bytes):
        return Cell(self.job["network"], collective, num_bytes)

    def measured(self, collective, num_bytes):
        """What was measured of that cell, now or before, or None."""
        return self.cell(collective, num_bytes).load(self.folder)

    def measure(self):
        """All cells, while there is time."""
        for collective, num_bytes in self.job["cells"]:
            if time.time() > self.job["until"]:
                break
            cell = self.cell(collective, num_bytes)
            cell.save(self.folder, Match(self, collective, num_bytes).play())
            self.begun.append(cell)
            print(cell.name, flush=True)

    def add_reports(self):
        """mtree's job ends, and its report says who served the calls of each cell."""
        self.jobs["mtree"].finish()
        calls = self.take_report()
        for cell in self.begun:
            report = [call for call in calls if counts(call, cell)]
            cell.save(self.folder, cell.load(self.folder) | {"report": report})

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
    with tempfile.TemporaryDirectory(prefix="mtree_league_") as folder:
        lab = Lab(json.loads(sys.argv[1]), Path(folder) / "report.json")
        try:
            lab.start()
            lab.measure()
            lab.add_reports()
        finally:
            lab.finish()


if __name__ == "__main__":
    main()
