#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Topologies and plans from anyone: a job ends right, and mtree says nothing or one line.

test_hostile.py [FILES [JOBS [SEED [FIRST]]]]: so many files, made from good ones by a seed and numbered from FIRST on
(default: 0), are read by mtree(1) within bounds of memory and time, and so many of them (default: all) in jobs of 2 to
4 ranks.  `make check-hostile` has 1,000.
"""

import collections
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path.cwd()
TOPOLOGIES = [
    HERE / "hosts.dot",
    HERE.parent / "lab/square.dot",
    HERE.parents[1] / "topologies/b4.dot",
    HERE.parents[1] / "topologies/star-8.dot",
]
SKIP = 77
WARNING = b"is not known and not used"  # of an attribute: besides the one line
BYTES = 1 << 30  # of memory for a reader
SECONDS = 20  # for a reader; jobs have a minute
NAMES = re.compile(r'"([^"\\]+)"|\b([A-Za-z_]\w*)\b')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
STRANGE = ["0", "-1", "1e308", "1e-308", "nan", "inf", "-0.0", "9" * 40, "2147483648", "18446744073709551616", "x", ""]
TOKENS = ["{", "}", "[", "]", '"', ";", "--", "->", ",", ":", "subgraph x {", "/*", "<", "null", "\\u0000", "\0", "\xff", "a" * 3000]


def one_number(chance, text):
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    at = chance.choice(found)
    return text[: at.start()] + chance.choice(STRANGE) + text[at.end() :]


def one_byte(chance, text):
    at = chance.randrange(len(text))
    return text[:at] + chr(chance.randrange(256)) + text[at + 1 :]


def cut(chance, text):
    first, last = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    return text[:first] + text[last:] if chance.random() < 0.8 else text[:first]


def again(chance, text):
    lines = text.splitlines(keepends=True)
    lines[chance.randrange(len(lines) + 1) : 0] = lines[chance.randrange(len(lines)) :] * chance.choice([1, 1, 1, 40])
    return "".join(lines)


def token(chance, text):
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(TOKENS) + text[at:]


def other_name(chance, text):
    names = [a or b for a, b in NAMES.findall(text)]
    return text if not names else text.replace(chance.choice(names), chance.choice(names + ["a b", "", "%s%n"]), chance.choice([1, 1, -1]))


CHANGES = [one_number, one_number, other_name, one_byte, cut, again, token]


def changed(chance, text):
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if text:
            text = chance.choice(CHANGES)(chance, text)
    return text


class Case(collections.namedtuple("Case", "number kind base text")):
    """A file: a topology with its base's hosts, or a plan for hosts.dot."""

    def hosts(self):
        text = re.sub(r"//.*", "", self.base.read_text())
        ends = re.findall(r'"?([\w-]+)"?\s*--\s*"?([\w-]+)"?', text)
        names = [name for name in dict.fromkeys(end for pair in ends for end in pair) if not name.startswith("s")]
        return names[:4]


def cases(numbers, seed, plans):
    for number in numbers:
        chance = random.Random(f"{seed} {number}")
        if number % 2:
            base, text, kind = TOPOLOGIES[0], chance.choice(plans), "plan"
        else:
            base, kind = chance.choice(TOPOLOGIES), "topology"
            text = base.read_text()
        yield Case(number, kind, base, changed(chance, text))


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(command, seconds, environment=None, **more):
    try:
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False, **more
        )
    except subprocess.TimeoutExpired:
        return None


def read_alone(case, path):
    """Why mtree(1) does not read the file as it must, or None; and whether it takes it."""
    command = [BUILD / "mtree", {"plan": "check", "topology": "topology"}[case.kind], path]
    done = run(command, SECONDS, preexec_fn=bounded)
    if done is None:
        return f"takes more than {SECONDS} s", False
    said = [line for line in done.stdout.splitlines() if line.startswith(b"mtree: ") and WARNING not in line]
    if done.returncode not in (0, 1) or (done.returncode == 1 and len(said) != 1):
        return f"status {done.returncode}, {len(said)} lines: {done.stdout[:500]}", False
    return None, done.returncode == 0


def run_job(case, path, taken, folder):
    """Why a job with the file does not go as it must, or None."""
    hosts = case.hosts()
    ranks = 2 + case.number % 3
    environment = {
        **os.environ,
        "TIMEOUT": "60",
        "SAID": str(folder / "said"),
        "HOME": str(folder / "home"),
        "OMPI_MCA_coll_mtree_min_bytes": "0",
        "OMPI_MCA_coll_mtree_hosts": ",".join(hosts[:ranks]),
        "OMPI_MCA_coll_mtree_topology": str(path if case.kind == "topology" else case.base),
    }
    if case.kind == "plan":
        environment["OMPI_MCA_coll_mtree_plan"] = str(path)
    command = [HERE / "run.sh", "bare", str(ranks), "tests/mpi/few_calls"]
    (folder / "said").write_text("")
    done = run(command, 90, environment)
    if done is None or done.returncode != 0 or b" 0 failed" not in done.stdout:
        return f"the job failed: {'no end' if done is None else done.stdout[-1500:].decode(errors='replace')}"
    said = [line for line in (folder / "said").read_bytes().splitlines() if b"coll:mtree: " in line and WARNING not in line]
    if len(said) > 1 or (not taken and len(said) != 1):
        return f"{len(said)} lines: {said}"
    if os.listdir(folder / "home"):
        return f"files were left in the home folder: {os.listdir(folder / 'home')}"
    return None


def good_plans(folder):
    """Plans for the first two to four hosts of hosts.dot."""
    plans = []
    for collective in ("allreduce", "bcast"):
        for hosts in ("h0,h1", "h0,h1,h2", "h0,h1,h2,h3"):
            path = folder / "plan.json"
            command = [BUILD / "mtree", "plan", "-C", collective, "--hosts", hosts, "-o", path, TOPOLOGIES[0]]
            done = run(command, 60)
            if done.returncode != 0:
                sys.exit(f"test_hostile.py: FAILED: {done.stdout.decode()}")
            plans.append(path.read_text())
    return plans


def main():
    count, jobs, seed, first = (int(text) for text in (sys.argv[1:] + ["60", "14", "1", "0"][len(sys.argv) - 1 :]))
    if shutil.which("mpirun") is None or not (BUILD / ".libs/mca_coll_mtree.so").exists():
        print("test_hostile.py: no mpirun or no mtree: skipped")
        return SKIP
    failed = taken = ran = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "home").mkdir()
        for done, case in enumerate(cases(range(first, first + count), seed, good_plans(folder))):
            path = folder / ("file.dot" if case.kind == "topology" else "file.json")
            path.write_text(case.text, encoding="latin-1", newline="")
            why, is_taken = read_alone(case, path)
            taken += is_taken
            # Jobs are spread over all files.
            if why is None and done * jobs // count != (done + 1) * jobs // count:
                ran += 1
                why = run_job(case, path, is_taken, folder)
            if why is not None:
                failed += 1
                kept = BUILD / f"hostile-{seed}-{case.number}{path.suffix}"
                shutil.copy(path, kept)
                print(f"test_hostile.py: FAILED: {case.kind} {case.number} of {case.base.name}, kept as {kept}: {why}")
    print(f"test_hostile.py: {count} files, {taken} of them read, {ran} jobs: {failed} failed")
    return 0 if failed == 0 and ran == jobs and 0 < taken < count else 1


if __name__ == "__main__":
    sys.exit(main())
