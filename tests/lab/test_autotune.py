#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Long calls: what is clearly slower at one length is not tried at the next ones."""

import os
import re
import tempfile
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "star.dot")
TIMEOUT = 120

# A ring has eight steps, each over two such links; trees have few, and many chunks in flight.
LATENCY = "10ms"


class Autotune(unittest.TestCase):
    def setUp(self):
        self.environment = labs.environment(verbose="2", follow="0", autotune="1")

    def bench(self, options, calls, sizes, mpirun_options=()):
        """What a job tried for allreduces of two SIZES in KB, and how long each took; its output.
        OPTIONS are the lab's."""
        bench = [os.path.join(labs.BUILD, "mtree_bench"), "-t", "allreduce", "-m", "{}k:{}k".format(*sizes)]
        done = labs.netlab(
            *["run", *options, "--", "mpirun", *mpirun_options, *bench, "-x", "0", "-i", str(calls), "-c"],
            environment=self.environment,
            timeout=TIMEOUT,
        )
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output)
        self.assertEqual(len(re.findall(r"^\d+ .* Pass$", output, re.MULTILINE)), 2, output)
        short, long = ("1 MB" if size == 1024 else f"{size} KB" for size in sizes)
        return self.tried(short, output), self.tried(long, output), output

    def stars(self, folder):
        """A star of long links, and the topology file of the job, where they are short, so that it expects Open MPI's
        ring to be about as fast as trees."""
        with open(STAR, encoding="utf-8") as file:
            short = file.read().replace("100Mbps", "30Mbps")
        long = short.replace("edge [", f'edge [latency="{LATENCY}", ')
        self.assertNotEqual(long, short)
        for name, text in (("long.dot", long), ("short.dot", short)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            yield os.path.join(folder, name)

    def tried(self, size, output):
        """The backends that were tried, with seconds (NaN: it serves without a trial)."""
        alone = re.search(rf"allreduce of about {size}: served (.*), since all others were slower", output)
        if alone:
            return {alone[1]: float("nan")}
        verdict = re.search(rf"allreduce of about {size}: (.*), as measured in \d+ calls", output)
        self.assertIsNotNone(verdict, output)
        units = {"us": 1e-6, "ms": 1e-3, "s": 1}
        found = re.findall(r"([\d.]+) (us|ms|s) ((?:over|around|by) [^,]*)", verdict[1])
        return {backend: float(number) * units[unit] for number, unit, backend in found}

    @labs.again
    def test_who_was_slower_is_not_tried_with_longer_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            lab, topology = self.stars(folder)
            short, long, output = self.bench([lab], 22, (512, 1024), ["--mca", "coll_mtree_topology", topology])
        fastest = min(short.values())
        # The times in the output are rounded.
        slower = {backend for backend, time in short.items() if time > 1.21 * fastest and backend != "over trees"}
        equal = {backend for backend, time in short.items() if time < 1.19 * fastest}
        self.assertTrue(slower, output)
        self.assertFalse(slower & set(long), output)
        self.assertLessEqual(equal, set(long), output)

    @labs.again
    def test_short_calls_tell_nothing_of_longer_ones(self):
        short, long, output = self.bench([STAR, "--no-latency"], 160, (16, 32))
        self.assertLess(min(short.values()), 0.02, output)
        self.assertGreater(len(long), 1, output)


if __name__ == "__main__":
    labs.main()
