#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of two hosts pass through a relay on a third, with mtree's default parameters, and are right; also while the relay
is flooded by foreign connections, and where it stops in the midst.  Calls of two ranks of a job on twelve hosts pass
through the others.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import labs

TRIANGLE = os.path.join(labs.ROOT, "tests", "lab", "triangle.dot")
B4 = os.path.join(labs.ROOT, "topologies", "b4.dot")
BENCH = os.path.join(labs.BUILD, "mtree_bench")
TIMEOUT = 120
SECRET_BYTES = 32
FLOOD = 100

# Connections that say nothing, too little, or what is no greeting, and stay.
STRANGERS = """
import os, socket, sys, time
held = []
for i in range(int(sys.argv[1])):
    one = socket.create_connection(("r", 7471))
    try:
        one.sendall(os.urandom([0, 10, 4000][i % 3]))
    except OSError:
        pass
    held.append(one)
time.sleep(2)
"""

# A job that is begun, and says nothing more.
BEGIN = """
import hashlib, hmac, os, socket, struct, sys, time
def code(key, text): return hmac.new(key, text, hashlib.sha256).digest()
def receive(length): return one.recv(length, socket.MSG_WAITALL)
job = os.urandom(16)
key = code(code(b"mtree relay 1", open(sys.argv[1], "rb").read()), b"job\\0" + job)
one = socket.create_connection(("r", 7471))
magic, own = b"mtR\\x08", os.urandom(32)
said = struct.pack(">II", 0, 0) + job
challenge = receive(36)[4:]
one.sendall(magic + own + said + code(key, b"hello\\0" + magic + challenge + own + said + bytes(24)))
receive(56)
time.sleep(1000)
"""


class World(unittest.TestCase):
    def test_other_hosts_of_the_job_relay(self):
        done = labs.netlab(
            *("run", B4, "--scale", "0.05", "--no-latency", "--", "mpirun", "-n", "12", BENCH),
            *("--active", "2", "-c", "-t", "allreduce", "-m", "1M:1M", "-x", "1", "-i", "3"),
            environment=labs.environment(verbose="2", relays="world", min_bytes="0"),
            timeout=TIMEOUT,
        )
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output)
        self.assertIn("Pass", output)
        self.assertRegex(output, "relayed [34] calls .* 0 failed")
        self.assertNotRegex(output, "without (it|relays)")


class Lab(unittest.TestCase):
    """A lab with a relay on host r."""

    network = TRIANGLE
    hosts = "h0,h1"

    def topology(self, _folder):
        """The map that jobs get."""
        return self.network

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.secret = os.path.join(folder.name, "secret")
        with open(os.open(self.secret, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(SECRET_BYTES))
        self.lab = f"relays-{os.getpid()}"
        self.environment = labs.environment(
            relay_secret=self.secret, verbose="2", topology=self.topology(folder.name)
        )
        self.run_netlab("up", self.network, "--name", self.lab)
        self.addCleanup(self.run_netlab, "down", self.lab)
        self.start_relay()

    def run_netlab(self, *command):
        done = labs.netlab(*command, environment=self.environment, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def start_relay(self):
        """The relay on host r, whose status lines are kept."""
        self.status = []
        self.relay = subprocess.Popen(
            [labs.NETLAB, "exec", self.lab, "r", "--", os.path.join(labs.BUILD, "mtree"), "relay"]
            + ["--secret", self.secret, "--status", "100ms", "--json"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        reader = threading.Thread(target=self.read_status)
        reader.start()
        self.addCleanup(self.relay.stdout.close)
        self.addCleanup(reader.join)
        self.addCleanup(self.relay.wait)
        self.addCleanup(self.relay.kill)
        self.wait_for("port", 7471)

    def read_status(self):
        text = ""
        for line in self.relay.stdout:
            text += line
            if line.startswith("}"):
                self.status.append(json.loads(text))
                text = ""

    def wait_for(self, key, least):
        """Until the relay's status has at least so many."""
        end = time.monotonic() + TIMEOUT
        while not self.status or self.status[-1][key] < least:
            self.assertLess(time.monotonic(), end, f"{key}: {self.status[-1:]}")
            time.sleep(0.05)

    def bench(self, collective, calls):
        """All results of so many calls of 1 MB are right; what was said."""
        output = self.run_netlab(
            *("exec", self.lab, "-", "--", "mpirun", "-n", str(self.hosts.count(",") + 1), "--host", self.hosts),
            *(BENCH, "-c", "-t", collective, "-m", "1M:1M", "-x", "1", "-i", str(calls)),
        )
        self.assertIn("Pass", output)
        return output


class Relays(Lab):
    def test_calls_pass_through_a_relay(self):
        for collective in ("bcast", "allreduce", "reduce", "allgather"):
            before = self.status[-1]["calls_so_far"]
            self.bench(collective, 12)
            self.wait_for("calls_so_far", before + 6)

    def test_strangers_do_no_harm(self):
        self.bench("allreduce", 4)
        flood = subprocess.Popen(
            [labs.NETLAB, "exec", self.lab, "h1", "--", "python3", "-c", STRANGERS, str(FLOOD)], env=self.environment
        )
        self.addCleanup(flood.wait)
        self.addCleanup(flood.kill)
        self.wait_for("turned_away", 1)
        before = self.status[-1]["failed_so_far"]
        self.assertNotRegex(self.bench("allreduce", 12), "without (it|relays)")
        self.assertEqual(self.status[-1]["failed_so_far"], before)
        self.wait_for("turned_away", FLOOD // 2)

    def test_a_relay_that_stops(self):
        """It is silent until the job has gone on without it, and serves the next job."""

        def stop():
            self.wait_for("calls_so_far", 3)
            self.relay.send_signal(signal.SIGSTOP)

        stopper = threading.Thread(target=stop)
        stopper.start()
        self.addCleanup(stopper.join)
        output = self.bench("allreduce", 12)
        self.assertEqual(len(re.findall("relay r:7471: it is silent; calls go on without it", output)), 1, output)
        self.relay.send_signal(signal.SIGCONT)
        before = self.status[-1]["calls_so_far"]
        self.bench("allreduce", 12)
        self.wait_for("calls_so_far", before + 6)

    def cut(self, host):
        """The host and relay r do not hear each other any more."""
        for hook, end in (("input", "saddr"), ("output", "daddr")):
            self.run_netlab("exec", self.lab, host, "--", *labs.filtering(hook, f"ip {end} r drop"))

    def test_a_rank_that_is_cut_off(self):
        """Packets between it and the relay vanish; all other ways are there."""

        def cut():
            self.wait_for("calls_so_far", 3)
            self.cut("h1")

        cutter = threading.Thread(target=cut)
        cutter.start()
        self.addCleanup(cutter.join)
        output = self.bench("allreduce", 40)
        self.assertEqual(len(re.findall("go on without (?:it|relays)", output)), 1, output)
        self.wait_for("failed_so_far", 1)

    def test_a_host_that_vanishes(self):
        """Its jobs are given up."""
        begun = subprocess.Popen(
            [labs.NETLAB, "exec", self.lab, "h0", "--", sys.executable, "-c", BEGIN, self.secret], env=self.environment
        )
        self.addCleanup(begun.wait)
        self.addCleanup(begun.kill)
        self.wait_for("jobs", 1)
        self.cut("h0")
        end = time.monotonic() + TIMEOUT
        while self.status[-1]["jobs"] > 0:
            self.assertLess(time.monotonic(), end, "the job is still there")
            time.sleep(0.1)


def is_built():
    """Has mtree been built with relays?"""
    program = os.path.join(labs.BUILD, "mtree")
    return os.path.exists(program) and "built without" not in subprocess.run(
        [program, "relay", "--secret", os.devnull], capture_output=True, text=True, check=False
    ).stderr


if __name__ == "__main__":
    if not is_built():
        print("skipped: mtree is built without relays")
        sys.exit(labs.SKIP)
    labs.main()
