# SPDX-License-Identifier: BSD-3-Clause
"""The league's table, its reasons and what gnuplot draws, from measured cells."""

import statistics
import textwrap

TITLES = {
    "mtree": "mtree",
    "mtree-mpich": "mtree for MPICH",
    "default": "Open MPI",
    "best": "Open MPI's best",
    "han": "han",
    "adapt": "adapt",
    "mpich": "MPICH",
    "gloo": "Gloo",
}
NAMES = tuple(TITLES)
OURS = ("mtree", "mtree-mpich")  # no rivals of each other
# A plot has those that matter most in the colours of other plots.
PLOTTED = ("mtree", "best", "default", "han", "adapt", "mpich", "gloo", "mtree-mpich")
# Who serves a call of mtree's, as its report has it.
BACKENDS = {"trees": "trees", "openmpi": "Open MPI"}
MARK = "<!-- the league's table -->"
COLUMNS = 100  # of a page
SIZES = ((1 << 20, "MB"), (1 << 10, "KB"))


def size_text(num_bytes):
    for unit, name in SIZES:
        if num_bytes >= unit:
            return f"{num_bytes // unit} {name}"
    return f"{num_bytes} B"


def is_measured(entry):
    return entry is not None and "median_us" in entry


def rival(cell):
    """The name of the fastest other player, or None."""
    others = {
        name: entry["median_us"]
        for name, entry in cell["players"].items()
        if name not in OURS and is_measured(entry)
    }
    return min(others, key=others.get, default=None)


def least_us(entry):
    """Microseconds that a player's call takes, or at least takes; None where nothing is known."""
    return entry.get("median_us", entry.get("more_than_us"))


def times_the_fastest(cell, name):
    """How many times as long as the fastest a player takes, at least; 1 where it is not known."""
    known = {name: least_us(entry) for name, entry in cell["players"].items() if least_us(entry)}
    return known[name] / min(known.values()) if name in known else 1.0


def gain(cell):
    """How many times mtree is as fast as the fastest other; None where nobody else was measured."""
    mtree, other = cell["players"].get("mtree"), rival(cell)
    if not is_measured(mtree):
        return 0.0
    return None if other is None else cell["players"][other]["median_us"] / mtree["median_us"]


def gain_text(cell):
    """The gain, and what it is at least where other players were stopped before they were known to
    take longer than the fastest of those that were measured."""
    value, mtree = gain(cell), cell["players"].get("mtree")
    others = [least_us(entry) for name, entry in cell["players"].items() if name not in OURS]
    least = min((time for time in others if time), default=None)
    if least is None or not is_measured(mtree):
        return "" if value is None else f"{value:.2f}"
    least /= mtree["median_us"]
    if value is None:
        return f"> {least:.2f}"
    return f"{value:.2f}" if least >= value else f"{least:.2f} to {value:.2f}"


def in_order(cells):
    """Cells that mtree loses first, the worst before all; others as they were measured."""
    lost = sorted((cell for cell in cells if is_lost(cell)), key=gain)
    return lost + [cell for cell in cells if not is_lost(cell)]


def is_lost(cell):
    value = gain(cell)
    return value is not None and value < 1


def number(milliseconds):
    return f"{milliseconds:.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def time_text(entry):
    """Milliseconds of a player, as the table has them."""
    if entry is None:
        return ""
    if "failed" in entry:
        return "failed"
    if not is_measured(entry):
        return f"> {number(entry['more_than_us'] / 1000)}"
    return number(entry["median_us"] / 1000)


def spread_text(entry):
    """The least and the greatest of a player's calls."""
    if not is_measured(entry):
        return ""
    return f"{number(entry['min_us'] / 1000)} to {number(entry['max_us'] / 1000)}"


def share(cell, entry):
    """The part of the bound that a player's median reaches, or None."""
    return cell["bound_us"] / entry["median_us"] if is_measured(entry) else None


def percent(value):
    return "" if value is None else f"{value:.0%}"


def served_text(call):
    """Who served a record's calls, and why it was Open MPI."""
    words = [f"{part['calls']} by {BACKENDS[part['by']]}" for part in call["served"]]
    reasons = [f"{part['text']} ({part['calls']})" for part in call["fallbacks"]]
    return "; ".join(["calls: " + ", ".join(words), *reasons])


def reason(cell):
    """Why mtree loses a cell, as far as its report and its forecast tell."""
    mtree = cell["players"].get("mtree")
    if mtree is None or "failed" in mtree:
        return mtree["failed"] if mtree else "mtree did not play"
    parts = [served_text(call) for call in cell["report"]]
    if is_measured(mtree):
        ratio = mtree["median_us"] / cell["predicted_us"]
        parts.append(f"{ratio:.1f} times the forecast of {number(cell['predicted_us'] / 1000)} ms")
    return "; ".join(parts)


def name_of(cell):
    return f"{cell['network']} {cell['collective']} {size_text(cell['bytes'])}"


def failures(cells):
    """A line per player that crashed, gave a wrong result or did not start in a cell."""
    return [
        f"{name_of(cell)}: {TITLES[name]} failed: {entry['failed']}"
        for cell in cells
        for name, entry in cell["players"].items()
        if "failed" in entry
    ]


def line_of(words):
    return "| " + " | ".join(words) + " |\n"


def row(cell, names):
    other = rival(cell)
    entries = cell["players"]
    return [
        name_of(cell),
        *[time_text(entries.get(name)) for name in names],
        spread_text(entries.get("mtree")),
        "" if other is None else f"{TITLES[other]} {spread_text(entries[other])}",
        gain_text(cell),
        f"{percent(share(cell, entries.get('mtree')))} {cell['bound_by']}",
    ]


def markdown(cells):
    """The table, lost cells first, and the reason of each of these."""
    cells = in_order(cells)
    names = [name for name in NAMES if any(name in cell["players"] for cell in cells)]
    titles = ["cell, ms", *[TITLES[name] for name in names]]
    titles += ["mtree's calls", "next to it", "gain", "of bound"]
    lines = [line_of(titles), "|" + "---|" * len(titles) + "\n"]
    lines += [line_of(row(cell, names)) for cell in cells]
    lost = [cell for cell in cells if is_lost(cell)]
    gains = [value for value in map(gain, cells) if value is not None]
    summary = f"\nmtree is fastest in {len(cells) - len(lost)} of {len(cells)} cells"
    summary += f", median gain {statistics.median(gains):.2f}.\n" if gains else ".\n"
    notes = [f"{name_of(cell)}: {reason(cell)}" for cell in lost] + failures(cells)
    notes = [textwrap.fill(f"- {note}", COLUMNS, subsequent_indent="  ") + "\n" for note in notes]
    return "".join([*lines, summary, "\n" if notes else "", *notes])


def in_page(page, text):
    """The page with the text between its two marks; ValueError where it has others."""
    parts = page.split(MARK)
    if len(parts) != 3:
        raise ValueError(f"it must have two lines '{MARK}' around the table")
    return f"{parts[0]}{MARK}\n\n{text}\n{MARK}{parts[2]}"


def plot_table(cells):
    """Percent of the bound of each player, a line per cell of one network."""
    names = [name for name in PLOTTED if any(name in cell["players"] for cell in cells)]
    lines = ["\t".join(["cell", *[TITLES[name] for name in names]]) + "\n"]
    for cell in cells:
        shares = [share(cell, cell["players"].get(name)) for name in names]
        words = ["-" if value is None else f"{100 * value:.1f}" for value in shares]
        lines.append("\t".join([f"{cell['collective']} {size_text(cell['bytes'])}", *words]) + "\n")
    return "".join(lines)
