#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run every example of the documents, as a reader would.

    run_examples.py DOCUMENT.md... PAGE.1...

In a document, in the order of its text:

- a fenced block ```sh is run by bash -eu; blocks of one document share a scratch folder, where
  topologies/, examples/ and build/ are, with the programs of the build folder on the path;
- a fenced block ```text after it is what it prints: each line of it must be found, in this order, where
  ... stands for anything, alone on a line for any number of lines;
- any other fenced block whose first line is a comment that names a file (// mine.dot, # job.sh) is
  written to that file;
- <!-- not run: REASON --> before a block keeps it from being run;
- <!-- lab --> says that it calls netlab, <!-- lab: FILE.dot SCALE --> that it is run in a lab of that network:
  where there can be no labs it is left out, and counted.

- <!-- needs: COMMAND --> leaves it out, and counts it, where that command fails.

What documents take for granted is in the folder, too: ./app, a short MPI program; mine.dot, a map; hosts, a
hostfile, in a lab that of its hosts.

Commands in indented blocks are not run, so there must be none.  Of a manual page the blocks between .nf and .fi
under EXAMPLES are run, after comments of the same form (.\" lab).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))
BUILD = os.getcwd()
SECONDS_A_BLOCK = 240
# Beginnings of lines that a reader would take for a command to type.
COMMANDS = re.compile(r" {4,}(mtree|mpirun|netlab|make|cmake|export|\./[a-z]+|sbatch|spack|apt)\b")


class Failure(Exception):
    """An example that does not do what the document says, in words."""


class Block:
    def __init__(self, language, note, line):
        self.language = language
        self.note = note
        self.line = line
        self.text = ""


def read_blocks(path):
    """The fenced blocks of a document, in order; commands outside of them are a failure."""
    blocks, block, note = [], None, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                if block is None:
                    block = Block(line[3:].strip(), note, number)
                else:
                    blocks.append(block)
                    block = None
                note = ""
            elif block is not None:
                block.text += line
            elif line.startswith("<!--"):
                note = line[4:].split("-->")[0].strip()
            else:
                note = note if line.strip() == "" else ""
                if COMMANDS.match(line):
                    raise Failure(f"{path}:{number}: a command in an indented block is not "
                                  f"run; fence it: {line.strip()}")
    return blocks


def read_page(path):
    """The blocks of commands under EXAMPLES of a manual page, in the form of a document's."""
    with open(path, encoding="utf-8") as file:
        section = file.read().partition(".SH EXAMPLES\n")
    first = section[0].count("\n") + 2
    blocks, block, note = [], None, ""
    for number, line in enumerate(section[2].partition(".SH ")[0].split("\n"), first):
        if line.startswith('.\\" '):
            note = line[len('.\\" '):]
        elif line == ".nf":
            block = Block("sh", note, number)
            note = ""
        elif line == ".fi":
            blocks.append(block)
            block = None
        elif block is not None:
            block.text += line.replace("\\-", "-").replace("\\e", "\\") + "\n"
    return blocks


def check_output(wanted, got, where):
    """Each wanted line is there, in order, and nothing is between them unless ... says so."""
    gap, position = False, 0
    for line in wanted.rstrip("\n").split("\n"):
        if line.strip() == "...":
            gap = True
            continue
        pattern = re.compile(r"\s+".join(
            ".*".join(map(re.escape, word.split("..."))) for word in line.split()))
        matches = [index for index in range(position, len(got))
                   if pattern.fullmatch(got[index].strip())]
        if not matches or (not gap and position > 0 and matches[0] != position):
            found = "\n    ".join(got)
            raise Failure(f"{where}: the output has no line '{line}' there; it is:\n    {found}")
        position = matches[0] + 1
        gap = False


def environment(folder):
    """What a reader has who built mtree and sourced environment.sh, in a home of his own."""
    sourced = subprocess.run(["sh", "-c", f". {BUILD}/environment.sh && env -0"], text=True,
                             stdout=subprocess.PIPE, check=True).stdout
    variables = dict(entry.split("=", 1) for entry in sourced.split("\0") if entry)
    variables = {name: value for name, value in variables.items()
                 if not name.startswith(("OMPI_MCA_", "MAKE", "MFLAGS"))
                 or name == "OMPI_MCA_mca_base_component_path"}
    variables.update(
        HOME=os.path.join(folder, "home"),
        OMPI_MCA_rmaps_base_oversubscribe="1",
        PRTE_MCA_rmaps_default_mapping_policy="slot:oversubscribe",
        OMPI_MCA_mpi_yield_when_idle="1",
        OMPI_MCA_reachable="weighted",
        MTREE=os.path.join(BUILD, "mtree"),
        NETLAB_RELAY=os.path.join(BUILD, "netlab_relay"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    variables.pop("XDG_CACHE_HOME", None)
    if os.geteuid() == 0:
        variables.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return variables


def run_block(block, where, folder):
    """The lines that a block of commands prints."""
    # A command may fail and say nothing: the reader of the failure is told which it was.
    told = 'trap \'echo "status $? of: $BASH_COMMAND"\' ERR\n'
    command = ["bash", "-eu", "-o", "pipefail", "-c", told + block.text]
    if block.note.startswith("lab:"):
        network, scale = block.note[len("lab:"):].split()
        command[-1] = f'{told}cp "$OMPI_MCA_orte_default_hostfile" hosts; {block.text}'
        command = ["netlab", "run", network, "--scale", scale, "--no-latency", "--", *command]
    done = subprocess.run(command, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=SECONDS_A_BLOCK, check=False)
    if done.returncode != 0 or "netlab: warning" in done.stdout:
        raise Failure(f"{where}: status {done.returncode}:\n{block.text}{done.stdout}")
    return [line.strip() for line in done.stdout.split("\n")]


def furnish(folder):
    """What documents take for granted."""
    for name in ("topologies", "examples", "tests"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
    shutil.copy(os.path.join(SOURCE, "examples", "sites.dot"), os.path.join(folder, "mine.dot"))
    os.symlink(BUILD, os.path.join(folder, "build"))
    os.mkdir(os.path.join(folder, "home"))
    with open(os.path.join(folder, "hosts"), "w", encoding="utf-8") as file:
        file.write("localhost slots=4\n")
    path = os.path.join(folder, "app")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec mtree_bench -m 64k:64k -i 2 -x 1 -c\n")
    os.chmod(path, 0o755)


def write_file(block, folder):
    match = re.match(r"(?://|#) (\S+\.\w+)\b.*\n", block.text)
    # A name from the root is not for the scratch folder, and nothing is written elsewhere.
    if match and not os.path.isabs(match[1]) and ".." not in match[1]:
        with open(os.path.join(folder, match[1]), "w", encoding="utf-8") as file:
            file.write(block.text)


def is_missing(block, has_lab):
    """Does this machine lack what the block's note says that it needs?"""
    kind, _, value = block.note.partition(":")
    if kind == "needs":
        return subprocess.run(["sh", "-c", value], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode != 0
    return kind == "lab" and not has_lab


def run_document(path, folder, has_lab):
    """How many blocks were run and how many were left out."""
    ran = skipped = 0
    printed = None
    furnish(folder)
    for block in read_blocks(path) if path.endswith(".md") else read_page(path):
        where = f"{os.path.relpath(path, SOURCE)}:{block.line}"
        if block.note.startswith("not run:") and block.note != "not run:":
            printed = None
        elif block.language == "sh" and is_missing(block, has_lab):
            skipped, printed = skipped + 1, None
        elif block.language == "sh":
            printed = run_block(block, where, folder)
            ran += 1
        elif block.language == "text" and printed is not None:
            check_output(block.text, printed, where)
        else:
            write_file(block, folder)
    return ran, skipped


def probe_lab():
    """Can netlab play networks here?"""
    program = os.path.join(SOURCE, "tools", "netlab", "netlab")
    return subprocess.run([program, "probe"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def end_labs(folder):
    """Labs that a failed example left standing."""
    listed = subprocess.run(["netlab", "status", "--json"], env=environment(folder),
                            stdout=subprocess.PIPE, check=False).stdout
    for lab in json.loads(listed or "[]"):
        if os.path.realpath(lab["file"]).startswith((folder, SOURCE)):
            subprocess.run(["netlab", "down", lab["name"]], env=environment(folder), check=False)


def alone():
    """Labs of examples have names that others may use: root sees those of this program only."""
    if os.geteuid() != 0 or "MTREE_DOCS_ALONE" in os.environ:
        return
    os.environ["MTREE_DOCS_ALONE"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "sh", "-c",
                          'mkdir -p /run/netlab && mount -t tmpfs tmpfs /run/netlab && exec "$@"',
                          "sh", sys.executable, *sys.argv])


def main():
    alone()
    has_lab, failed = probe_lab(), 0
    for path in sys.argv[1:]:
        folder = tempfile.mkdtemp(prefix="mtree-docs-")
        try:
            ran, skipped = run_document(path, folder, has_lab)
            left_out = f", {skipped} left out for want of what they need" if skipped else ""
            print(f"{os.path.relpath(path, SOURCE)}: {ran} examples run{left_out}")
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAILED: {failure}")
        finally:
            end_labs(folder)
            shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
