# SPDX-License-Identifier: BSD-3-Clause
"""Inside a lab: measure the league's cells, each into a file of its own.

lab.py JOB, a JSON object: `network`, `cells` ([collective, bytes]), `build`, `folder`, `players`,
`turns`, `limit` (seconds of a run), `until` (when no cell is begun any more), `where`.  Prints the
name of each cell when it is there; what the runs say goes to standard error.
"""

import json
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

import players  # noqa: E402
from networks import Cell  # noqa: E402
from players import SERVES, compare  # noqa: E402

SECONDS_PER_RUN = 0.3  # calls are repeated until a run takes about this long
MOST_CALLS = 10
SCAN_CALLS = 2  # of each of Open MPI's algorithms
# In 30 calls mtree's autotuner has settled, in three connections have gained speed.
SHORT, SHORT_WARMUP = 0.05, 30  # seconds of a call
WARMUP = 3
LONG, LONG_WARMUP = 1, 1
SPARE_SECONDS, SPARE = 1, 2  # what a job's start may take beside what one took
START_SECONDS = 30  # that the first one may take


class Entry:
    """A player's calls in a cell, or why there are none."""

    def __init__(self, label, failed=None):
        self.label = label
        self.calls = []
        self.seconds = 0  # that its runs took, starts and all
        self.more_than = None  # microseconds that a call takes at least: it was stopped
        self.failed = failed

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
        self.calls, self.warmup = calls_of(self.predicted_us * 1e-6)
        self.variants = lab.variants()
        names = [name for name in lab.job["players"] if collective in SERVES.get(name, collective)]
        self.entries = {name: Entry(name, lab.broken.get(name)) for name in names}

    def limit(self):
        """Seconds that calls of a run may take: players that are hopeless are not waited for."""
        done = [statistics.median(entry.calls) for entry in self.entries.values() if entry.calls]
        hopeless = compare.HOPELESS * min(done, default=float("inf")) * 1e-6
        return min(hopeless * (self.calls + self.warmup), self.lab.job["limit"])

    def known_best(self, size):
        """Open MPI's algorithm that was the fastest with fewer bytes, or None."""
        cell = Cell(self.lab.job["network"], self.collective, size)
        measured = cell.load(Path(self.lab.job["folder"])) or {"players": {}}
        label = measured["players"].get("best", {}).get("label")
        known = players.forced(self.collective, size, self.lab.comparison.num_ranks)
        return next((variant for variant in known if variant.label == label), None)

    def find_best(self):
        """The fastest of Open MPI's algorithms in one forced run each; RunTooSlow: none was."""
        options, size = self.lab.options, self.num_bytes
        options.algorithms, options.segments = players.candidates(self.collective, size)
        best_us = self.limit() / compare.HOPELESS / (self.calls + self.warmup) * 1e6
        calls = min(self.calls, SCAN_CALLS)
        found, _ = self.lab.comparison.scan(self.collective, size, calls, 0, best_us)
        if not found:
            raise compare.RunTooSlow()
        return found[0]

    def choose_best(self):
        """Long calls are not tried with every algorithm where shorter ones were."""
        known = self.known_best(players.LONG) if self.num_bytes > players.LONG else None
        best = known or self.find_best()
        self.entries["best"].label = best.label
        return best

    def run(self, name, seconds):
        """Microseconds of the calls of one run."""
        if name == "gloo":
            task = {"collective": self.collective, "bytes": self.num_bytes}
            task |= {"iterations": self.calls, "warmup": self.warmup}
            return self.lab.gloo.calls(self.lab.comparison.environment(), task, seconds)
        if name == "best" and name not in self.variants:
            self.variants[name] = self.choose_best()
        variant = self.variants[name]
        task = (self.collective, self.num_bytes, self.calls, self.warmup)
        self.lab.comparison.run(variant, *task, seconds + self.lab.startup(name))
        return variant.calls[-1]

    def turn(self, name):
        """One run of a player."""
        entry, seconds = self.entries[name], self.limit()
        began = time.monotonic()
        try:
            entry.calls += self.run(name, seconds)
        except compare.RunTooSlow:
            entry.more_than = seconds / (self.calls + self.warmup) * 1e6
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
            "ranks": self.lab.comparison.num_ranks,
            "bound_bps": self.lab.comparison.bound(self.collective),
            "predicted_us": self.predicted_us,
            "calls_per_run": self.calls,
            "turns": self.lab.job["turns"],
            "players": {name: entry.to_json() for name, entry in self.entries.items()},
            "report": self.lab.report_calls(self.collective, self.num_bytes),
            "began": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(started)),
            "seconds": time.time() - started,
            "where": self.lab.job["where"],
        }


class Lab:
    """The lab that we are in, and what runs there."""

    def __init__(self, job, report):
        self.job, self.report = job, report
        self.options = compare.parse_arguments([job["network"], "--build", job["build"], "--quick"])
        # What one cell measures to be fastest is not for the next one.
        self.options.mca.append(("coll_mtree_cache_days", "0"))
        self.comparison = players.Comparison(self.options, compare.lab_topology())
        self.gloo = players.Gloo("netlab", socket.gethostname())
        self.broken = {}  # players that do not start here, and why
        self.comparison.startup_seconds = self.time_start("default")
        plays = any(name in players.MPICH for name in job["players"])
        self.mpich_seconds = self.time_start("mpich") if plays else 0

    def time_start(self, name):
        """Seconds to allow for the start and the end of a job: more than one took just now."""
        began = time.monotonic()
        try:
            self.comparison.run(self.variants()[name], "bcast", 4, 1, 0, START_SECONDS)
        except compare.RunTooSlow:
            self.broken[name] = f"a job had not begun after {START_SECONDS} s"
        except compare.RunFailed as failure:
            self.broken[name] = str(failure)
        return SPARE_SECONDS + SPARE * (time.monotonic() - began)

    def startup(self, name):
        """Seconds to allow for the start of a player's job; Gloo's runs already."""
        mpich = name in players.MPICH
        return self.mpich_seconds if mpich else self.comparison.startup_seconds

    def variants(self):
        """What mpirun starts, but for the best of Open MPI's, which is looked for in each cell."""
        mtree = self.comparison.mtree_variant()
        mtree.parameters.append(("coll_mtree_report", str(self.report)))
        return {
            "mtree": mtree,
            "default": compare.default_variant(),
            "han": players.component_variant("han"),
            "adapt": players.component_variant("adapt"),
            **self.comparison.mpich_variants(),
        }

    def report_calls(self, collective, num_bytes):
        """What mtree's last job says of such calls: who served them, and why."""
        try:
            report = json.loads(self.report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        calls = [call for group in report["communicators"] for call in group["calls"]]
        return [
            call
            for call in calls
            if call["function"] == collective and call["bytes_from"] <= num_bytes < call["bytes_to"]
        ]


def main():
    job = json.loads(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="mtree_league_") as folder:
        lab = Lab(job, Path(folder) / "report.json")
        try:
            for collective, num_bytes in job["cells"]:
                if time.time() > job["until"]:
                    break
                measured = Match(lab, collective, num_bytes).play()
                cell = Cell(job["network"], collective, num_bytes)
                cell.save(Path(job["folder"]), measured)
                print(cell.name, flush=True)
        finally:
            lab.gloo.stop()


if __name__ == "__main__":
    main()
