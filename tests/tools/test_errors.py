#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue in docs/errors.md is complete: it has each error that the component can print, and each of its lines is in the
program and expected by a test.  Of all programs: a test expects each error, or UNREAD has the reason why none does."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("srcdir", "."))
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r"(?:mtree_error|coll_mtree_verbose)\(\s*(?:comm, 0,\s*)?((?:\"(?:[^\"\\]|\\.)*\"\s*)+)", re.S)


# The functions that print errors, and the exceptions that become one.
SAYS = re.compile(r"(?:(?:mtree_error|coll_mtree_verbose|bad|syntax_error|command_fail|command_misuse)\(|\.needs =)"
                  r"\s*(?:comm, [0-9],\s*)?[^\";{]*?((?:\"(?:[^\"\\]|\\.)*\"\s*)+)", re.S)
RAISES = re.compile(r"(?:NetlabError|CompareError|RunFailed|ArgumentTypeError|parser\.error|Failure|ImportFailure|ListError|fail)"
                    r"\(\s*(?:[^\",]*, )?((?:f?\"(?:[^\"\\]|\\.)*\"\s*)+)", re.S)

# Errors that no test expects: a part of each, and why.
UNREAD = {
    "memory": "memory does not run out on demand",
    "in a call that the other ranks are in, too": "memory",
    "; use packing": "a solver would have to fail",
    "use another algorithm": "a solver would have to fail",
    "no tree from host": "maps are connected: the reader has seen to it",
    "a probe of": "the component gives what it has counted",
    "name fewer hosts": "takes 4097 hosts and a minute",
    "; at most": "takes a file of a million hosts",
    "mtree takes": "takes a file of a million nodes",
    "the plan has … hosts": "the reader of plans has seen to it",
    "has a cycle through host": "the reader of plans has seen to it",
    "…: ……": "only what is put in",
    "give the root's number": "the commands give one",
    "a name is not UTF-8": "the reader has seen to it",
    "… is needed": "only what is put in",
    "it may not be negative": "the commands read no negative ones",
    "is wrong": "the program itself would be",
    "takes more than …u steps": "takes a simulation of an hour",
    "Graphviz could not": "Graphviz would have to fail",
    "cannot open a packet socket": "the relay would have to be started by who may not",
    "TCP connections cannot be watched": "the kernel would have to fail",
    "cannot watch a descriptor": "the kernel would have to fail",
    "changes what ompi_info says": "Open MPI would have to be missing",
    "setns failed": "the kernel would have to fail",
    "labs are up already": "takes 200 labs",
    "has no holder any more": "somebody would have to kill the holder",
    "the lab could not be built": "ip or tc would have to fail",
    "plan for these": "the commands run a plan on its own hosts",
    "the plans stay": "no fault: what following finds",
    "raise coll_mtree_trees": "no small plan has so many trees",
    "no plan for": "the planner would have to fail",
    "is neither beside mtree nor in": "an installation would have to be damaged",
    "is the disk full": "the component's disk would have to be full",
    "no events came from rank": "a rank would have to end before its time",
}


# A name in messages that stands for a text.
COLLECTIVES = '"%s"' % ", ".join(re.findall(r"_row\(MTREE_\w+, (\w+),", (ROOT / "planner/plan/collective.h").read_text()))


def read(path):
    """The text of a source, its names for texts replaced."""
    return path.read_text().replace("MTREE_COLLECTIVE_NAMES", COLLECTIVES)


def grams(text, length=12):
    """All pieces of so many letters; a shorter text is one piece."""
    return {text[i:i + length] for i in range(len(text) - length + 1)} if len(text) >= length else {text} - {""}


def find_errors():
    """Each error in the sources, with its place."""
    sources = [path for room in ("base", "topo", "planner", "schedule", "tcp", "relay", "simulate", "report", "tools", "bench", "coll_mtree", "mpich",
                                 "papers/published")
               for path in sorted((ROOT / room).glob("**/*.c"))]
    scripts = [ROOT / "tools/netlab/netlab", ROOT / "bench/mtree_bench_compare", *(path for folder in ("drawing", "reporter", "import/importer", "netlab/netlablib") for path in sorted((ROOT / "tools" / folder).glob("*.py")))]
    lines = []
    for path in sources + scripts:
        text = read(path)
        is_c = path.suffix == ".c"
        for call in (SAYS if is_c else RAISES).finditer(text):
            line = "".join(LITERAL.findall(call[1])).replace('\\"', '"').replace("\\n", "")
            line = re.sub(r"%[-+ 0-9.*l]*[a-z]|%$", "…", line) if is_c else re.sub(r"\{[^}]*\}", "…", line)
            if len(line) > 3:
                lines.append((f"{path.relative_to(ROOT)}:{text[:call.start()].count(chr(10)) + 1}", line))
    return lines


def unread(lines):
    """Those that no test expects.  A test expects an error when it has a piece of it that no other error has."""
    pieces = {line: set().union(*(grams(part.strip()) for part in line.split("…"))) for _, line in lines}
    owners = {}
    for line, own in pieces.items():
        for piece in own:
            owners.setdefault(piece, set()).add(line)
    read = " ".join(path.read_text() for pattern in ("tests/mpi*/*.test", "tests/lab/*.py", "tests/tools/*.sh", "tests/unit/**/*.[ch]",
                                                     "tests/tools/test_m*.py", "tests/mpi/*.c")
                    for path in sorted(ROOT.glob(pattern))).replace("\\", "")
    for where, line in lines:
        own = {piece for piece in pieces[line] if len(owners[piece]) == 1} or pieces[line]
        if not any(piece in read for piece in own if len(piece) > 4):
            yield where, line


def fragments(text):
    """The fixed parts of a line, longest first."""
    parts = [part.strip(" ;,:'") for part in text.split("…")]
    return sorted((part for part in parts if part), key=len, reverse=True)


def formats(folder):
    """The format strings of errors in a folder, with … for what is put in."""
    for path in sorted((ROOT / folder).glob("**/*.c")):
        for call in CALL.findall(read(path)):
            text = "".join(LITERAL.findall(call)).replace('\\"', '"')
            yield re.sub(r"%[-+ 0-9.*l]*[a-z]", "…", text)


# An item of a list begins with the line, which may be wrapped, and has what to do after it.
items = re.split(r"\n(?=- )|\n\n", (ROOT / "docs/errors.md").read_text())
rows = [(" ".join(item.split("`")[1].split()), "(no test" in item) for item in items if item.startswith("- `")]
assert len(rows) > 10, rows
source = " ".join(text for room in ("coll_mtree", "mpich", "relay", "tcp", "topo") for text in formats(room))
source += " ".join("".join(LITERAL.findall(read(path))) for room in ("coll_mtree", "relay")
                   for path in (ROOT / room).glob("**/*.c"))
tests = " ".join(path.read_text() for pattern in ("tests/mpi*/*.test", "tests/lab/*.py", "tests/tools/*.sh")
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
lines = find_errors()
wrong += [f"{where}: no test reads '{text}'" for where, text in unread(lines) if not any(part in text for part in UNREAD)]
wrong += [f"UNREAD has '{part}', which no error has" for part in UNREAD if not any(part in text for _, text in lines)]
print("\n".join(wrong) if wrong else f"test_errors.py: {len(rows)} lines, each in the program")
sys.exit(1 if wrong else 0)
