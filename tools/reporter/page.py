# SPDX-License-Identifier: BSD-3-Clause
"""A report as one HTML page that needs nothing else: no network, no other file.  It follows the browser's choice of light or
dark, and shows all but further trees without scripts."""

import os
import re

import calls as of_calls
import layout
import sentences
import tables
from scene import Scene, colour, escape, rate, size, time
from svg import STEPS, write_svg


def part(name):
    """The style or the script, without comments."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        text = re.sub(r"^/\*.*?\*/\n", "", file.read(), flags=re.S | re.M)
    return re.sub(r"^ +", "", text, flags=re.M)


def paragraphs(lines, kind="soft"):
    return "".join(f'<p class="{kind}">{escape(line)}</p>\n' for line in lines if line)


def card(name, value):
    return f'<div class="card"><span class="soft">{name}</span><b>{value}</b></div>\n'


def fold(summary, table):
    return f"<details><summary>{summary}</summary>\n{table}</details>\n"


class Page:
    def __init__(self, report):
        self.report, self.plans = report, report["plans"]

    def trees(self, plan):
        return self.plans[plan].get("trees", [])

    def users(self, plan):
        return ", ".join(escape(of_calls.name(calls)) for calls in of_calls.lines(self.report) if calls.get("plan") == plan)

    def head(self):
        yield ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<meta name="viewport" '
               'content="width=device-width,initial-scale=1"/>\n<title>mtree report</title>\n<style>' + part("page.css")
               + "</style>\n</head>\n<body>\n<main>\n<h1>mtree report</h1>\n" + paragraphs(sentences.of_job(self.report))
               + paragraphs(sentences.obstacle(self.report), "bad"))

    def cards(self):
        """What was moved and how long it took, of all calls."""
        calls, moved, seconds = (sum(line.get(key, 0) for line in of_calls.lines(self.report)) for key in ("calls", "bytes", "shared_s"))
        return ('<div class="cards">\n' + card("Collective calls", f"{calls:.0f}") + card("Data in them", size(moved))
                + card("Time in them", time(seconds)) + "</div>\n")

    def picker(self, plan, is_first):
        """Checkboxes for the trees of a plan."""
        checked = ' checked="checked"' if is_first else ""
        yield (f'<div class="picker"><strong>Trees of {self.users(plan)}</strong><label><input type="checkbox" '
               f'data-all="{plan}"{checked}/>all</label>')
        for t in range(len(self.trees(plan))):
            yield (f'<label><input type="checkbox" data-tree="p{plan}t{t + 1}"{checked}/><i style="background:{colour(t)}"></i>'
                   f"{t + 1}</label>")
        yield "</div>\n"

    def network(self, number):
        """All that concerns a topology."""
        network, plans = self.report["topologies"][number], [p for p, plan in enumerate(self.plans) if plan.get("topology") == number]
        scene, links = Scene(network), tables.of_links(network)
        layout.place(scene)
        yield ("<h2>Network</h2>\n<section>\n" + paragraphs([sentences.topology(network)], "")
               + paragraphs(sentences.of_topology(self.report, number)))
        yield from write_svg(scene, [(plan, self.trees(plan)) for plan in plans])
        yield '<div class="keys"><span>Use of each direction while mtree\'s calls ran:</span>'
        yield from (f'<span><i class="u{step}"></i>{100 * step // STEPS}-{100 * (step + 1) // STEPS} %</span>' for step in range(STEPS))
        has_relays = any(vertex.get("relay") for vertex in scene.vertices)
        yield ("<span>on links: capacity and use, there / back if they differ; the wider, the fuller</span>"
               + ("<span>double circle: a relay</span>" if has_relays else "") + "</div>\n")
        first = next((plan for plan in plans if self.trees(plan)), None)
        for plan in plans:
            yield from self.picker(plan, first is None or plan <= first)
        yield fold("All links", links.html()) if links.has_rows else ""
        yield "</section>\n"

    def plan_tables(self):
        yield "<h2>Plans</h2>\n<section>\n"
        for p, plan in enumerate(self.plans):
            yield fold(f"{self.users(p)}: {escape(plan.get('algorithm', ''))}, {rate(plan.get('throughput_bps', 0))}",
                       tables.of_trees(self.report, plan).html())
        yield "</section>\n"

    def write(self):
        yield from self.head()
        yield self.cards()
        for number in range(len(self.report["topologies"])):
            yield from self.network(number)
        yield "<h2>Collectives</h2>\n"
        for group in self.report["communicators"]:
            calls, fallbacks = tables.of_communicator(self.report, group)
            yield ("<section>\n" + paragraphs([sentences.communicator(group)], "name") + calls.html()
                   + (fallbacks.html() if fallbacks.has_rows else "") + "</section>\n")
        if self.plans:
            yield from self.plan_tables()
        yield f"</main>\n<script>{part('page.js')}</script>\n</body>\n</html>\n"


def write_page(report):
    return "".join(Page(report).write())
