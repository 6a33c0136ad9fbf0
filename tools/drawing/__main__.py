# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree draw`, which gives it what to draw (tools/commands/draw.c) as JSON on standard input:
drawing map|multiples FORMAT FILE."""

import json
import sys

sys.dont_write_bytecode = True

import graphviz  # noqa: E402
import layout  # noqa: E402
from output import Failure, write  # noqa: E402
from scene import Scene  # noqa: E402


def draw(kind, given, form):
    from maps import write_map
    from multiples import write_multiples
    scene = Scene(given["network"], given)
    layout.place(scene)
    if form == "dot":
        return (write_multiples if kind == "multiples" else write_map)(scene).encode()
    if kind == "multiples":
        return graphviz.render(write_multiples(scene), form)
    return graphviz.render_labelled(write_map(scene, "maplabel"), form)


def main(kind, form, path):
    write(path, draw(kind, json.load(sys.stdin.buffer), form))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as error:
        sys.exit(f"mtree: {error}")
