# SPDX-License-Identifier: BSD-3-Clause
"""The calls of a report over time, as SVG with a legend."""

import itertools
import math

import calls as of_calls
from scene import escape, size, time

# Sizes in the units of the picture, which scales to the page.
WIDTH = 1080
LEFT = 210  # room for the names of the lanes
LANE, HEAD, FOOT, BAR = 26, 8, 26, 16
LEAST = 1.2  # of a bar, to be seen at all
TICKS = 8
# The class of a bar by the backend that served, in the component's numbering.
CLASSES = ("trees", "openmpi")


def step_of(length):
    """The next of 1, 2, 5, 10 ... that makes at most TICKS steps of a length."""
    step = 10 ** math.floor(math.log10(length / TICKS))
    return step * next((times for times in (1, 2, 5) if length / TICKS / step <= times), 10)


def write_timeline(report):
    groups = [group["calls"] for group in report["communicators"]]
    length = max(report.get("elapsed_s", 0), 1e-6)
    lanes = [of_calls.name(calls) for calls in of_calls.lines(report)]
    scale, bottom = (WIDTH - LEFT - 30) / length, HEAD + LANE * len(lanes)
    yield f'<svg viewBox="0 0 {WIDTH} {bottom + FOOT}" role="img" aria-label="Timeline of the calls">\n'
    for lane, name in enumerate(lanes):
        top = HEAD + LANE * lane
        yield (f'<text x="{LEFT - 12}" y="{top + BAR - 2:.1f}" text-anchor="end">{escape(name)}</text><line class="axis" '
               f'x1="{LEFT}" x2="{WIDTH}" y1="{top + LANE - 4:.1f}" y2="{top + LANE - 4:.1f}"/>\n')
    step = step_of(length)
    for tick in itertools.takewhile(lambda tick: tick * step <= length, itertools.count()):
        x = LEFT + scale * tick * step
        yield (f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD - 4}" y2="{bottom + 4:.1f}"/><text x="{x:.1f}" '
               f'y="{bottom + 18:.1f}" text-anchor="middle">{time(tick * step) if tick else 0}</text>\n')
    for begin, seconds, moved, backend, group, line in report.get("timeline", ()):
        if 0 <= backend < len(CLASSES):
            lane = max(line, 0) + sum(map(len, groups[:group]))
            yield (f'<rect class="{CLASSES[backend]}" x="{LEFT + scale * begin:.2f}" y="{HEAD + LANE * lane + 2:.1f}" '
                   f'width="{max(scale * seconds, LEAST):.2f}" height="{BAR}" rx="1.5"><title>{size(moved)}, {time(seconds)}, at '
                   f"{time(begin)}</title></rect>\n")
    yield ('</svg>\n<div class="keys"><span><i class="trees"></i>mtree over trees</span><span><i class="openmpi"></i>'
           "Open MPI</span>")
    lost = report.get("totals", {}).get("timeline_lost", 0)
    if lost > 0:
        yield f"<span>the last {len(report['timeline'])} calls; {lost} earlier ones are not kept</span>"
    yield "</div>\n"
