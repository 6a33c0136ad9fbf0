#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links that stall, lose packets and reorder them: calls are slower, and right.

MTREE_STALL_SECONDS is how long a link carries next to nothing (default 3; `make check-stall` takes 30).
"""

import os
import subprocess
import threading
import time
import unittest

import labs

SQUARE = os.path.join(labs.ROOT, "tests", "lab", "square.dot")
STALL = float(os.environ.get("MTREE_STALL_SECONDS", "3"))
ENVIRONMENT = labs.environment(verbose="2", min_bytes="0")


def netlab(*command):
    """The output of netlab; an error when it fails."""
    done = labs.netlab(*command, environment=ENVIRONMENT, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"netlab {command}: {done.stdout}{done.stderr}")
    return done.stdout


def count(output):
    """How many calls have ended."""
    return sum(line.startswith("call ") for line in output)


class Faults(unittest.TestCase):
    def setUp(self):
        self.lab = f"faults-{os.getpid()}-{self._testMethodName[-8:]}"

    def up(self, *options):
        netlab("up", SQUARE, "--name", self.lab, *options)
        self.addCleanup(netlab, "down", self.lab)

    def start(self, size, calls, *arguments):
        """A job of so many sums of so many bytes, and the list that its lines are added to."""
        program = os.path.join(labs.BUILD, "tests", "lab", "lab_replan")
        command = ["mpirun", program, str(size), str(calls), *arguments]
        job = subprocess.Popen(
            ["timeout", str(120 + 6 * int(STALL)), labs.NETLAB, "exec", self.lab, "-", "--", *command],
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = []
        reader = threading.Thread(target=lambda: output.extend(iter(job.stdout.readline, "")))
        reader.start()
        self.addCleanup(job.stdout.close)
        self.addCleanup(reader.join)
        self.addCleanup(job.stdin.close)
        self.addCleanup(job.kill)
        return job, reader, output

    def finish(self, job, reader, output, calls):
        """All sums were right, and mtree's."""
        status = job.wait()
        reader.join()
        self.assertEqual(status, 0, "".join(output))
        self.assertIn("ok\n", output)
        self.assertEqual(count(output), calls)
        self.assertRegex("".join(output), "of about .*: mtree ")

    def sums(self, size, calls, *arguments):
        self.finish(*self.start(size, calls, *arguments), calls)

    def counted(self, name):
        """The sum over all hosts of one of the kernel's counters of TCP."""
        total = 0
        for host in "abcd":
            for file in ("snmp", "netstat"):
                lines = netlab("exec", self.lab, host, "--", "cat", f"/proc/net/{file}").splitlines()
                for names, values in zip(lines[::2], lines[1::2]):
                    total += int(dict(zip(names.split(), values.split())).get(name, 0))
        return total

    def test_packets_that_are_lost(self):
        self.up("--loss", "0.01")
        self.sums(300000, 10)
        self.sums(300000, 4, "both")
        self.assertGreater(self.counted("RetransSegs"), 10)

    def test_packets_that_overtake_others(self):
        self.up("--reorder", "0.2")
        self.sums(300000, 10)
        self.assertGreater(self.counted("TCPOFOQueue"), 10)

    def test_a_link_that_stalls(self):
        self.up()
        job, reader, output = self.start(1000000, 12, "wait")
        while count(output) < 3 and job.poll() is None:
            time.sleep(0.05)
        netlab("set", self.lab, "a--b", "capacity=1kbps")
        job.stdin.write("\n")
        job.stdin.flush()
        time.sleep(STALL)
        # The fourth call waits for the link.
        self.assertEqual(count(output), 3, "".join(output))
        netlab("set", self.lab, "a--b", "capacity=30Mbps")
        self.finish(job, reader, output, 12)


if __name__ == "__main__":
    labs.main()
