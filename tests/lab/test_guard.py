#!/usr/bin/env python3
"""Long calls: what is clearly slower at one length is not tried at the next ones."""

import os
import re
import subprocess
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "star.dot")
TIMEOUT = 120


class Guard(unittest.TestCase):
    def setUp(self):
        self.environment = labs.environment(verbose="2", follow="0")

    def bench(self, scale, calls):
        """Whom a job says that it tried for allreduces of 512 KB and of 1 MB, and how long each took; what it said."""
        bench = [os.path.join(labs.BUILD, "mtree_bench"), "-t", "allreduce", "-m", "512k:1M"]
        done = subprocess.run(
            [labs.NETLAB, "run", STAR, "--no-latency", "--scale", scale, "--", "mpirun"]
            + bench
            + ["-x", "0", "-i", str(calls), "-c"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        self.assertEqual(len(re.findall(r"^\d+ .* Pass$", said, re.MULTILINE)), 2, said)
        return self.tried("512 KB", said), self.tried("1 MB", said), said

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
        short, long, said = self.bench("10", 80)
        self.assertLess(min(short.values()), 0.1, said)
        self.assertGreater(len(long), 1, said)


if __name__ == "__main__":
    labs.main()
