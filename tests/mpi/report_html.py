# SPDX-License-Identifier: BSD-3-Clause
"""report_html.py PAGE.html PAGE.txt: the HTML page is well formed, needs nothing from anywhere else, and holds every
figure of the text page."""
import html.parser
import re
import sys

VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.seen, self.ids, self.boxes = [], [], set(), set(), set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        attributes = dict(attributes)
        for name in ("src", "href", "srcset", "action"):
            assert name not in attributes, (tag, attributes)
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes
            self.ids.add(attributes["id"])
        if "data-tree" in attributes:
            self.boxes.add(attributes["data-tree"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


page, text = open(sys.argv[1]).read(), open(sys.argv[2]).read()
parser = Page()
parser.feed(page)
parser.close()
assert not parser.open, parser.open
assert not re.search(r"(https?:)?//[a-z]|url\(|@import", page), "the page asks for something else"
assert {"svg", "table", "title", "style", "script", "circle", "line"} <= parser.seen, parser.seen
assert parser.boxes and parser.boxes <= parser.ids, (parser.boxes, parser.ids)
assert "prefers-color-scheme:dark" in page
shown = " ".join(" ".join(parser.text).split())
for line in text.splitlines():
    for figure in re.split(r"  +", line.strip()):
        words = " ".join(figure.split()).removeprefix("Topology ")
        assert words in shown, f"'{words}' is not on the page"
print(f"report_html.py: {len(parser.ids)} trees on the map, {len(text.split())} words of the page in it")
