#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpich.py build|run FOLDER SOURCES: MPICH's own tests of collectives and communicators, with whatever MPI is here.

`build` compiles them from the sources of MPICH 3.2 (their folder test/mpi) to FOLDER, `run` has mpirun run each as their
lists say, and writes a line a test: its name, ranks and arguments, and "ok" or what was wrong.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

PARTS = ("coll", "comm", "attr", "topo", "datatype", "errors/coll")
FEATURES = """STDC_HEADERS HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_STDARG_H HAVE_UNISTD_H HAVE_SYS_TIME_H
HAVE_SYS_RESOURCE_H HAVE_GETRUSAGE HAVE_MPI_WIN_CREATE HAVE_MPI_INIT_THREAD HAVE_LONG_DOUBLE HAVE_LONG_LONG_INT
HAVE_LONG_LONG HAVE_FLOAT__COMPLEX HAVE_DOUBLE__COMPLEX HAVE_LONG_DOUBLE__COMPLEX HAVE__BOOL HAVE_INTTYPES_H HAVE_STDINT_H""".split()
SECONDS = 60


def tests(sources):
    """(part, name, ranks, arguments) of each line of the lists that is a test of this machine's size."""
    for part in PARTS:
        for listed in ("testlist", "testlist.in"):
            path = sources / part / listed
            for line in path.read_text().splitlines() if path.exists() else ():
                words = line.split("#")[0].split()
                if len(words) < 2 or "@" in line or not words[1].isdigit() or int(words[1]) > 10:
                    continue
                if (sources / part / f"{words[0]}.c").exists():
                    arguments = [word[4:] for word in words[2:] if word.startswith("arg=")]
                    yield part, words[0], words[1], arguments


def build(folder, sources):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mpitestconf.h").write_text("".join(f"#define {name} 1\n" for name in FEATURES))
    flags = ["-w", "-O1", f"-I{folder}", f"-I{sources}/include"]
    common = []
    # Some use what MPI 3 has removed; tests that need them are left out, too.
    for name in ("mtest", "mtest_datatype", "mtest_datatype_gen", "dtypes"):
        target = folder / f"{name}.o"
        command = ["mpicc", *flags, "-c", "-o", target, sources / "util" / f"{name}.c"]
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            common.append(target)

    def compile_one(test):
        part, name = test
        program = folder / f"{part.replace('/', '-')}-{name}"
        command = ["mpicc", *flags, "-o", program, sources / part / f"{name}.c", *common, "-lm"]
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0

    wanted = sorted({(part, name) for part, name, _, _ in tests(sources)})
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        built = sum(pool.map(compile_one, wanted))
    print(f"mpich.py: {built} of {len(wanted)} programs built")
    return 0 if built > len(wanted) // 2 else 1


def verdict(command):
    try:
        done = subprocess.run(
            ["timeout", str(SECONDS), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        return str(error)
    said = done.stdout.decode(errors="replace")
    if done.returncode == 124:
        return "no end"
    if done.returncode == 0 and "no errors" in said.lower():
        return "ok"
    error = re.search(r"MPI_ERR_[A-Z_]+|Signal: [\w ]+|Found \d+ errors", said)
    return f"status {done.returncode}" + (f", {error.group()}" if error else "")


def run(folder, sources):
    wanted = os.environ.get("MPICH_TESTS", "").split()
    for part, name, ranks, arguments in tests(sources):
        program = folder / f"{part.replace('/', '-')}-{name}"
        if program.exists() and (not wanted or name in wanted):
            print(part, name, ranks, *arguments, "-", verdict(["mpirun", "-n", ranks, program, *arguments]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit({"build": build, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()))
