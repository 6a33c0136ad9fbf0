#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Connections of mtree's own that are reset, and links that are cut, while checked calls run: results are right, and
the job goes on.

MTREE_REDIAL_RESETS is how many resets the longest test does (default 40).
"""

import itertools
import json
import os
import random
import subprocess
import tempfile
import threading
import time
import unittest

import labs

FIRST, LAST = 28900, 28999
SILENCE = 15  # seconds of it after which a connection is made again
RESETS = int(os.environ.get("MTREE_REDIAL_RESETS", "40"))
RING = """graph ring {{ r0; r1; r2; {hub}
r0 -- r1 [capacity="100Mbps" from_address="10.88.1.1" to_address="10.88.1.2"];
r1 -- r2 [capacity="100Mbps" from_address="10.88.2.1" to_address="10.88.2.2"];
r2 -- r0 [capacity="100Mbps" from_address="10.88.3.1" to_address="10.88.3.2"]; {lan} }}"""
# On r1: TCP packets from r0 that are longer than 1,000 bytes vanish.
HOLE = "iifname cable0 meta l4proto tcp ip length > 1000 drop"
LAN = " ".join(f'r{i} -- lan [capacity="20Mbps"];' for i in range(3))


class Redial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.report = os.path.join(folder.name, "report.json")
        self.name = f"redial-{os.getpid()}-{self._testMethodName[-8:]}"
        lab = self.write(folder.name, "lab.dot", RING.format(hub="lan [kind=switch];", lan=LAN))
        self.cables = self.write(folder.name, "cables.dot", RING.format(hub="", lan=""))
        self.netlab("up", lab, "--name", self.name)
        self.addCleanup(self.netlab, "down", self.name)

    @staticmethod
    def write(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def netlab(self, *command):
        done = labs.netlab(*command, environment=labs.environment(), timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def start(self, program, *arguments, seconds=200, **parameters):
        """A job over the cables alone, which its own connections take."""
        job = subprocess.Popen(
            ["timeout", str(seconds), labs.NETLAB, "exec", self.name, "-", "--", "mpirun",
             os.path.join(labs.BUILD, "tests", program), *arguments],
            env=labs.environment(topology=self.cables, verbose="2", min_bytes="0", tcp_ports=f"{FIRST}-{LAST}",
                                 **parameters),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        output = []
        reader = threading.Thread(target=lambda: output.extend(iter(job.stdout.readline, "")))
        reader.start()
        for clean in (job.stdout.close, reader.join, job.stdin.close, job.kill):
            self.addCleanup(clean)
        return job, reader, output

    def finish(self, job, reader, output, said):
        status = job.wait()
        reader.join()
        self.assertEqual(status, 0, "".join(output)[-3000:])
        self.assertIn(said, "".join(output))

    @staticmethod
    def calls(output):
        return sum(line.startswith("call ") for line in output)

    def reset(self):
        """How many connections were reset between two hosts."""
        first, second = random.sample(["r0", "r1", "r2"], 2)
        return int(self.netlab("reset", self.name, first, second, "--ports", f"{FIRST}-{LAST}").split()[3])

    def check_resets(self, resets, **parameters):
        """So many resets in all, by as many jobs as it takes: a fast machine makes the calls of one sooner."""
        while resets > 0:
            resets -= self.reset_in_job(resets, **parameters)

    def reset_in_job(self, most, **parameters):
        """How many connections of one job were reset in its calls."""
        job, reader, output = self.start("lab/lab_replan", "400000", str(100 + 40 * most), **parameters)
        while self.calls(output) < 3 and job.poll() is None:
            time.sleep(0.05)
        done = 0
        while done < most and job.poll() is None:
            done += self.reset()
            time.sleep(random.random() / 5)
        self.finish(job, reader, output, "ok\n")
        self.assertGreater(done, 0, "no connection was found")
        return done

    def test_connections_that_are_reset_in_calls(self):
        self.check_resets(RESETS)

    def test_the_same_of_connections_that_are_encrypted(self):
        self.check_resets(RESETS // 4, encrypt="1")

    def idle(self, change):
        """Seconds of the first call after a CHANGE to the connections, while rank 0 is outside MPI."""
        job, reader, output = self.start("lab/lab_replan", "400000", "6", "wait")
        while self.calls(output) < 3 and job.poll() is None:
            time.sleep(0.05)
        change()
        job.stdin.write("\n")
        job.stdin.flush()
        self.finish(job, reader, output, "ok\n")
        return self.times(output)[3]

    @staticmethod
    def times(output):
        return [float(line.split()[2]) for line in output if line.startswith("call ")]

    def test_connections_that_are_reset_while_idle(self):
        self.idle(lambda: self.assertGreater(sum(self.reset() for _ in range(4)), 0))

    def forget(self, seconds, *options):
        """No packet of any connection arrives any more, as behind a NAT that forgets idle ones, and SECONDS pass."""
        for ends in itertools.combinations(["r0", "r1", "r2"], 2):
            said = self.netlab("forget", self.name, *ends, "--ports", f"{FIRST}-{LAST}", *options)
            self.assertGreater(int(said.split()[3]), 0)
        time.sleep(seconds)

    def test_connections_that_are_forgotten_just_before_a_call(self):
        """The process dials beside them, before the kernel gives them up."""
        self.assertLess(self.idle(lambda: self.forget(0)), SILENCE / 2)

    def test_connections_that_are_forgotten_in_one_direction(self):
        """What is sent to the process that dials is lost for ever."""
        self.assertLess(self.idle(lambda: self.forget(0, "--one-way")), SILENCE / 2)

    def test_connections_that_are_forgotten_long_before_a_call(self):
        """The kernel has noticed."""
        self.assertLess(self.idle(lambda: self.forget(SILENCE + 5)), 5)

    def cut(self, seconds, size, calls):
        """Seconds of the call in which the cable of r0 and r1 is cut, of one before it, and of the cut."""
        job, reader, output = self.start("lab/lab_replan", str(size), str(calls))
        while self.calls(output) < calls - 1 and job.poll() is None:
            time.sleep(0.05)
        time.sleep(0.5)
        began = time.monotonic()
        self.netlab("cut", self.name, "r0--r1", *(["--seconds", str(seconds)] if seconds else []))
        lasted = time.monotonic() - began
        self.finish(job, reader, output, "ok\n")
        return self.times(output)[-1], self.times(output)[-2], lasted

    @labs.again
    def test_a_link_that_is_gone_for_a_while(self):
        """A busy machine takes a second or two to begin and to end the cut, which counts."""
        with_cut, without, lasted = self.cut(5, 64000000, 3)
        self.assertLess(with_cut, 1.2 * without + lasted)

    def cut_for_good(self, *arguments):
        job, reader, output = self.start("lab/lab_replan", "4000000", "40", *arguments, report=self.report)
        while self.calls(output) < 4 and job.poll() is None:
            time.sleep(0.05)
        self.netlab("cut", self.name, "r0--r1")
        self.finish(job, reader, output, "ok\n")
        return "".join(output)

    # Calls go on meanwhile, and a busy machine may cut the cable behind the last ones.
    @labs.again
    def test_a_link_that_is_gone_for_good(self):
        """Calls that begin when the cable of r0 and r1 has been gone for long have a plan without it."""
        self.assertIn("r0--r1 is gone; planned anew", self.cut_for_good())
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        calls = next(calls for calls in report["communicators"][0]["calls"] if "allreduce" in calls["function"])
        trees = report["plans"][calls["plan"]]["trees"]
        self.assertEqual({frozenset(edge) for tree in trees if tree["share"] > 0 for edge in tree["edges"]},
                         {frozenset(("r0", "r2")), frozenset(("r1", "r2"))})
        page = subprocess.check_output([labs.environment()["MTREE"], "report", self.report], text=True)
        self.assertIn("\nGone, and left out of plans: r0--r1\n", page)

    def test_starts_of_a_persistent_request_go_on(self):
        """They keep their plan, and what was to go over the cable goes around."""
        self.assertNotIn("planned anew", self.cut_for_good("persistent"))

    def test_a_cable_that_loses_long_packets(self):
        # Segments that the kernel has not cut yet would be longer than any packet.
        self.netlab("exec", self.name, "r0", "--", "ip", "link", "set", "dev", "cable0", "gso_max_segs", "1")
        self.netlab("exec", self.name, "r1", "--", *labs.filtering("input", HOLE))
        job, reader, output = self.start("lab/lab_replan", "400000", "4")
        self.finish(job, reader, output, "ok\n")
        self.assertIn("long packets to or from rank 1 are lost", "".join(output))


if __name__ == "__main__":
    labs.main()
