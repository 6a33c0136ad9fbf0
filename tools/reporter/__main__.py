# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree report`, which gives it the report of FILE on standard input with what needs the planner, and behind
`mtree top`: reporter report FILE HTML JSON OPENMETRICS OUTPUT, reporter top FILE DELAY FRAMES LINKS; what is not given is empty."""

import json
import os
import sys

sys.dont_write_bytecode = True
# Before all packages, of which one may be called graphviz.
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "drawing"))

from derive import derive  # noqa: E402
from output import Failure, write  # noqa: E402
from values import printable  # noqa: E402


def page_of(form, report):
    if form == "json":
        return json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if form == "html":
        from page import write_page
        return write_page(report)
    if form == "openmetrics":
        from openmetrics import write_openmetrics
        return write_openmetrics(report)
    from text import write_text
    return write_text(printable(report))


def main(command, file, *words):
    if command == "top":
        from top import follow
        return follow(file, *words)
    html, plain, openmetrics, output = words
    try:
        page = page_of(openmetrics or plain or html or "text", derive(json.load(sys.stdin.buffer)))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Failure(f"{file}: the report is damaged: {error!r}") from error
    write(output, page.encode())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Failure as error:
        sys.exit(f"mtree: {printable(str(error))}")
