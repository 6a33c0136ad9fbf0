# SPDX-License-Identifier: BSD-3-Clause
"""Small multiples, as a DOT graph: the trees of a scene side by side.  On each map the links that the tree crosses are in its
colour, as wide as their use, the others pale, its root marked; below it are its rate, its share and its height."""

import bisect
import math

from scene import bounds, colour, escape, width

# Inches: the longer side of a map, and what is left free around it for names and the line below.
SIDE, MARGIN = 3.2, 0.7
LEAST_WIDTH, MOST_WIDTH = 0.8, 3.6
# Inches: half the width of a letter of a name, half a line, and from a vertex to the nearest edge of its name.
HALF_LETTER, HALF_LINE, NAME_GAP = 0.034, 0.06, 0.08
# Where a name may stand, the directions that are tried first first; and at how many points of a line it is looked whether it
# runs through.
DIRECTIONS = (1j, -1j, 1, -1, 0.7 + 0.7j, -0.7 + 0.7j, 0.7 - 0.7j, -0.7 - 0.7j)
STEPS = 24

HEAD = """graph multiples {
  graph [bgcolor=white pad=0.2 outputorder=edgesfirst splines=line overlap=true fontname="Helvetica"];
  node [shape=circle style=filled fillcolor=white color="#333333" label=""
        width=0.1 height=0.1 fontname="Helvetica" fontsize=8
        fontcolor="#333333"];
"""


def place_names(scene, places):
    """Each where the fewest lines run through it, the same on all maps."""
    points = sorted((places[link.u] + (places[link.v] - places[link.u]) * i / STEPS for link in scene.links
                     for i in range(STEPS + 1)), key=lambda point: point.imag)
    heights = [point.imag for point in points]
    for vertex, place in zip(scene.vertices, places):
        half = HALF_LETTER * len(vertex["name"])

        def covered(middle, half=half):
            first = bisect.bisect_right(heights, middle.imag - HALF_LINE)
            last = bisect.bisect_left(heights, middle.imag + HALF_LINE)
            return sum(abs((point - middle).real) < half for point in points[first:last])

        yield min((place + complex(way.real * (half + NAME_GAP), way.imag * (HALF_LINE + NAME_GAP))
                   for way in map(complex, DIRECTIONS)), key=covered)


def pos(place):
    return f'pos="{place.real:.3f},{place.imag:.3f}!"'


def looks(vertex, is_root, number):
    if vertex["kind"] == "switch":
        return ' shape=square width=0.07 height=0.07 fillcolor="#DDDDDD"'
    if is_root:
        return f' width=0.17 height=0.17 fillcolor="{colour(number)}"'
    return ' peripheries=2 width=0.06 height=0.06 tooltip="a relay"' if vertex.get("relay") else ""


def write_multiples(scene):
    low, high = bounds(scene.places)
    scale = SIDE / max((high - low).real, (high - low).imag, 1e-9)
    places = [(place - low) * scale for place in scene.places]
    sheet = (high - low) * scale + complex(2 * MARGIN, 2 * MARGIN)  # one map
    names = list(place_names(scene, places))
    # The whole about half as wide again as tall.
    columns = math.ceil(math.sqrt(1.5 * len(scene.trees) * sheet.imag / sheet.real))
    text = [HEAD]
    for t, tree in enumerate(scene.trees):
        corner = complex(t % columns * sheet.real, -(t // columns) * sheet.imag)
        for v, vertex in enumerate(scene.vertices):
            text.append(f'  t{t}n{v} [shape=plain style="" {pos(corner + names[v])} label=<{escape(vertex["name"])}>];\n'
                        f"  t{t}v{v} [{pos(corner + places[v])}{looks(vertex, v == tree.vertex, t)}];\n")
        for link in scene.links:
            crossed = t in link.trees
            text.append(f"  t{t}v{link.u} -- t{t}v{link.v} "
                        f"[penwidth={width(link.most_used if crossed else 0, LEAST_WIDTH, MOST_WIDTH):.2f} "
                        f'color="{colour(t) if crossed else "#D5DAE0"}"];\n')
        text.append(f'  line{t} [shape=plain style="" fontsize=11 '
                    f"{pos(corner + complex(sheet.real / 2 - MARGIN, -0.8 * MARGIN))} label=<<b>"
                    f'<font color="{colour(t)}">tree {t + 1}</font></b>, root {escape(tree.root)}<br/>{tree.rate}, '
                    f"{tree.share} of the message<br/>{tree.height} from root to leaf>];\n")
    return "".join(text) + "}\n"
