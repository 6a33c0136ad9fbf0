# SPDX-License-Identifier: BSD-3-Clause
"""A scene as SVG for a report's page, which has its style and its script: each direction of a link by itself, as wide and
coloured as its use, and each tree as a group "pPLANtTREE", hidden until a checkbox asks for it."""

from scene import bounds, both, colour, escape, rate, size, time, width

# Sizes in the units of the picture, which scales to the page.
WIDTH, LEAST_TALL, MOST_TALL, MARGIN, RADIUS = 1080, 320, 760, 64, 7
LEAST_WIDTH, MOST_WIDTH = 1.6, 7.0  # of a direction of a link
MOST_LABELS = 60  # links; more figures could not be read
TREE_GAP = 3.6  # between trees that share a link
STEPS = 5  # of use that have a colour each, classes u0 to u4


class Picture:
    def __init__(self, scene):
        """Fit the places into the picture, whose y grows downwards."""
        self.scene = scene
        low, high = bounds(scene.places)
        across, up = max((high - low).real, 1e-9), max((high - low).imag, 1e-9)
        scale = min((WIDTH - 2 * MARGIN) / across, (MOST_TALL - 2 * MARGIN) / up)
        self.tall = max((high - low).imag * scale + 2 * MARGIN, LEAST_TALL)
        middle = complex(WIDTH / 2, self.tall / 2)
        self.places = [middle + (place - (low + high) / 2).conjugate() * scale for place in scene.places]

    def line(self, arc, aside):
        """The ends of an arc, moved to its right."""
        link = self.scene.links[arc // 2]
        start, end = self.places[link.u], self.places[link.v]
        start, end = (end, start) if arc % 2 else (start, end)
        move = 1j * aside * (end - start) / max(abs(end - start), 1e-9)
        return start + move, end + move

    def arc(self, arc):
        link, way = self.scene.links[arc // 2], arc % 2
        capacity, use = link.capacity[way], link.use[way]
        if capacity <= 0:
            return ""
        wide = width(min(use, 1), LEAST_WIDTH, MOST_WIDTH)
        start, end = self.line(arc, wide / 2 + 0.6)
        names = [escape(self.scene.vertices[v]["name"]) for v in (link.u, link.v)]
        return (f'<line class="link u{max(min(int(use * STEPS), STEPS - 1), 0)}" x1="{start.real:.1f}" y1="{start.imag:.1f}" '
                f'x2="{end.real:.1f}" y2="{end.imag:.1f}" stroke-width="{wide:.1f}"><title>{names[way]} to {names[1 - way]}: '
                f"{size(link.bytes[way])} sent, {100 * use:.1f} % of {rate(capacity)}, latency {time(link.latency)}</title></line>\n")

    def label(self, link):
        """Capacity and use at the middle of a link, there and back where they differ."""
        middle, (there, back) = (self.places[link.u] + self.places[link.v]) / 2, link.use
        use = f"{100 * there:.0f}" if abs(there - back) < 0.005 else f"{100 * there:.0f} / {100 * back:.0f}"
        return (f'<text class="figure" x="{middle.real:.1f}" y="{middle.imag + 4:.1f}" text-anchor="middle">'
                f"{both(*link.capacity, rate, ' / ')}, {use} %</text>\n")

    def tree(self, plan, number, tree, siblings, is_on):
        """Trees of one plan lie beside each other on the links that they share, both directions on the same side."""
        aside = TREE_GAP * (number - (siblings - 1) / 2)
        ends = [self.line(arc, -aside if arc % 2 else aside) for arc in range(2 * len(self.scene.links)) if arc in tree["arcs"]]
        paths = "".join(f'<path d="M{a.real:.1f} {a.imag:.1f}L{b.real:.1f} {b.imag:.1f}"/>' for a, b in ends)
        return (f'<g class="tree{" on" if is_on else ""}" id="p{plan}t{number + 1}" stroke="{colour(number)}">'
                f"<title>tree {number + 1}, root {escape(tree.get('root', ''))}</title>{paths}</g>\n")

    def vertex(self, vertex, place):
        x, y = place.real, place.imag
        if vertex.get("kind") == "host":
            yield f'<circle class="host" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'
            if vertex.get("relay"):
                yield f'<circle class="host" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>a relay</title></circle>'
        else:
            yield (f'<rect class="switch" x="{x - RADIUS + 1:.1f}" y="{y - RADIUS + 1:.1f}" width="{2 * RADIUS - 2}" '
                   f'height="{2 * RADIUS - 2}" rx="2"/>')
        yield f'<text class="name" x="{x:.1f}" y="{y - RADIUS - 5:.1f}" text-anchor="middle">{escape(vertex["name"])}</text>\n'


def write_svg(scene, plans):
    """@a plans have numbers and trees; the first one's trees are shown."""
    picture = Picture(scene)
    trees = [(plan, number, tree, len(trees)) for plan, trees in plans for number, tree in enumerate(trees)]
    yield (f'<svg{" class=" + chr(34) + "fading" + chr(34) if trees else ""} viewBox="0 0 {WIDTH} {picture.tall:.0f}" role="img" '
           'aria-label="Map of the network">\n')
    yield from (picture.arc(arc) for arc in range(2 * len(scene.links)))
    yield from (picture.tree(*tree, tree[0] == trees[0][0]) for tree in trees)
    if len(scene.links) <= MOST_LABELS:
        yield from (picture.label(link) for link in scene.links)
    for vertex, place in zip(scene.vertices, picture.places):
        yield from picture.vertex(vertex, place)
    yield "</svg>\n"
