# SPDX-License-Identifier: BSD-3-Clause
"""What Graphviz' program does for pictures: places, lines and files."""

import json
import subprocess

from labels import label_nodes
from output import Failure

MOST_BY_NEATO = 200  # vertices
FORCED_LENGTH = 2.2  # inches of a link by force
PNG_DPI = 140


def run(text, *words):
    """What it makes of a graph; None: it is not there."""
    try:
        return subprocess.run(["dot", "-q", *words], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    except FileNotFoundError:
        return None
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure("Graphviz could not draw the map; draw to a .dot file instead") from error


def find_places(count, links):
    """By force, in inches; None: there is no Graphviz."""
    text = f"graph map {{ edge [len={FORCED_LENGTH}]; {'; '.join(map(str, range(count)))}"
    text += "".join(f"; {u} -- {v}" for u, v in links) + " }"
    found = run(text, "-Kneato" if count <= MOST_BY_NEATO else "-Ksfdp", "-Tplain")
    rows = (line.split() for line in (found or b"").decode().splitlines())
    return found and [complex(float(row[2]), float(row[3])) for row in rows if row[0] == "node"]


def render(text, form, engine="neato"):
    picture = run(text, f"-K{engine}", f"-T{form}", *([f"-Gdpi={PNG_DPI}"] if form == "png" else ()))
    if picture is None:
        raise Failure(f"{form} is not drawn: Graphviz' program dot is not there; draw to a .dot file")
    return picture


def render_labelled(text, form):
    """Draw the lines between the places, and then the labels, which edges have as `maplabel`, above them."""
    found = "maplabel=" in text and run(text, "-Kneato", "-Tdot", "-Tjson")
    if not found:
        return render(text, form)
    graph, _, drawn = found.decode().partition("\n}\n")
    return render(f"{graph}\n{label_nodes(json.loads(drawn))}}}\n", form, "nop2")
