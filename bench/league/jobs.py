# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in a lab that make calls as they are told, so that processes start once and not per run.

A job reads tasks, lines of mtree_bench's options, and answers each with a line of its JSON.
"""

import contextlib
import json
import select
import subprocess
from dataclasses import dataclass

from players import compare

END_SECONDS = 30  # that a job may take after its last task
# Seconds of a task besides its calls: once, for each barrier, and per byte to write and to compare.
SPARE, BARRIER, CHECK = 4, 0.2, 1e-7


class TooSlow(compare.RunTooSlow):
    """Calls that had not ended in time."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds  # that the last call takes at least


@dataclass(frozen=True)
class Task:
    """Calls of a collective: some to warm up, then some that are timed; control variables of MPI
    that are set for them."""

    collective: str
    num_bytes: int
    iterations: int
    warmup: int
    control: tuple = ()

    @property
    def calls(self):
        return self.iterations + self.warmup

    def line(self, seconds):
        """None of the calls begins after so many SECONDS, but one is timed."""
        size = f"{self.num_bytes}:{self.num_bytes}"
        calls = f"-i {self.iterations} -x {self.warmup} --limit {seconds:.3f}s"
        # A root that leaves the barrier last would find what the others sent.
        together = " --together" if self.collective == "gather" else ""
        control = "".join(f" --control {name}={value}" for name, value in self.control)
        return f"-t {self.collective} -m {size} {calls} -c --total --json{together}{control}\n"


class Job:
    """A player's processes, from its first task on."""

    def __init__(self, command, environment, start_seconds):
        self.command, self.environment = command, environment
        self.start_seconds = start_seconds  # that it may take to answer for the first time
        self.process = None
        self.has_begun = False
        self.broken = None  # why it does not start

    def calls(self, task, seconds, limit):
        """Microseconds of the slowest rank in each timed call.  None begins after SECONDS, and all
        may take LIMIT seconds before the job is stopped and TooSlow is raised."""
        self.start()
        self.begin()
        around = SPARE + (BARRIER + CHECK * task.num_bytes) * task.calls
        self.tell(task.line(seconds))
        try:
            timing = self.answer(limit + around)
        except compare.RunTooSlow:
            raise TooSlow(limit - (seconds if task.calls > 1 else 0)) from None
        if timing["failures"] != 0:
            raise compare.RunFailed(f"{timing['failures']} results are wrong")
        return timing["calls_us"]

    def start(self):
        """Start the processes where there are none; begin() waits for them."""
        if self.process is not None or self.broken is not None:
            return
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self.environment,
        )
        self.has_begun = False
        self.tell(Task("bcast", 4, 1, 0).line(self.start_seconds))

    def begin(self):
        """Until the job makes calls; RunFailed: it does not."""
        if self.broken is not None:
            raise compare.RunFailed(self.broken)
        if self.has_begun:
            return
        try:
            self.answer(self.start_seconds)
        except compare.RunTooSlow:
            self.broken = f"a job had not begun after {self.start_seconds} s"
            raise compare.RunFailed(self.broken) from None
        except compare.RunFailed as failure:
            self.broken = str(failure)
            raise
        self.has_begun = True

    def tell(self, line):
        # Where it has ended there is no answer to read either.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def answer(self, timeout):
        """What it says of the task that it was told."""
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.stop()
            raise compare.RunTooSlow()
        answer = self.process.stdout.readline()
        if not answer:
            self.stop()
            raise compare.RunFailed("its job ended early, see league.log")
        return json.loads(answer)["sizes"][0]

    def finish(self):
        """No more tasks: it ends as programs do."""
        if self.process is None:
            return
        with contextlib.suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self.process.stdin.close()
            self.process.wait(END_SECONDS)
        self.stop()

    def stop(self):
        # What it did not read is lost.
        with contextlib.suppress(BrokenPipeError), self.process:
            compare.stop(self.process)
        self.process = None
