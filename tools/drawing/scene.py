# SPDX-License-Identifier: BSD-3-Clause
"""What a map shows: a network with the place of each vertex and the use of each direction of its links, and trees.  Places
are complex numbers: inches on paper, the imaginary part upwards."""

import html

# After Okabe and Ito, whose colours most people can distinguish, and bright enough for a white and for a dark page.
COLOURS = ("#D55E00", "#0097D6", "#009E73", "#CC79A7", "#E69F00", "#8A63D2", "#B5179E", "#6AA121", "#C0392B", "#3F8F8B",
           "#A6761D", "#7F7F7F")
WHOLE = 1e-9  # a number so near to a whole one is written without decimals


class Link:
    def __init__(self, number, link, numbers, trees):
        self.u, self.v = numbers[link["from"]], numbers[link["to"]]
        self.capacity, self.latency = link.get("capacity_bps", (0, 0)), link.get("latency_s", 0)
        self.use, self.bytes = link.get("use", (0, 0)), link.get("bytes", (0, 0))
        self.trees = [t for t, tree in enumerate(trees) if tree.arcs & {2 * number, 2 * number + 1}]  # those that cross it
        self.most_used = min(max(self.use), 1)


class Tree:
    """A tree of a plan, in the words of a legend."""

    def __init__(self, tree, vertex):
        self.root, self.vertex, self.arcs = tree["root"], vertex, set(tree["arcs"])
        self.rate, self.share, self.height = rate(tree["rate_bps"]), f"{100 * tree['share']:.1f} %", self.height_of(tree)

    @staticmethod
    def height_of(tree):
        """ "3 hops, 11.1 ms" from the root to the farthest leaf."""
        above = {below: (parent, latency) for (parent, below), latency in zip(tree["edges"], tree["latency_s"])}
        hops, depth = 0, 0
        for node in above:
            way = []
            while node in above:
                node, latency = above[node]
                way.append(latency)
            hops, depth = max(hops, len(way)), max(depth, sum(way))
        return f"{hops} hop{'' if hops == 1 else 's'}" + (f", {time(depth)}" if depth > 0 else "")


def summarise(plan):
    """What a plan achieves."""
    part = f", {100 * plan['throughput_bps'] / plan['bound_bps']:.1f} % of the bound" if plan["bound_bps"] > 0 else ""
    return f"{plan['collective']}, {rate(plan['throughput_bps'])}{part}"


class Scene:
    def __init__(self, network, plan=None, vertices=()):
        """A network as a report has it, and a plan, if any, with the arcs of its trees and the vertices of its hosts."""
        self.name, self.vertices = network["name"], network["vertices"]
        numbers = {vertex["name"]: number for number, vertex in enumerate(self.vertices)}
        self.trees = [Tree(tree, vertices[plan["hosts"].index(tree["root"])]) for tree in plan["trees"]] if plan else []
        self.summary = plan and summarise(plan)
        self.links = [Link(number, link, numbers, self.trees) for number, link in enumerate(network["links"])]
        self.places = [0j] * len(self.vertices)
        capacities = {capacity for link in self.links for capacity in link.capacity}
        self.largest, self.is_uniform = max(capacities, default=0), len(capacities) < 2


def colour(number):
    """That of a tree of a plan; they recur."""
    return COLOURS[number % len(COLOURS)]


def width(part, least, most):
    """A line's, for a part of what is widest."""
    return least + (most - least) * part


def bounds(places):
    """The box around them: its lower left corner, its upper right one."""
    across, up = [place.real for place in places], [place.imag for place in places]
    return complex(min(across), min(up)), complex(max(across), max(up))


def escape(text):
    return html.escape(text, quote=False).replace('"', "&quot;")


def scaled(value, units, step):
    unit = 0
    while unit + 1 < len(units) and value >= 0.9995 * step:
        value, unit = value / step, unit + 1
    whole = value >= 99.95 or abs(value - round(value)) <= WHOLE * value
    return f"{value:.{0 if whole else 1 if value >= 9.995 else 2}f} {units[unit]}"


# As base/units.h writes them.


def rate(value):
    return scaled(value, ("b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"), 1000)


def time(seconds):
    return scaled(seconds * 1e6, ("us", "ms", "s"), 1000)


def size(value):
    return scaled(value, ("B", "KB", "MB", "GB", "TB"), 1024)


def both(there, back, text, between):
    """There and back, once if they are the same."""
    return text(there) if there == back else text(there) + between + text(back)
