#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the league (docs/league.md): mtree, Open MPI's algorithms, MPICH and Gloo in labs.

Each cell has a file of its own in FOLDER, and a cell that is there is not measured again.
"""

import argparse
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import networks as league  # noqa: E402
import players  # noqa: E402
import table  # noqa: E402

from conditions import NETLAB, Bench, RowFailed, positive  # noqa: E402

SETTINGS = ("net/ipv4/tcp_congestion_control", "net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem")
SETTINGS += ("net/core/rmem_max", "net/core/wmem_max", "net/core/default_qdisc")
HOUR, FIVE_MINUTES = 3400, 270  # seconds after which no cell is begun; its end takes a while
FIRST_GUESS = 20  # seconds of a cell while none is there to learn from


def some_of(known):
    """An argument type: names out of KNOWN, separated by commas."""

    def convert(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return names

    return convert


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(prog="league.py", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("folder", type=pathlib.Path, metavar="FOLDER", help="of the results")
    add("--build", default=".", metavar="DIR", help="the build folder; .")
    add("--quick", action="store_true", help="a part, in five minutes")
    names = ", ".join(league.NETWORKS)
    add("--networks", type=some_of(league.NETWORKS), metavar="LIST", help=names)
    known = ", ".join(league.COLLECTIVES)
    add("--collectives", type=some_of(league.COLLECTIVES), metavar="LIST", help=known)
    add("--sizes", type=players.compare.parse_sizes, metavar="LIST", help="bytes; 64k,1M,16M")
    add("--players", type=some_of(table.NAMES), metavar="LIST", default=players.USUAL)
    add("-R", "--turns", type=positive(int), default=1, metavar="N", help="of each player; 1")
    add("--limit", type=positive(float), default=20, metavar="SECONDS", help="the longest run; 20")
    add("--seconds", type=positive(float), help="begin no cell after this time; 3400, --quick 270")
    add("--page", type=pathlib.Path, metavar="FILE", help="write the table into this page, too")
    add("--again", action="store_true", help="measure cells that are there, too")
    options = parser.parse_args(arguments)
    quick = (league.QUICK_NETWORKS, league.QUICK_COLLECTIVES, league.QUICK_SIZES)
    every = (league.NETWORKS, league.COLLECTIVES, league.SIZES)
    networks, collectives, sizes = quick if options.quick else every
    options.networks = options.networks or list(networks)
    options.collectives = options.collectives or list(collectives)
    options.sizes = options.sizes or list(sizes)
    options.seconds = options.seconds or (FIVE_MINUTES if options.quick else HOUR)
    return options


def first_line(*command):
    """What a program prints first, or None where there is no such program."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return (done.stdout.splitlines() or [None])[0]


def setting(name):
    try:
        return pathlib.Path("/proc/sys", name).read_text(encoding="ascii").strip()
    except OSError:
        return None


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return models[0] if models else platform.machine()


def where(bench):
    """The versions of all players, the machine, and the kernel's settings."""
    python = players.torch_python()
    torch = "import torch; print(torch.__version__)"
    return {
        "mtree": first_line(str(bench.build / "mtree"), "--version"),
        "open_mpi": first_line("mpirun", "--version"),
        "mpich": first_line("mpichversion"),
        "torch": first_line(python, "-c", torch) if python else None,
        "kernel": platform.release(),
        "processor": f"{os.cpu_count()} x {processor()}",
        "settings": {name.replace("/", "."): setting(name) for name in SETTINGS},
    }


def seconds_left(missing, measured):
    """An estimate for the cells that are missing, from those that are there."""
    known = {}
    for cell in measured:
        known.setdefault(cell["bytes"], []).append(cell["seconds"])
    every = [seconds for some in known.values() for seconds in some] or [FIRST_GUESS]
    return sum(statistics.mean(known.get(cell.num_bytes, every)) for cell in missing)


def write_into(path, text):
    """Put the table into a page."""
    try:
        page = table.in_page(path.read_text(encoding="utf-8"), text)
    except ValueError as error:
        raise ValueError(f"--page {path}: {error}") from None
    path.write_text(page, encoding="utf-8")


class League:
    """The cells that are wanted, those that are there, and the labs for the others."""

    def __init__(self, options):
        self.options = options
        self.until = time.time() + options.seconds
        options.timeout = None
        self.bench = Bench(options)
        self.bench.environment.pop("OMPI_MCA_coll_mtree_streams")
        every = league.cells(options.networks, options.collectives, options.sizes)
        self.measured = {cell: cell.load(options.folder) for cell in every}
        self.missing = [cell for cell in every if options.again or self.measured[cell] is None]
        self.players = self.present_players() if self.missing else []
        self.where = where(self.bench) if self.missing else {}

    def present_players(self):
        """Those of the wanted ones that can play here; a line for each that cannot."""
        missing = players.missing(self.bench.build)
        for name in self.options.players:
            if name in missing:
                print(f"league.py: {name} is left out: {missing[name]}", flush=True)
        return [name for name in self.options.players if name not in missing]

    def there(self):
        return [cell for cell in self.measured.values() if cell is not None]

    def show(self, cell):
        """The line of a cell that is there now."""
        measured = self.measured[cell] = cell.load(self.options.folder)
        self.missing.remove(cell)
        times = [f"{name} {table.time_text(entry)}" for name, entry in measured["players"].items()]
        minutes = seconds_left(self.missing, self.there()) / 60
        number = len(self.measured) - len(self.missing)
        print(
            f"{number} of {len(self.measured)}, {minutes:.0f} min left: "
            f"{cell.name} ms: {', '.join(times)}",
            flush=True,
        )

    def command(self, name, cells, file):
        """netlab with a lab of the network, and lab.py in it."""
        network = league.NETWORKS[name]
        job = {
            "network": name,
            "cells": [(cell.collective, cell.num_bytes) for cell in cells],
            "build": str(self.bench.build),
            "folder": str(self.options.folder.resolve()),
            "players": self.players,
            "turns": self.options.turns,
            "limit": self.options.limit,
            "until": self.until,
            "where": self.where,
        }
        lab = [sys.executable, NETLAB, "run", file, *network.options, "--name", self.bench.lab]
        inside = [sys.executable, HERE / "lab.py", json.dumps(job)]
        return [str(word) for word in [*lab, "--", *inside]]

    def play(self, name, folder):
        """Measure the missing cells of a network in a lab of it."""
        cells = {cell.name: cell for cell in self.missing if cell.network == name}
        if not cells or time.time() > self.until:
            return
        file = folder / f"{name}.dot"
        generate = lambda *shape: self.bench.mtree("generate", *shape)
        text = league.NETWORKS[name].text(league.ROOT, generate)
        file.write_text(text, encoding="utf-8")
        command = self.command(name, cells.values(), file)
        with open(self.options.folder / "league.log", "a", encoding="utf-8") as log:
            status = self.follow(command, cells, log)
        if status != 0:
            raise RowFailed(f"{name}: the lab ended early: see {log.name}")

    def follow(self, command, cells, log):
        """Run the lab, with a line for each of its cells; its exit status."""
        with subprocess.Popen(
            command, env=self.bench.environment, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process:
            try:
                for line in process.stdout:
                    self.show(cells[line.strip()])
            except BaseException:
                process.terminate()
                raise
        return process.returncode

    def write(self):
        """The table, what gnuplot draws of each network, and all cells in one file."""
        folder = self.options.folder
        # Their reports came after their lines.
        self.measured = {cell: cell.load(folder) for cell in self.measured}
        cells = self.there()
        (folder / "league.md").write_text(table.markdown(cells), encoding="utf-8")
        (folder / "league.json").write_text(json.dumps(cells, indent=1) + "\n", encoding="utf-8")
        for name in self.options.networks:
            own = [cell for cell in cells if cell["network"] == name]
            if own:
                (folder / f"{name}.tsv").write_text(table.plot_table(own), encoding="utf-8")
        if self.options.page is not None:
            write_into(self.options.page, table.markdown(cells))


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = False
    try:
        play = League(options)
        with tempfile.TemporaryDirectory(prefix="mtree_league_") as folder:
            for name in options.networks:
                try:
                    play.play(name, pathlib.Path(folder))
                except RowFailed as failure:
                    print(f"league.py: error: {failure}", file=sys.stderr)
                    failed = True
        play.write()
    except (ValueError, OSError) as error:
        print(f"league.py: error: {error}", file=sys.stderr)
        return 2
    print((options.folder / "league.md").read_text(encoding="utf-8"), end="")
    return 1 if failed or table.failures(play.there()) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
