#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The link probe in a lab: it finds the links that are there, keeps them, and plans follow."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import labs

MTREE = os.path.join(labs.BUILD, "mtree")
WHEEL = os.path.join(labs.ROOT, "tests", "lab", "wheel.dot")
TIMEOUT = 120
VERTICES = "abcds"  # in the order of their addresses


def run(*command, **more):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, check=False, **more
    )


def vertex(name):
    """The file's name of a vertex: a switch is found by its address."""
    last = name.rpartition(".")[2]
    return VERTICES[int(last) - 1] if "." in name and int(last) <= len(VERTICES) else name


def links(topology):
    """Pair of names -> (capacity from the first to the second and back, latency)."""
    found = {}
    for link in topology["links"]:
        ends = vertex(link["from"]), vertex(link["to"])
        rates = link["capacity_bps"]
        if ends[0] > ends[1]:
            ends, rates = ends[::-1], rates[::-1]
        found[ends] = rates, link["latency_s"]
    return found


class Probe(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mtree-probe.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = labs.environment(verbose="1", cache_days="7") | {"XDG_CACHE_HOME": self.folder}
        del self.environment["OMPI_MCA_coll"]  # `mtree probe` needs none
        self.stand()

    def netlab(self, *command):
        done = run(labs.NETLAB, *command, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def stand(self):
        """A lab that stands until the test ends: what is kept goes by the hosts' addresses."""
        name = f"probe-{os.getpid()}"
        self.netlab("up", WHEEL, "--name", name)
        self.addCleanup(self.netlab, "down", name)
        self.lab = name

    def mpirun(self, *command):
        return self.netlab("exec", self.lab, "-", "--", "mpirun", *command)

    @labs.again
    def test_finds_the_links_that_are_there(self):
        path = os.path.join(self.folder, "net.dot")
        true = links(json.loads(run(MTREE, "topology", "--json", WHEEL).stdout))
        output = self.mpirun(MTREE, "probe", "--json", "-o", path).stdout
        found = links(json.loads(output[output.index("{") :]))
        self.assertEqual(sorted(found), sorted(true))
        # Wide bands: the machine may be busy.
        for ends, (rates, latency) in true.items():
            for rate, measured in zip(rates, found[ends][0]):
                self.assertLess(measured, 3 * rate, ends)
            self.assertGreater(found[ends][1], 0.5 * latency, ends)
        self.assertEqual(run(MTREE, "topology", path).returncode, 0)
        with open(path, encoding="utf-8") as file:
            self.assertIn("// probed in ", file.read())

    def test_keeps_what_it_found(self):
        bench = [os.path.join(labs.BUILD, "mtree_bench"), "-m", "65536:65536", "-i", "1"]
        choose = ["--mca", "coll", "mtree", "--mca", "coll_mtree_topology"]
        waiting = self.mpirun(*choose, "auto", *bench).stderr
        self.assertIn("no topology is known yet", waiting)
        self.assertNotIn("probed the network", waiting)
        self.assertIn("topology the probe:", self.mpirun(*choose, "probe", *bench).stderr)
        known = self.mpirun(*choose, "auto", *bench).stderr
        self.assertIn("topology the cache: 4 ranks on 4 of its 4 hosts", known)
        self.assertNotIn("probed the network", known)

    @labs.again
    def test_corrects_it_by_what_calls_got_of_a_link(self):
        program = [os.path.join(labs.BUILD, "tests", "lab", "lab_replan"), "500000", "24"]
        parameters = {"verbose": "2", "topology": "auto"}
        more = {f"OMPI_MCA_coll_mtree_{name}": value for name, value in parameters.items()}
        self.environment |= {"OMPI_MCA_coll": "mtree"} | more
        self.mpirun("--mca", "coll_mtree_topology", "probe", *program)
        self.netlab("set", self.lab, "c--d", "capacity=x0.25")
        slow = self.mpirun(*program).stderr
        self.assertIn("topology the cache: ", slow)
        self.assertRegex(slow, r"allreduce of about 488 KB: .* of at most [1-9]\d[. ]")
        self.assertRegex(slow, r" gives .*, not ")
        known = self.mpirun(*program).stderr
        self.assertIn("topology the cache: ", known)
        self.assertRegex(known, r"allreduce of about 488 KB: .* of at most [5-9][. ]")


if __name__ == "__main__":
    labs.main()
