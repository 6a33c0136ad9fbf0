#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults drawn at random while checked calls of all collectives run, or all ranks compute for longer than any timer:
connections that are reset, or forgotten in one direction or both, links that are cut in one or both or halved or have
packets overtake others, ranks and relays that stop, relays that end.  All results are right, no call waits for long, and
the job ends well.

MTREE_FAULTS is how many faults there are (default 16; `make check-faults` makes 200), MTREE_FAULTS_SEED the seed of the
first job.  What fails prints each fault and its second.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import labs
from test_redial import FIRST, LAN, LAST, RING

FAULTS = int(os.environ.get("MTREE_FAULTS", "16"))
SEED = int(os.environ.get("MTREE_FAULTS_SEED", "4"))
OF_A_JOB = 8
PROGRAM = os.path.join(labs.BUILD, "tests", "mpi", "random_cases")
LONG = 5  # seconds between calls that are noted
LIMIT = 45  # seconds without a call that ends, and without another fault or the end of one
IDLE = 25  # seconds at most that all ranks compute: connections are given up after 15 s of silence, relays' after 16
STAR = """graph star {{ edge [capacity="60Mbps"]; switch [kind=switch]; {hosts} }}"""


class Network:
    """A lab, the map that its jobs get, and what may fail of it."""

    def __init__(self, folder, hosts, links, lab, topology=None, relay=None, **parameters):
        self.hosts, self.links, self.relay, self.parameters = hosts, links, relay, parameters
        self.lab = self.write(folder, "lab.dot", lab)
        self.topology = self.write(folder, "map.dot", topology or lab)

    @staticmethod
    def write(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def ring(folder):
    """Cables, one of IPv6, and a LAN for Open MPI."""
    text = RING.replace("10.88.2.", "2001:db8::")
    lab = text.format(hub="lan [kind=switch];", lan=LAN)
    links = ["r0--r1", "r1--r2", "r2--r0"] * 2 + ["r0--lan"]
    return Network(folder, ["r0", "r1", "r2"], links, lab, text.format(hub="", lan=""))


def read(name):
    with open(os.path.join(labs.ROOT, "tests", "lab", name), encoding="utf-8") as file:
        return file.read()


def square(folder):
    """Mtree's connections beside Open MPI's on the same links; the hosts of one half relay for the other."""
    return Network(folder, list("abcd"), ["a--b", "b--c", "c--d"], read("square.dot"), streams="2", relays="world")


def star(folder):
    """A switch, which nothing leads around."""
    hosts = [f"h{i}" for i in range(4)]
    links = [f"{host}--switch" for host in hosts]
    return Network(folder, hosts, links, STAR.format(hosts=" ".join(f"{link};" for link in links)), streams="2")


def triangle(folder):
    """Two ranks and a relay on a third host."""
    return Network(folder, ["h0", "h1"], ["h0--h1", "h0--r", "h1--r"], read("triangle.dot"), relay="r", streams="1")


class Faults(unittest.TestCase):
    def netlab(self, *command):
        done = labs.netlab(*command, environment=labs.environment(), timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def note(self, what):
        self.story.append(f"{time.monotonic() - self.begin:7.2f} {what}")

    def up(self, seed):
        """The network of a seed, in which a job runs."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.begin, self.story, self.undo = time.monotonic(), [], []
        self.random = random.Random(seed)
        self.network = (ring, square, triangle, star)[seed % 4](folder.name)
        self.name = f"random-{os.getpid()}-{seed}"
        reorders = ["--reorder", "0.02"] if self.random.random() < 0.2 else []
        self.parameters = {"encrypt": "1"} if self.random.random() < 0.4 else {}
        self.parameters |= self.network.parameters
        self.netlab("up", self.network.lab, "--name", self.name, *reorders)
        self.addCleanup(self.netlab, "down", self.name)
        if self.network.relay is not None:
            self.parameters["relay_secret"] = self.secret = os.path.join(folder.name, "secret")
            with open(os.open(self.secret, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(os.urandom(32))
            self.start_relay()
        self.note(f"seed {seed}: {' '.join(self.network.hosts)} {self.parameters} {reorders}")

    def start_relay(self):
        self.relay = subprocess.Popen(
            [labs.NETLAB, "exec", self.name, self.network.relay, "--", os.path.join(labs.BUILD, "mtree"), "relay",
             "--secret", self.secret],
            env=labs.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.relay.stdout.close)
        self.addCleanup(self.relay.wait)
        self.addCleanup(self.relay.kill)

    def start(self, seed):
        hosts = self.network.hosts
        self.job = subprocess.Popen(
            [labs.NETLAB, "exec", self.name, "-", "--", "mpirun", "-n", str(len(hosts)), "--host", ",".join(hosts),
             PROGRAM, "100000", str(seed), "early", "late", "until"],
            env=labs.environment(topology=self.network.topology, min_bytes="0",
                                 tcp_ports=f"{FIRST}-{LAST}", **self.parameters),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.output, self.cases, self.last, self.struck, self.longest = [], 0, time.monotonic(), 0, 0
        self.reader = threading.Thread(target=self.listen)
        self.reader.start()
        for clean in (self.job.stdout.close, self.reader.join, self.job.stdin.close, self.job.kill):
            self.addCleanup(clean)

    def listen(self):
        for line in self.job.stdout:
            if line.startswith("case "):
                self.cases += 1
                now = time.monotonic()
                if now - self.last > LONG:
                    self.note(f"case {self.cases} took {now - self.last:.1f} s")
                self.longest, self.last = max(self.longest, now - self.last), now
            elif line.startswith("idle "):
                self.last = time.monotonic() + int(line.split()[1])
            else:
                self.output.append(line)
                self.note(line.rstrip())

    def strike(self, what):
        """A fault has begun or ended: from now on it is to be waited for."""
        self.note(what)
        self.struck = time.monotonic()

    def told(self):
        return "\n".join(self.story)

    def pass_time(self, until):
        """Undo what is due until UNTIL() says so; calls end meanwhile."""
        while not until():
            for due in [one for one in self.undo if one[0] <= time.monotonic()]:
                self.undo.remove(due)
                due[2]()
                self.strike(f"undo {due[1]}")
            self.assertLess(time.monotonic() - max(self.last, self.struck), LIMIT, f"it hangs\n{self.told()}")
            self.assertIsNone(self.job.poll(), f"the job has ended\n{self.told()}")
            time.sleep(0.02)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        self.pass_time(lambda: time.monotonic() > end)

    def later(self, most, what, undo):
        self.undo.append((time.monotonic() + self.random.uniform(0.2, most), what, undo))

    def between(self, command, *options):
        """Reset or forget connections of mtree's own between two hosts, or of the relay; how many."""
        relay = self.network.relay
        ends = self.random.sample(self.network.hosts + ([relay] if relay else []), 2)
        ports = [] if relay in ends else ["--ports", f"{FIRST}-{LAST}"]
        count = int(self.netlab(command, self.name, *ends, *ports, *options).split()[3])
        return count and f"{count} of {' '.join(ends)}"

    def reset(self):
        return self.between("reset")

    def forget(self):
        return self.between("forget")

    def forget_one_way(self):
        return self.between("forget", "--one-way")

    def cut(self):
        link = self.random.choice(self.network.links)
        if any(link in what for _, what, _ in self.undo):
            return 0
        way = link.replace("--", self.random.choice(["--", "--", "->"]))
        is_cable = self.network.hosts[0] == "r0" and "lan" not in link
        self.netlab("cut", self.name, way)
        self.later(self.random.choice([4, 4, 20]) if is_cable else 4, f"cut {link}",
                   lambda: self.netlab("mend", self.name, way))
        return way

    def idle(self):
        """All ranks compute, from a call soon on."""
        if self.last > time.monotonic():
            return 0
        seconds = self.random.randint(1, IDLE)
        self.job.stdin.write(chr(seconds))
        self.job.stdin.flush()
        return seconds

    def halve(self):
        link = self.random.choice(self.network.links)
        if any(link in what for _, what, _ in self.undo):
            return 0
        self.netlab("set", self.name, link, "capacity=x0.5")
        self.later(4, f"halve {link}", lambda: self.netlab("set", self.name, link, "capacity=x1"))
        return link

    def ranks(self):
        """The processes of the job's ranks."""
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    is_rank = file.read().startswith(PROGRAM.encode() + b"\0")
                with open(f"/proc/{process}/environ", "rb") as file:
                    is_ours = f"/{self.name}/".encode() in file.read()
            except OSError:
                continue
            if is_rank and is_ours:
                yield int(process)

    def stop_rank(self):
        process = self.random.choice(sorted(self.ranks()))
        if any(str(process) in what for _, what, _ in self.undo):
            return 0
        os.kill(process, signal.SIGSTOP)
        self.later(6, f"stop of {process}", lambda: os.kill(process, signal.SIGCONT))
        return process

    def stop_relay(self):
        if self.network.relay is None or any("relay" in what for _, what, _ in self.undo):
            return 0
        self.relay.send_signal(signal.SIGSTOP)
        self.later(12, "stop of the relay", lambda: self.relay.send_signal(signal.SIGCONT))
        return 1

    def end_relay(self):
        if self.network.relay is None or any("relay" in what for _, what, _ in self.undo):
            return 0
        self.relay.kill()
        self.relay.wait()
        self.later(2, "end of the relay", self.start_relay)
        return 1

    def fault(self):
        kinds = [self.reset] * 4 + [self.forget, self.forget_one_way] + [self.cut] * 3 + [self.halve, self.stop_rank, self.idle]
        if self.network.relay is not None:
            kinds += [self.stop_relay, self.end_relay]
        while True:
            kind = self.random.choice(kinds)
            what = kind()
            if what:
                self.strike(f"{kind.__name__} {what}")
                return
            self.wait(0.05)

    def run_job(self, seed, faults):
        """A job with so many faults."""
        self.up(seed)
        self.start(seed)
        self.pass_time(lambda: self.cases > 3)
        for _ in range(faults):
            self.wait(self.random.uniform(0, 1.5))
            self.fault()
        self.pass_time(lambda: not self.undo)
        before = self.cases
        self.pass_time(lambda: self.cases > before + 3)
        self.job.stdin.close()
        try:
            status = self.job.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.fail(f"it does not end\n{self.told()}")
        self.reader.join()
        self.assertEqual(status, 0, self.told())
        self.assertRegex("".join(self.output), "checks on . ranks, 0 failed")
        print(f"seed {seed}: {faults} faults in {self.cases} calls, the longest {self.longest:.1f} s", flush=True)
        self.doCleanups()

    def test_random_faults(self):
        for number, done in enumerate(range(0, FAULTS, OF_A_JOB)):
            with self.subTest(seed=SEED + number):
                self.run_job(SEED + number, min(OF_A_JOB, FAULTS - done))
            self.doCleanups()


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print("skipped: random_cases is not built")
        sys.exit(labs.SKIP)
    labs.main()
