# SPDX-License-Identifier: BSD-3-Clause
"""What the links of a running job carry, since the last look at its report."""

import json
import math
import os
import signal
import subprocess
import sys
import time as clock

import sentences
from scene import rate, time
from values import at, elements, member, number, printable

BAR = 30  # letters
STALE_SECONDS = 5.0  # a file that was not written for this long, and for three looks, is stale


def say(text):
    print(text, flush=True)


class Flow:
    """A direction of a link.  What is counted when a call begins, and what the network still holds, makes short times look like
    more than the capacity; that is shown where the map is said to be wrong, and the capacity elsewhere."""

    def __init__(self, arc, sent, seconds, is_wrong):
        self.name, self.capacity, self.gave = arc.name, arc.number("capacity_bps"), arc.number("gave_bps")
        self.rate = 8 * max(sent, 0) / max(seconds, 1e-3)
        self.most = math.inf if is_wrong else self.capacity
        self.used = int(100 * min(self.rate, self.most) / self.capacity + 0.5) if self.capacity > 0 else 0

    def shown(self, value):
        """ "40 Mb/s", or ">40 Mb/s" where there was more than is shown."""
        return rate(value) if value <= self.most else ">" + rate(self.most)

    def line(self):
        full = min(self.used, 100) * BAR // 100
        return (f"  {self.name:24} {self.shown(self.rate):>10} {self.used:5} %  {'#' * full}{'.' * (BAR - full)}"
                + (f"  {self.shown(self.gave):>10}" if self.gave > 0 else ""))


def topology_lines(report, place, before, seconds, most):
    """The fullest first; those shown as equally full keep the file's order in all frames."""
    network, earlier = (at(one, "topologies", place) for one in (report, before))
    sent = [arc.number("bytes") for arc in sentences.arcs(earlier)]
    arcs = sentences.arcs(network)
    flows = [Flow(arc, arc.number("bytes") - was, seconds, member(network, "disagrees") is True)
             for arc, was in zip(arcs, sent + [0] * len(arcs))]
    yield sentences.topology(network)
    yield f"  {'direction':24} {'carries':>10} {'used':>7}  {'':{BAR}}  {'when full':>10}"
    yield from (flow.line() for flow in sorted(flows, key=lambda flow: -flow.used)[:most])
    yield from filter(None, [sentences.disagreement(report, place, network)])


def frame(report, before, most):
    seconds = number(report, "elapsed_s") - number(before, "elapsed_s")
    yield sentences.job(report)
    yield sentences.served(report)
    for place in range(len(elements(report, "topologies"))):
        yield from topology_lines(report, place, before, seconds, most)


def read(path):
    """None: it cannot be, which mtree has told."""
    run = subprocess.run([os.environ["MTREE"], "report", "--json", "--", path], stdout=subprocess.PIPE, check=False)
    return printable(json.loads(run.stdout)) if run.returncode == 0 else None


def is_awaited(path, look):
    """Is the file not there yet?  At the first look one line says so."""
    is_missing = path != "-" and not os.path.exists(path)
    if is_missing and look == 0:
        say(f"{path} is not there yet; a job writes it after a call, with coll_mtree_report and coll_mtree_report_live")
    return is_missing


def follow(path, delay, frames, links):
    """@a frames looks, 0: until the job ends, and so many directions of links, as the options of mtree top give them; "": not given."""
    for ending in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(ending, signal.SIG_DFL)
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    delay, frames, links, before, silent, look = float(delay or 1), int(frames or 0), int(links or 20), None, 0, 0
    while (frames == 0 or look < frames) and member(before, "complete") is not True:
        if look > 0:
            clock.sleep(delay)
        look += 1
        if before is None and is_awaited(path, look - 1):
            continue
        report = read(path)
        if report is None:
            return 1
        if before is not None and number(report, "elapsed_s") == number(before, "elapsed_s"):
            limit, was, silent = max(STALE_SECONDS, 3 * delay), silent, silent + delay
            if was < limit <= silent:
                # The file is written after calls, so the job computes, hangs or is gone.
                say(f"{path} has not been written for {time(silent)}: the job calls no collectives, or it is gone")
            continue
        say(("\033[H\033[2J" if sys.stdout.isatty() else "") + "\n".join(frame(report, before, links)))
        before, silent = report, 0
    return 1 if before is None else 0
