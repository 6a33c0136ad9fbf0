# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree draw`, which gives it what to draw (tools/commands/draw.c) as JSON on standard input:
drawing FORMAT FILE PLAN network json; what is not given is empty."""

import json
import sys

sys.dont_write_bytecode = True

import graphviz  # noqa: E402
import layout  # noqa: E402
from output import Failure, write  # noqa: E402
from scene import Scene  # noqa: E402


def draw(given, form):
    from maps import write_map
    scene = Scene(given["network"], given.get("plan"), given.get("vertices"))
    layout.place(scene)
    if form == "dot":
        return write_map(scene).encode()
    return graphviz.render_labelled(write_map(scene, "maplabel"), form)


def describe(network, plan):
    """What --json prints; links have the numbers of their trees, from 1."""
    trees = [set(tree["arcs"]) for tree in (plan or {}).get("trees", ())]
    links = [{**{key: link[key] for key in ("from", "to", "capacity_bps", "use")},
              "trees": [t for t, arcs in enumerate(trees, 1) if arcs & {2 * number, 2 * number + 1}]}
             for number, link in enumerate(network["links"])]
    relays = [vertex["name"] for vertex in network["vertices"] if vertex.get("relay")]
    return {"topology": network["name"], "links": links, **({"relays": relays} if relays else {})}


def main(form, path, _plan, _network, json_wanted):
    given = json.load(sys.stdin.buffer)
    if path:
        write(path, draw(given, form))
    if json_wanted:
        write("", (json.dumps(describe(given["network"], given.get("plan")), indent=2) + "\n").encode())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as error:
        sys.exit(f"mtree: {error}")
