# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree draw` and `mtree report --html`, which give it JSON on standard input: what to draw
(tools/commands/draw.c), or a report with the texts of its page (tools/commands/report.c).
drawing map|multiples FORMAT FILE, drawing page [FILE]."""

import json
import sys

sys.dont_write_bytecode = True

import graphviz  # noqa: E402
import layout  # noqa: E402
from scene import DrawingFailure, Scene  # noqa: E402


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


def main(kind, *words):
    given = json.load(sys.stdin.buffer)
    if kind == "page":
        from page import write_page
        try:
            picture = write_page(given).encode()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise DrawingFailure(f"the report is damaged: {error!r}") from error
    else:
        picture = draw(kind, given, words[0])
    path = words[-1] if words else ""
    try:
        with open(path or 1, "wb", closefd=path != "") as out:
            out.write(picture)
    except OSError as error:
        raise DrawingFailure(f"{path or 'the output'}: cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except DrawingFailure as error:
        sys.exit(f"mtree: {error}")
