#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure what relays are worth (docs/benchmarks.md): groups of hosts of a network with drawn links, in labs.

Each drawing is a lab in which a group of hosts calls collectives while relays run on the other hosts.  A line
of JSON per collective is appended to the output; drawings that are there are not measured again.  --summary
prints what is there.
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETLAB = ROOT / "tools/netlab/netlab"
PORT = 7471
LINK = re.compile(r'^(\s*"?([\w.]+)"? -- "?([\w.]+)"?) \[.*\];$', re.MULTILINE)
HOST = re.compile(r'^\s*"?([\w.]+)"? \[kind=host\];$', re.MULTILINE)
# Of Open MPI's own, besides its default; the best of all counts.
ALGORITHMS = {
    "bcast": ("pipeline", "chain", "binomial", "scatter_allgather"),
    "allreduce": ("ring", "rabenseifner", "recursive_doubling"),
}


def draw_links(text, seed, options):
    """TEXT with other links."""
    drawn = random.Random(seed)

    def link(match):
        capacity = drawn.uniform(options.slowest, options.fastest)
        delay = options.latency * options.slowest / capacity
        latency = f' latency="{delay:.3f}ms"' if delay > 0 else ""
        return f'{match[1]} [capacity="{capacity:.1f}Mbps"{latency}];'

    return LINK.sub(link, text)


class Lab:
    """A standing lab with relays on all hosts but those of the group."""

    def __init__(self, options, folder, seed):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.map = folder / f"drawing{seed}.dot"
        self.secret = folder / "secret"
        self.name = f"worth{os.getpid()}"
        text = pathlib.Path(options.map).read_text()
        hosts = HOST.findall(text)
        if options.group is None:
            text = draw_links(text, seed, options)
        self.map.write_text(HOST.sub(rf'    "\1" [kind=host relay="\1:{PORT}"];', text))
        self.group = options.group or random.Random(f"hosts {seed}").sample(hosts, options.hosts)
        self.others = [host for host in hosts if host not in self.group]
        self.environment = {
            **os.environ,
            "MTREE": str(self.build / "mtree"),
            "NETLAB_RELAY": str(self.build / "netlab_relay"),
            "OMPI_MCA_mca_base_component_path": f"{self.build}/.libs:SYS_DEFAULT",
            "OMPI_MCA_coll_mtree_cache_days": "0",
        }
        self.relays = []

    def netlab(self, *command):
        return [str(NETLAB), *map(str, command)]

    def __enter__(self):
        subprocess.run(self.netlab("up", self.map, "--name", self.name), env=self.environment, check=True)
        for host in self.others:
            command = self.netlab(
                "exec", self.name, host, "--", self.build / "mtree", "relay", "--secret", self.secret, "--port", PORT
            )
            self.relays.append(
                subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
        time.sleep(1)
        return self

    def __exit__(self, *_):
        for relay in self.relays:
            relay.terminate()
            relay.wait()
        subprocess.run(self.netlab("down", self.name), env=self.environment, check=True)

    def seconds(self, collective, calls, warmup=1, **parameters):
        """Of the slowest rank, the mean of so many calls behind those of the warm-up."""
        environment = dict(self.environment)
        for name, value in parameters.items():
            environment[f"OMPI_MCA_{name}"] = str(value)
        command = self.netlab("exec", self.name, self.group[0], "--", "mpirun", "-n", len(self.group))
        command += ["--host", ",".join(self.group), str(self.build / "mtree_bench"), "-t", collective]
        command += ["-m", f"{self.options.size}:{self.options.size}", "-x", str(warmup), "-i", str(calls)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=self.options.timeout, check=False
        )
        found = re.search(r"^\d+\s+[\d.]+\s+([\d.]+)", done.stdout, re.MULTILINE)
        if done.returncode != 0 or found is None:
            raise RuntimeError(f"{collective} {parameters}: {done.stdout}{done.stderr}")
        return float(found[1]) / 1e6

    def best_of_openmpi(self, collective):
        """Seconds of the fastest of Open MPI's algorithms, and its name."""
        times = {"default": self.seconds(collective, 1, 0, coll="^mtree")}
        for algorithm in ALGORITHMS[collective]:
            if len(self.group) > 2 and not self.options.default_alone:
                times[algorithm] = self.seconds(
                    collective,
                    1,
                    0,
                    coll="^mtree",
                    coll_tuned_use_dynamic_rules=1,
                    **{f"coll_tuned_{collective}_algorithm": algorithm},
                    **{f"coll_tuned_{collective}_algorithm_segmentsize": 65536},
                )
        name = min(times, key=times.get)
        return times[name], name

    def bound(self, collective):
        """The least time of a call through the relays, and what needs it."""
        command = [self.build / "mtree", "plan", self.map, "-C", collective, "--hosts", ",".join(self.group)]
        command += ["--relays", "marked", "--size", str(self.options.size)]
        command += ["--trees", str(self.options.trees), "--json"]
        plan = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return plan["bound_seconds"], plan["bound_by"]

    def measure(self, collective):
        mtree = {"coll": "mtree", "coll_mtree_topology": self.map, "coll_mtree_trees": self.options.trees}
        openmpi, name = self.best_of_openmpi(collective)
        turns = [
            (
                self.seconds(collective, 1, **mtree, coll_mtree_min_bytes=0),
                # Without min_bytes the first calls may be Open MPI's, while the plan is made.
                self.seconds(
                    collective, 2, **mtree, coll_mtree_relay_secret=self.secret, coll_mtree_min_bytes=0
                ),
            )
            for _ in range(self.options.turns)
        ]
        without = statistics.median(turn[0] for turn in turns)
        with_relays = statistics.median(turn[1] for turn in turns)
        bound, bound_by = self.bound(collective)
        return {
            "group": self.group,
            "openmpi": openmpi,
            "algorithm": name,
            "mtree": without,
            "relays": with_relays,
            "load": os.getloadavg()[0],
            "spread": [min(turn[1] for turn in turns), max(turn[1] for turn in turns)],
            "times": min(openmpi, without) / with_relays,
            "share": bound / with_relays,
            "bound_by": bound_by,
        }


def setting(options):
    group = ",".join(options.group) if options.group else options.hosts
    rates = None if options.group else [options.slowest, options.fastest]
    return [os.path.basename(options.map), group, rates, options.latency, options.size, options.trees]


def read(output):
    return [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []


def summarize(rows):
    """Medians, and the least and the most, of each setting."""
    for key in sorted({json.dumps(row["setting"] + [row["collective"]]) for row in rows}):
        these = [row for row in rows if json.dumps(row["setting"] + [row["collective"]]) == key]
        times = [row["times"] for row in these]
        shares = [row["share"] for row in these]
        against = [row["openmpi"] / row["relays"] for row in these]
        print(
            f"{key}: {len(these)} drawings; "
            f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f}) times the "
            f"faster of Open MPI and mtree without relays, {statistics.median(against):.2f} ({min(against):.2f} to "
            f"{max(against):.2f}) times Open MPI's best; {100 * statistics.median(shares):.0f} % "
            f"({100 * min(shares):.0f} to {100 * max(shares):.0f}) of the bound, "
            f"by {' or '.join(sorted({row['bound_by'] for row in these}))}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path, help="the results, a line of JSON for each")
    parser.add_argument("--map", default=str(ROOT / "topologies/b4.dot"))
    parser.add_argument("--build", default=".", help="the build folder")
    parser.add_argument("--hosts", type=int, default=2, help="in a group")
    parser.add_argument("--group", type=lambda text: text.split(","), help="these hosts, and the links of the file")
    parser.add_argument("--collectives", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    parser.add_argument("--drawings", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first drawing's seed")
    parser.add_argument("--slowest", type=float, default=12, help="Mb/s of links")
    parser.add_argument("--fastest", type=float, default=68)
    parser.add_argument("--latency", type=float, default=0, help="ms of the slowest link; others by capacity")
    parser.add_argument("--size", type=int, default=16 << 20, help="bytes")
    parser.add_argument("--trees", type=int, default=10, help="coll_mtree_trees")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--default-alone", action="store_true", help="of Open MPI's algorithms; the others take minutes")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no drawing after so many")
    parser.add_argument("--timeout", type=float, default=120, help="the longest that one job may take")
    parser.add_argument("--summary", action="store_true", help="print what is there, measure nothing")
    options = parser.parse_args()
    began = time.monotonic()
    for seed in range(options.first, options.first + options.drawings) if not options.summary else ():
        there = {(json.dumps(row["setting"]), row["seed"], row["collective"]) for row in read(options.output)}
        missing = [name for name in options.collectives if (json.dumps(setting(options)), seed, name) not in there]
        if not missing or time.monotonic() - began > options.seconds:
            continue
        with tempfile.TemporaryDirectory() as folder:
            secret = pathlib.Path(folder) / "secret"
            with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(os.urandom(32))
            with Lab(options, pathlib.Path(folder), seed) as lab:
                for collective in missing:
                    row = {"setting": setting(options), "seed": seed, "collective": collective}
                    row.update(lab.measure(collective))
                    with open(options.output, "a") as file:
                        print(json.dumps(row), file=file)
                    print(json.dumps(row), flush=True)
    summarize(read(options.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
