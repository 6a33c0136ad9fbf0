# SPDX-License-Identifier: BSD-3-Clause
"""A scene as one DOT graph: capacity as width, capacity and latency as labels, switches as small squares.  With a plan: a link
has one line per tree that crosses it, in that tree's colour, and its use in its label; roots carry a dot per tree; a legend
lists the trees."""

from scene import COLOURS, both, colour, escape, rate, time, width

LEAST_WIDTH, MOST_WIDTH = 1.2, 5.0
LEAST_TREE = 0.8  # of the line of a tree
MOST_TREE = 2.5  # or:
TREES_WIDTH = 9.0  # of all lines of a link together
LARGE_MAP = 120  # vertices
MOST_COLOURED = 8  # lines of one link; of more trees there is one dark line

HEAD = """graph map {
  graph [bgcolor=white fontname="Helvetica" fontsize=12 labelloc=b pad=0.3
         outputorder=edgesfirst overlap_scaling=0 overlap_shrink=false];
  node [shape=ellipse style=filled fillcolor=white color="#333333"
        fontname="Helvetica" fontsize=11 margin="0.05,0.03"
        width=0.35 height=0.3];
  edge [fontname="Helvetica" fontsize=8 fontcolor="#444444"];
"""


def write_vertex(scene, number):
    vertex, place = scene.vertices[number], scene.places[number]
    roots = "".join(f'<font color="{colour(t)}">&#9679;</font>' for t, tree in enumerate(scene.trees) if tree.vertex == number)
    return (f"  v{number} [label=<{escape(vertex['name'])}" + (f"<br/>{roots}> penwidth=2.5" if roots else ">")
            + (' shape=box fillcolor="#DDDDDD" fontsize=9 margin="0.05,0.03"' if vertex["kind"] == "switch" else "")
            + (' peripheries=2 tooltip="a relay"' if vertex.get("relay") else "")
            + f' pos="{place.real:.3f},{place.imag:.3f}!"];\n')


def label(scene, link):
    """The capacity unless all are the same, then the use, with a plan, and the latency, if any; nothing on a large map, where
    it could not be read."""
    if len(scene.vertices) > LARGE_MAP:
        return ""
    there, back = link.use
    figures = ([f"{100 * there:.0f} %" if abs(there - back) < 0.005 else f"{100 * there:.0f} / {100 * back:.0f} %"]
               if scene.summary else [])
    figures += [time(link.latency)] if link.latency > 0 else []
    rows = [] if scene.is_uniform else [both(*link.capacity, rate, " / ")]
    return "<br/>".join(rows + ([", ".join(figures)] if figures else []))


def colours(scene, link):
    """A list of them draws parallel lines, one per tree."""
    if 0 < len(link.trees) <= MOST_COLOURED:
        return ":".join(map(colour, link.trees))
    return "#333333" if link.trees else "#CCCCCC" if scene.summary else "#666666"


def line_width(scene, link):
    """Of each line of a link.  With a plan the full links are wide, whatever they carry: these are what limits it."""
    if not scene.summary:
        return width(max(link.capacity) / max(scene.largest, 1), LEAST_WIDTH, MOST_WIDTH)
    lines = max(len(link.trees), 1) if len(link.trees) <= MOST_COLOURED else 1
    return width(link.most_used, LEAST_TREE, max(TREES_WIDTH / lines, MOST_TREE))


def write_link(scene, link, attribute):
    text = label(scene, link)
    return (f'  v{link.u} -- v{link.v} [penwidth={line_width(scene, link):.2f} color="{colours(scene, link)}"'
            + (f" {attribute}=<{text}>" if text else "") + "];\n")


def write_legend(scene):
    def right(text):
        return f'<td align="right">{text}</td>'

    yield f'  label=<<table border="0" cellspacing="2"><tr><td colspan="5"><b>{escape(scene.name)}</b>'
    yield f", every link {rate(scene.largest)}" if scene.is_uniform and scene.links else ""
    yield (f": {scene.summary}" if scene.summary else "") + "</td></tr>\n"
    figures = ("" if scene.is_uniform else "capacity, ") + ("use, " if scene.summary else "")
    figures += "latency; " if any(link.latency > 0 for link in scene.links) else ""
    yield (f'    <tr><td colspan="5"><font point-size="9" color="#444444">links: {figures}the wider, the '
           f"{'fuller' if scene.summary else 'faster'}</font></td></tr>\n")
    if scene.trees:
        yield f"    <tr><td></td><td></td>{right('rate')}{right('of the message')}{right('root to leaf')}</tr>\n"
    for t, tree in enumerate(scene.trees[:len(COLOURS)]):
        yield (f'    <tr><td align="left"><font color="{colour(t)}">&#9679; tree {t + 1}</font></td><td align="left">root '
               f"{escape(tree.root)}</td>{right(tree.rate)}{right(tree.share)}{right(tree.height)}</tr>\n")
    if len(scene.trees) > len(COLOURS):
        yield f'    <tr><td colspan="5">and {len(scene.trees) - len(COLOURS)} more trees</td></tr>\n'
    yield "  </table>>;\n"


def write_map(scene, attribute="label"):
    """Labels become that attribute of edges."""
    # Bending lines around vertices and moving these apart takes minutes on large maps.
    large = len(scene.vertices) > LARGE_MAP
    return (HEAD + f"  splines={'line' if large else 'true'}; overlap={'true' if large else 'false'};\n"
            + "".join(write_legend(scene)) + "".join(write_vertex(scene, v) for v in range(len(scene.vertices)))
            + "".join(write_link(scene, link, attribute) for link in scene.links) + "}\n")
