#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whoever reads the network between three hosts finds nothing of what encrypted calls send, also where connections take long, or
cannot be: then the job ends with a line."""

import os
import re
import secrets
import signal
import subprocess
import sys
import unittest

import labs

STAR = os.path.join(labs.ROOT, "tests", "lab", "far.dot")
WIRE = os.path.join(labs.ROOT, "tests", "mpi", "wire.py")
PATTERN = os.path.join(labs.BUILD, "tests", "mpi", "pattern")
FIRST, LAST = 28700, 28899
HOSTS = ("h0", "h1", "h2")
AWAY = 9  # seconds
MOMENTS = (15, 40, 70, 100)  # ms before that; each finds the ranks at another point of the handshake
ENVIRONMENT = labs.environment(
    encrypt="1", verbose="1", tcp_ports=f"{FIRST}-{LAST}", streams="2", topology=STAR)

# Rules of a host's packet filter for the ports where mtree listens: packets that ask for a connection vanish or are refused;
# those with data vanish.
NEW = f"iifname != lo tcp dport {FIRST}-{LAST} tcp flags & (syn | ack) == syn"
DROPPED = f"{NEW} drop"
REFUSED = f"{NEW} reject with tcp reset"
SWALLOWED = f"ip length > 60 tcp dport {FIRST}-{LAST} drop"


class Encryption(unittest.TestCase):
    def setUp(self):
        self.lab = f"encryption-{os.getpid()}-{self._testMethodName[-8:]}"
        self.netlab("up", STAR, "--name", self.lab)
        self.addCleanup(self.netlab, "down", self.lab)
        self.text = secrets.token_hex(12)

    def netlab(self, *command):
        done = labs.netlab(*command, environment=ENVIRONMENT, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def filter(self, host, rule):
        self.netlab("exec", self.lab, host, "--", *labs.filtering("input", rule))

    def watch(self, host):
        """Twice in a row: the command that starts the ranks holds the text, too."""
        watch = [WIRE, "watch", 2 * self.text, str(FIRST), str(LAST)]
        command = [labs.NETLAB, "exec", self.lab, host, "--", sys.executable, *watch]
        watcher = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        self.assertEqual(watcher.stdout.readline(), "watching\n")
        return watcher

    def jobs(self, *arguments, encrypt="1", limit="1024"):
        """Jobs at once, each with some of the ARGUMENTS, of processes that may open so many files: the status and what they said
        of each; the packets of mtree's connections, and those with the text, that hosts saw."""
        watchers = [self.watch(host) for host in HOSTS]
        environment = {**ENVIRONMENT, "OMPI_MCA_coll_mtree_encrypt": encrypt}
        jobs = [subprocess.Popen(
            ["timeout", "100", labs.NETLAB, "exec", self.lab, "-", "--", "mpirun",
             "sh", "-c", f'ulimit -n {limit} && exec "$0" "$@"', PATTERN, self.text, *some],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for some in arguments]
        said = [job.communicate()[0] for job in jobs]
        seen = [0, 0]
        for watcher in watchers:
            watcher.send_signal(signal.SIGTERM)
            counts = re.fullmatch(r"ports (\d+) text (\d+)\n", watcher.communicate(timeout=20)[0])
            seen = [before + int(more) for before, more in zip(seen, counts.groups())]
        return [(job.returncode, text) for job, text in zip(jobs, said)], *seen

    def computes(self, rank):
        done, ports, texts = self.jobs(*((str(AWAY), str(rank), str(moment)) for moment in MOMENTS))
        self.assertEqual([status for status, _ in done], len(MOMENTS) * [0], done)
        for _, said in done:
            self.assertEqual(said.count("calls are encrypted between hosts: AES-256-GCM, TCP connections to each process: 2"), 1, said)
        self.assertGreater(ports, 0)
        self.assertEqual(texts, 0, done)

    def ends(self, line, **options):
        ((status, said),), _, texts = self.jobs((), **options)
        self.assertNotEqual(status, 0, said)
        self.assertEqual(texts, 0, said)
        self.assertEqual(said.count("no encrypted connections"), 1, said)
        self.assertRegex(said, line)

    def test_what_is_not_encrypted_is_seen(self):
        ((status, said),), ports, texts = self.jobs((), encrypt="0")
        self.assertEqual(status, 0, said)
        self.assertGreater(ports, 0)
        self.assertGreater(texts, 0)

    def test_ranks_that_compute_are_waited_for(self):
        self.computes(-1)

    def test_a_rank_that_listens_is_waited_for(self):
        self.computes(2)

    def test_a_rank_that_dials_is_waited_for(self):
        self.computes(0)

    def test_connections_that_nobody_answers(self):
        self.filter("h2", DROPPED)
        self.ends(r"from host h[01] \(rank [01]\) to port 287\d\d of host h2 \(rank 2\): Connection timed out; let that port pass")

    def test_connections_that_are_refused(self):
        self.filter("h1", REFUSED)
        self.ends(r"from host h0 \(rank 0\) to port 287\d\d of host h1 \(rank 1\): Connection refused; let that port pass")

    def test_connections_that_carry_nothing(self):
        self.filter("h1", SWALLOWED)
        self.ends(r"to port 287\d\d of host h1 \(rank 1\): what is sent there does not arrive; let that port pass")

    def test_too_few_open_files(self):
        self.ends(r"to port 287\d\d of host h[12] \(rank [12]\): Too many open files; raise the limit of open files", limit="32")


if __name__ == "__main__":
    labs.main()
