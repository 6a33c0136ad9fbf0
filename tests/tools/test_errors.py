#!/usr/bin/env python3
"""The catalogue in docs/errors.md is whole: each line that the component can say about a fault is in it, and each line of it is
in the program and read by a test."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("srcdir", "."))
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r"(?:mtree_error|coll_mtree_say)\(\s*(?:comm, 0,\s*)?((?:\"(?:[^\"\\]|\\.)*\"\s*)+)", re.S)


def fragments(text):
    """The fixed parts of a line, longest first."""
    parts = [part.strip(" ;,:'") for part in text.split("…")]
    return sorted((part for part in parts if part), key=len, reverse=True)


def formats(folder):
    """The format strings of errors in a folder, with … for what is put in."""
    for path in sorted((ROOT / folder).glob("*.c")):
        for call in CALL.findall(path.read_text()):
            text = "".join(LITERAL.findall(call)).replace('\\"', '"')
            yield re.sub(r"%[-+ 0-9.*l]*[a-z]", "…", text)


rows = [(line.split("`")[1], "(no test" in line)
        for line in (ROOT / "docs/errors.md").read_text().splitlines() if line.startswith("| `")]
assert len(rows) > 10, rows
source = " ".join(text for room in ("coll_mtree", "topo") for text in formats(room))
source += " ".join("".join(LITERAL.findall(path.read_text())) for path in (ROOT / "coll_mtree").glob("*.c"))
tests = " ".join(path.read_text() for pattern in ("tests/mpi/*.test", "tests/lab/*.py", "tests/tools/*.sh")
                 for path in sorted(ROOT.glob(pattern)))
tests = tests.replace("\\", "")
wrong = []
for row, is_untested in rows:
    if not all(part in source for part in fragments(row)):
        wrong.append(f"not in the program: {row}")
    if not is_untested and not any(part in tests for part in fragments(row)):
        wrong.append(f"read by no test: {row}")
listed = [set(fragments(row)) for row, _ in rows]
for text in formats("coll_mtree"):
    if len(text) > 10 and not any(part in text for row in listed for part in row if len(part) > 15):
        wrong.append(f"not in docs/errors.md: {text}")
print("\n".join(wrong) if wrong else f"test_errors.py: {len(rows)} lines, each in the program")
sys.exit(1 if wrong else 0)
