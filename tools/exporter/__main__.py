# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree export`, which gives it what is in FILE as JSON on standard input (tools/commands/export.c): exporter
FILE FORMAT OUTPUT CHUNKS; the last two are empty where they are not given."""

import json
import os
import sys

sys.dont_write_bytecode = True
# Before all packages, of which one may be called graphviz.
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "drawing"))

from output import Failure, write  # noqa: E402


def main(file, form, path, chunks):
    given = json.load(sys.stdin.buffer)
    if form == "simgrid":
        from simgrid import write_platform
        return write(path, write_platform(given).encode())
    from msccl import write_algorithm
    return write(path, write_algorithm(file, given, int(chunks or 64)).encode())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as error:
        sys.exit(f"mtree: {error}")
