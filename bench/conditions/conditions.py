#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the table of conditions (docs/benchmarks.md): mtree, Open MPI and the bound in labs.

Each row is a lab of its own, in which mtree_bench_compare or mtree_bench runs.  The results are
written after each row, and rows that are there already are not measured again.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import rows as table  # noqa: E402
import summary  # noqa: E402

COMPARE = ROOT / "bench/mtree_bench_compare"
NETLAB = ROOT / "tools/netlab/netlab"
ETHERNET_HEADER = 14  # that a lab's links count
TCP_HEADERS = 52  # of IPv4 and TCP, with time stamps
PML_CALLS = 4
LONGEST = 1 << 10  # MB of a message


class RowFailed(Exception):
    """What went wrong with a row, in one line."""


def payload_part(mtu):
    """The part of a link's rate that TCP's payload can have."""
    return (mtu - TCP_HEADERS) / (mtu + ETHERNET_HEADER)


def last_line(text):
    return (text.strip().splitlines() or ["nothing on standard error"])[-1]


class Bench:
    """The programs of a build folder, and the labs that they run in."""

    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.lab = f"conditions{os.getpid()}"
        self.environment = {
            **os.environ,
            "MTREE": str(self.build / "mtree"),
            "NETLAB_RELAY": str(self.build / "netlab_relay"),
            "OMPI_MCA_mca_base_component_path": f"{self.build}/.libs:SYS_DEFAULT",
            # What one row measures to be fastest is not for the next one.
            "OMPI_MCA_coll_mtree_cache_days": "0",
            "OMPI_MCA_coll_mtree_streams": "auto",
            "PMIX_MCA_mca_base_component_path": "/sys",
        }

    def run(self, *command, timeout=None):
        """The output of a command, else RowFailed with its last words."""
        with subprocess.Popen(
            [str(word) for word in command],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.terminate()
                raise RowFailed(f"not done after {timeout:.0f} s") from None
            except BaseException:
                process.terminate()
                raise
        if process.returncode != 0:
            raise RowFailed(last_line(errors))
        return output

    def mtree(self, *arguments):
        return self.run(self.build / "mtree", *arguments)

    def netlab(self, *arguments, timeout=None):
        return self.run(sys.executable, NETLAB, *arguments, timeout=timeout)

    def inside(self, *command):
        return self.netlab("exec", self.lab, "-", "--", *command, timeout=self.options.timeout)

    def events(self, row):
        """What happens to the lab while the row runs: processes to wait for."""
        return [
            subprocess.Popen(
                ["sh", "-c", f'sleep {seconds}; exec "$@" >/dev/null', "event", sys.executable, NETLAB]
                + ["set", self.lab, link, setting],
                env=self.environment,
            )
            for seconds, link, setting in row.events
        ]

    def compare(self, row, file):
        """mtree, Open MPI's default and its best in turns."""
        quick = ["--quick"] if self.options.quick else ["--segments", "64k"]
        output = self.inside(
            *[sys.executable, COMPARE, file, "--build", self.build, "--json", *quick],
            *["-t", row.collective, "-m", row.num_bytes, "-R", self.options.repetitions],
            *["--algorithms", table.CANDIDATES[row.collective]],
        )
        result = json.loads(output)
        if not result["rows"]:
            raise RowFailed("; ".join(result["failures"]) or "nothing was measured")
        return result["rows"][0]

    def series(self, row, num_calls, *parameter):
        """Microseconds of the calls of one job of mtree alone, the first one too."""
        told = ["--mca", *parameter] if parameter else []
        output = self.inside(
            *["mpirun", "--mca", "coll", "mtree", *told, self.build / "mtree_bench"],
            *["-t", row.collective, "-m", f"{row.num_bytes}:{row.num_bytes}", "-x", "0"],
            *["-i", num_calls, "-c", "--total", "--json"],
        )
        return json.loads(output)["sizes"][0]["calls_us"]

    def measure(self, row, folder):
        """What is measured of a row, in a lab that is up."""
        file = folder / f"{row.network}.dot"
        if row.num_calls == 0:
            measured = {"compare": self.compare(row, file)}
            if row.without_streams:
                measured["pml_calls"] = self.series(row, PML_CALLS, "coll_mtree_streams", 0)
            return measured
        if row.wrong_map:
            other = folder / "other.dot"
            scale = table.NETWORKS[row.network].options
            other.write_text(table.other_drawing(file.read_text()))
            self.mtree("topology", other, *scale, "--no-latency", "--output", folder / "told.dot")
            right = self.series(row, row.num_calls)
            told = self.series(row, row.num_calls, "coll_mtree_topology", folder / "told.dot")
            return {"right": right, "calls": told}
        return {"calls": self.series(row, row.num_calls)}

    def run_row(self, row, folder):
        """Build the lab of a row, measure in it, and remove it."""
        network = table.NETWORKS[row.network]
        file = folder / f"{row.network}.dot"
        file.write_text(network.text(ROOT, lambda *shape: self.mtree("generate", *shape)))
        self.netlab("up", file, "--name", self.lab, *network.options, *row.options)
        try:
            events = self.events(row)
            try:
                measured = self.measure(row, folder)
            finally:
                for event in events:
                    event.terminate()
                    event.wait()
        finally:
            self.netlab("down", self.lab)
        return {
            "collective": row.collective,
            "bytes": row.num_bytes,
            "payload_part": payload_part(row.mtu),
            "quick": self.options.quick,
            **measured,
        }


def positive(kind):
    """An argument type: a number above zero."""

    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not value > 0:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number above zero")
        return value

    return convert


def parse_arguments():
    parser = argparse.ArgumentParser(prog="conditions.py", description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, metavar="RESULTS.json")
    parser.add_argument("--build", default=".", metavar="DIR", help="the build folder; .")
    parser.add_argument("--rows", default="*", metavar="PATTERN", help="only those whose names match")
    parser.add_argument("--list", action="store_true", help="print the rows and what is measured")
    parser.add_argument("--quick", action="store_true", help="as --most 1 -R 1, and scan less")
    parser.add_argument("--most", type=positive(int), metavar="MB", help="the longest message")
    parser.add_argument("--again", action="store_true", help="measure rows that are there, too")
    parser.add_argument(
        "-R", "--repetitions", type=positive(int), metavar="N", help="turns; 3"
    )
    parser.add_argument(
        "--seconds", type=positive(float), default=float("inf"), help="begin no row after this time"
    )
    parser.add_argument(
        "--timeout", type=positive(float), default=900, metavar="SECONDS", help="the longest of a row; 900"
    )
    options = parser.parse_args()
    options.most = options.most or (1 if options.quick else LONGEST)
    options.repetitions = options.repetitions or (1 if options.quick else 3)
    return options


def load(path):
    """The results so far; RowFailed when the file holds something else."""
    try:
        results = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise RowFailed(f"{path} holds no results: {error}") from None
    return results


def save(path, results):
    """In one step, so that an interruption leaves the results as they were."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(results, indent=1) + "\n")
    new.rename(path)


def wanted_rows(options, results):
    wanted = [row for row in table.table() if fnmatch.fnmatch(row.name, options.rows)]
    for row in wanted:
        row.num_bytes = min(row.num_bytes, options.most * table.MEGABYTE)
    if options.list:
        for row in wanted:
            print(f"{'measured' if row.name in results else '-':10}{row.name}")
        return []
    return [row for row in wanted if options.again or row.name not in results]


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        results = load(options.results)
    except RowFailed as failure:
        print(f"conditions.py: error: {failure}", file=sys.stderr)
        return 2
    bench = Bench(options)
    started = time.monotonic()
    failed = False
    with tempfile.TemporaryDirectory(prefix="mtree_conditions_") as folder:
        for row in wanted_rows(options, results):
            if time.monotonic() - started > options.seconds:
                break
            try:
                results[row.name] = bench.run_row(row, pathlib.Path(folder))
            except (RowFailed, OSError) as failure:
                print(f"conditions.py: error: {row.name}: {failure}", file=sys.stderr)
                failed = True
                continue
            save(options.results, results)
            print(summary.line(row.name, results[row.name]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
