#!/usr/bin/env python3
"""Long calls: what is clearly slower at one length is not tried at the next ones."""

import os
import re
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "star.dot")
TIMEOUT = 120


class Guard(unittest.TestCase):
    def setUp(self):
        self.environment = labs.environment(verbose="2", follow="0")

    def bench(self, scale, calls, sizes=(512, 1024)):
        """Whom a job says that it tried for allreduces of two SIZES in KB, and how long each took; what it said."""
        bench = [os.path.join(labs.BUILD, "mtree_bench"), "-t", "allreduce", "-m", "{}k:{}k".format(*sizes)]
        options = ["--no-latency", "--scale", scale]
        done = labs.netlab(
            *["run", STAR, *options, "--", "mpirun", *bench, "-x", "0", "-i", str(calls), "-c"],
            environment=self.environment,
            timeout=TIMEOUT,
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        self.assertEqual(len(re.findall(r"^\d+ .* Pass$", said, re.MULTILINE)), 2, said)
        short, long = ("1 MB" if size == 1024 else f"{size} KB" for size in sizes)
        return self.tried(short, said), self.tried(long, said), said

    def tried(self, size, said):
        """The ways that were tried, with seconds (NaN: it serves without a trial)."""
        alone = re.search(rf"allreduce of about {size}: served (.*), since all others were slower", said)
        if alone:
            return {alone[1]: float("nan")}
        verdict = re.search(rf"allreduce of about {size}: (.*), as measured in \d+ calls", said)
        self.assertIsNotNone(verdict, said)
        units = {"us": 1e-6, "ms": 1e-3, "s": 1}
        found = re.findall(r"([\d.]+) (us|ms|s) ((?:over|around|by) [^,]*)", verdict[1])
        return {way: float(number) * units[unit] for number, unit, way in found}

    @labs.again
    def test_who_was_slower_is_not_tried_with_longer_calls(self):
        short, long, said = self.bench("0.3", 14)
        fastest = min(short.values())
        # What is said is rounded.
        slower = {way for way, time in short.items() if time > 1.21 * fastest and way != "over trees"}
        equal = {way for way, time in short.items() if time < 1.19 * fastest}
        self.assertTrue(slower, said)
        self.assertFalse(slower & set(long), said)
        self.assertLessEqual(equal, set(long), said)

    @labs.again
    def test_short_calls_tell_nothing_of_longer_ones(self):
        short, long, said = self.bench("1", 160, (16, 32))
        self.assertLess(min(short.values()), 0.02, said)
        self.assertGreater(len(long), 1, said)


if __name__ == "__main__":
    labs.main()
