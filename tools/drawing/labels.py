# SPDX-License-Identifier: BSD-3-Clause
"""Where the labels of a map's lines go.  Graphviz draws each label with its line, so that later lines run through it, and
lets labels overlap.  Here labels lie on their lines, above all lines, and apart from each other where there is room.  Places
are in points."""

import bisect
import math

# Half the width of a letter, half the height of a line.
HALF_LETTER, HALF_LINE = 2.4, 5.5
# Between a label and a line that it stands beside.
ASIDE = [2.0 + 5.0 * step for step in range(7)]
MOST_HIDDEN = 0.5  # the part of its line that a label may hide
SAMPLES = 40  # points of a line that a label is compared with
# Where the middle of a label can be on its line, the best first.
PARTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8)


def read_places(text):
    return [complex(*map(float, pair.split(","))) for pair in text.partition(";")[0].split()]


def along(line, part):
    """The point at a part of the length of a line, 0 to 1."""
    at = part * (len(line) - 1)
    first = min(int(at), len(line) - 2)
    return line[first] + (at - first) * (line[first + 1] - line[first])


class Paper:
    """What no label may cover, boxes (middle, half of width and height), and points of lines, by their height."""

    def __init__(self, nodes, lines):
        self.taken = [(*read_places(node["pos"]), 36 * complex(float(node["width"]), float(node["height"]))) for node in nodes]
        self.points = sorted((along(line, i / SAMPLES) for line in lines for i in range(SAMPLES + 1)), key=lambda point: point.imag)
        self.heights = [point.imag for point in self.points]

    def is_free(self, middle, half):
        return all(abs((middle - other).real) > (half + wide).real or abs((middle - other).imag) > (half + wide).imag
                   for other, wide in self.taken)

    def is_off_lines(self, middle, half):
        first = bisect.bisect_left(self.heights, (middle - half).imag)
        last = bisect.bisect_right(self.heights, (middle + half).imag)
        return all(abs((point - middle).real) > half.real for point in self.points[first:last])

    def on_line(self, line, half, most):
        """Free places on the line, the nearest to its middle first, if the label hides at most a part of it."""
        whole = line[-1] - line[0]
        if 2 * half.real <= most * abs(whole.real) or 2 * half.imag <= most * abs(whole.imag):
            yield from (along(line, part) for part in PARTS if self.is_free(along(line, part), half))

    def beside(self, line, half, aside):
        """Free places on the line's sides, so many points from it and off all lines."""
        whole = line[-1] - line[0]
        across = 1j * whole / max(abs(whole), 1e-9)
        far = half.real * abs(across.real) + half.imag * abs(across.imag) + aside
        for part in PARTS:
            for side in (-1, 1):
                middle = along(line, part) + side * far * across
                if self.is_free(middle, half) and self.is_off_lines(middle, half):
                    yield middle

    def place(self, line, half):
        """On the line where enough of it stays to be seen, else as near to it as there is room, else anywhere on it."""
        def places():
            yield from self.on_line(line, half, MOST_HIDDEN)
            for aside in ASIDE:
                yield from self.beside(line, half, aside)
            yield from self.on_line(line, half, math.inf)
        return next(places(), along(line, 0.5))


def label_nodes(drawn):
    """Nodes of DOT, for the engine "nop2", of what Graphviz has drawn, as its JSON."""
    edges = [(read_places(edge["pos"]), edge.get("maplabel")) for edge in drawn.get("edges", ()) if "pos" in edge]
    paper = Paper(drawn["objects"], [line for line, _ in edges])
    nodes = []
    for line, text in edges:
        if text:
            rows = text.split("<br/>")
            half = complex(HALF_LETTER * max(map(len, rows)), HALF_LINE * len(rows))
            middle = paper.place(line, half)
            paper.taken.append((middle, half))
            nodes.append(f'  label{len(nodes)} [label=<{text}> pos="{middle.real:.2f},{middle.imag:.2f}" shape=plain'
                         ' fontsize=8 fontcolor="#333333"];\n')
    return "".join(nodes)
