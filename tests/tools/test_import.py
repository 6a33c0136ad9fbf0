#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a file holds, `mtree import` writes a topology or says in one line what is wrong: the corpora of tests/fuzz, and
changes of theirs."""
import contextlib
import io
import os
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("srcdir", pathlib.Path(__file__).parents[2])).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools/import/importer"), str(ROOT / "tools/doctor")]

import slurm  # noqa: E402
import tables  # noqa: E402
import xml_files  # noqa: E402
from network import ImportFailure, Network, write  # noqa: E402


def read_tables(network, content):
    tables.read_links(network, b"1\t2\t10Mbps\n2\t3\t-\n3\t4\n")
    tables.read_nodes(network, content)


READERS = {"gml": tables.read_gml, "graphml": xml_files.read_graphml, "slurm": slurm.read_conf,
           "yaml": slurm.read_yaml, "tsv": tables.read_links, "tsv_nodes": read_tables}
PIECES = [b"[", b"]", b'"', b"=", b",", b"#", b" ", b"\n", b"\t", b"-1", b"9e999", b"<", b">", b"&#", b";", b"\\", b"\0", b"\xc3", b"n[0-9]"]


def changed(data, draw):
    for _ in range(draw.randint(0, 4)):
        at = draw.randint(0, len(data))
        data = data[:at] + draw.choice([*PIECES, b"", data[at:at + 9] * 2]) + data[at + draw.randint(0, 6):]
    return data


def outcome(reader, content):
    """How it ended: the topology, or the failure's line."""
    out = io.TextIOWrapper(io.BytesIO())
    network = Network("input", None)
    try:
        with contextlib.redirect_stdout(out):
            reader(network, content)
            write(network, 2e8, ["s*", "?w"])
    except ImportFailure as failure:
        return str(failure)
    out.flush()
    return out.buffer.getvalue().decode("utf-8", "surrogateescape")


draw, counts = random.Random(7), {}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # where nothing is to be included
    for name, reader in READERS.items():
        seeds = [path.read_bytes() for path in sorted((ROOT / "tests/fuzz/corpus" / name).iterdir())]
        assert seeds, name
        for content in seeds + [changed(draw.choice(seeds)[:20000], draw) for _ in range(150)]:
            result = outcome(reader, content)
            is_graph = 'graph "' in result and result.endswith("}\n")
            assert is_graph or (result.startswith("input") and ": " in result), (name, content, result)
            counts[name, is_graph] = counts.get((name, is_graph), 0) + 1
assert all(counts.get((name, is_graph)) for name in READERS for is_graph in (True, False)), counts
print(f"test_import.py: {sum(counts.values())} files of {len(READERS)} formats, each a topology or one line of what is wrong")
