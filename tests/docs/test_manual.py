#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages say what the programs and the component say of themselves, no more, no less."""

import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))
BUILD = os.getcwd()

failures = []


def fail(text):
    failures.append(text)
    print(f"FAILED: {text}")


def page(name):
    """A page's lines without fonts and escapes; examples call other programs, too."""
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\.SH EXAMPLES.*?(?=\.SH|\Z)", "", text, flags=re.DOTALL)
    text = re.sub(r"\\f[A-Z]|\"", "", text.replace("\\-", "-"))
    return text.split("\n")


# A line that has another program's command line says nothing of this one's.
OTHERS = re.compile(r"mpirun |--mca coll|\.B mtree [a-z]")


def options_in(lines):
    return {
        option
        for line in lines
        if not OTHERS.search(line)
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", line)
    }


def letters_in(lines):
    """One-letter options: -x, or -x and its long form after a comma."""
    return {
        letter
        for line in lines
        if not OTHERS.search(line)
        for letter in re.findall(r"(?<![\w-])-[A-Za-z](?![\w-])", line)
    }


def output(*command):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    ).stdout.split("\n")


def compare(name, what, helps, says):
    """What --help has, the page has, and the other way round."""
    for missing in sorted(helps - says):
        fail(f"docs/{name} does not have {what} {missing}")
    for stale in sorted(says - helps):
        fail(f"docs/{name} has {what} {stale}, which no --help knows")


def commands(lines, pattern):
    return {match[1] for match in map(re.compile(pattern).match, lines) if match}


def check_program(name, program, command_pattern=None):
    """The page NAME against the --help of a program, and of each of its commands."""
    lines = output(*program, "--help")
    known = commands(lines, command_pattern) if command_pattern else set()
    if not any(lines):
        fail(f"{program[-1]} --help says nothing")
    for command in sorted(known):
        lines += output(*program, command, "--help")
    # A usage line may name options that a sentence explains; -h is everybody's.
    says = page(name)
    compare(name, "the option", options_in(lines) - {"--help", "--version"},
            options_in(says) - {"--help", "--version"})
    compare(name, "the option", letters_in(lines) - {"-h"}, letters_in(says) - {"-h"})
    if known:
        section = "\n".join(says).split(".SH COMMANDS")[1].split(".SH ")[0]
        headings = set(re.findall(r"^\.TP\n\.B (\w+)$", section, flags=re.MULTILINE))
        compare(name, "the command", known, headings)


def parameters():
    """{name: default} of the component, as Open MPI knows them."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OMPI_MCA_")
    }
    environment["OMPI_MCA_mca_base_component_path"] = f"{BUILD}/.libs:SYS_DEFAULT"
    done = subprocess.run(
        ["ompi_info", "--param", "coll", "mtree", "--level", "9", "--parsable"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        check=False,
    )
    values = dict(
        re.findall(r"^mca:coll:mtree:param:coll_mtree_(\w+):value:(.*)$", done.stdout,
                   flags=re.MULTILINE)
    )
    return values


def check_parameters():
    known = parameters()
    if len(known) < 10:
        fail(f"ompi_info knows {len(known)} parameters of the component in {BUILD}/.libs")
        return
    says = dict(
        re.findall(r"^\.TP\n\.BR coll_mtree_(\w+)  ?\(\w+: (.*)\)$",
                   "\n".join(page("coll_mtree.7")), flags=re.MULTILINE)
    )
    compare("coll_mtree.7", "the parameter", set(known), set(says))
    for name in sorted(set(known) & set(says)):
        default = {"": "empty", "true": "1", "false": "0"}.get(known[name], known[name])
        default = re.sub(r"\.?0+$", "", default) if re.fullmatch(r"\d+\.\d+", default) else default
        if name == "topology" and default == "empty":
            default = "auto"
        if default != says[name]:
            fail(f"docs/coll_mtree.7: coll_mtree_{name} is {says[name]} there, {default} here")


def check_form():
    """No warnings, and every page that a page points to exists or is somebody else's."""
    pages = [name for name in os.listdir(os.path.join(SOURCE, "docs"))
             if re.fullmatch(r".*\.[1-8]", name)]
    others = {"mpirun.1", "ompi_info.1", "dot.1", "ip-netns.8", "tc-tbf.8"}
    for name in sorted(pages):
        path = os.path.join(SOURCE, "docs", name)
        if shutil.which("mandoc"):
            for line in output("mandoc", "-Tlint", "-Wwarning", path):
                if line:
                    fail(line)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-Kutf8", "-z", path],
                                  stderr=subprocess.PIPE, text=True, check=False)
            for line in filter(None, done.stderr.split("\n")):
                fail(line)
        for reference, section in re.findall(r"^\.BR ([\w-]+) \((\d)\)", "\n".join(page(name)),
                                             flags=re.MULTILINE):
            target = f"{reference}.{section}"
            if section != "3" and target not in pages and target not in others:
                fail(f"docs/{name} points to {reference}({section}), which there is not")


# Folders with sources that documents name, and files beside them.
ROOMS = ("base", "topo", "planner", "schedule", "tcp", "relay", "simulate", "report", "coll_mtree", "mpich", "tools", "library", "bench",
         "papers", "tests", "config", "packaging", "examples", "topologies", "docs")


# Headers of others that documents name.
FOREIGN = {"glpk.h", "hwloc.h", "mpi.h", "mpif.h", "mpi-ext.h"}


def read_tree():
    """The names of the files of the rooms, and the text of the sources among them."""
    names, texts = set(), []
    for room in ROOMS:
        for folder, _, files in os.walk(os.path.join(SOURCE, room)):
            for name in files:
                path = os.path.join(folder, name)
                names.add(os.path.relpath(path, SOURCE))
                if room != "docs" and name.endswith((".h", ".c", ".py", ".sh", ".test", ".inc")):
                    with open(path, encoding="utf-8") as file:
                        texts.append(file.read())
    return names, "\n".join(texts)


def check_names():
    """Every file, type and constant of ours that a document names is there, and so is every page that it links to."""
    names, text = read_tree()
    words = set(re.findall(r"\w+", text))
    bases = {os.path.basename(name) for name in names} | FOREIGN
    documents = [name for name in names if re.fullmatch(r"docs/[\w-]+\.md", name)]
    for document in sorted([*documents, "README.md", "CONTRIBUTING.md", "NEWS.md"]):
        with open(os.path.join(SOURCE, document), encoding="utf-8") as file:
            prose = re.sub(r"^```.*?^```", "", file.read(), flags=re.DOTALL | re.MULTILINE)
        # NEWS.md names what is no more, and NAME stands for a name; a file of Open MPI's is not ours.
        said = "" if document == "NEWS.md" else re.sub(r"[\w/]*NAME\.\w+", "", prose)
        for name in sorted(set(re.findall(r"(?<![*/\w.-])[\w/-]+\.(?:c|h|py|test)\b", said))):
            is_ours = name.partition("/")[0] in ROOMS or "/" not in name
            if is_ours and name not in names and ("/" in name or name not in bases):
                fail(f"{document} names the file {name}, which there is not")
        for name in sorted(set(re.findall(r"`((?:coll_)?mtree_\w+_t|[A-Z]+_[A-Z_]+)`", said))):
            if name not in words and not re.match(r"OMPI_|PMIX_|PRTE_|MPI_|FFTW_", name):
                fail(f"{document} names {name}, which the sources do not have")
        for target in re.findall(r"\]\(([\w./-]+)\)", prose):
            path = os.path.normpath(os.path.join(SOURCE, os.path.dirname(document), target))
            if not os.path.exists(path):
                fail(f"{document} links to {target}, which there is not")
    for target in sorted(set(re.findall(r"\bdocs/[\w-]+\.(?:md|[1-8])\b", text)) - names):
        fail(f"a source points to {target}, which there is not")


def main():
    check_names()
    check_program("mtree.1", ["./mtree"], r"  ([a-z]+)  +\S")
    check_program("netlab.1", [os.path.join(SOURCE, "tools", "netlab", "netlab")], r"    ([a-z]+)  +\S")
    check_program("mtree_bench.1", ["./mtree_bench"])
    check_program("mtree_bench_compare.1", [os.path.join(SOURCE, "bench", "mtree_bench_compare")])
    check_form()
    if shutil.which("ompi_info"):
        check_parameters()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
