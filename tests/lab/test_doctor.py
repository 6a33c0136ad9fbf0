#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mtree doctor finds each fault that netlab can put into a lab, with its host and the line that mends it, and nothing in labs
that are sound."""

import concurrent.futures
import json
import os
import subprocess
import tempfile
import unittest

import labs

HERE = os.path.dirname(os.path.realpath(__file__))
LINE, STAR = os.path.join(HERE, "line.dot"), os.path.join(HERE, "star.dot")
B4 = os.path.join(labs.ROOT, "topologies", "b4.dot")
MTREE = os.path.join(labs.BUILD, "mtree")
AT_ONCE = 6  # labs, which mostly wait
TIMEOUT = 60

# Of each fault of host c: the kind of the finding, a host that it names, words of the fix.
FAULTS = {
    "name-missing": ("name-missing", "c", "| sudo tee -a /etc/hosts"),
    "name-loopback": ("name-loopback", "c", "/etc/hosts"),
    "name-differs": ("name-differs", "c", "/etc/hosts"),
    "ports-in": ("ports-in", "c", "iptables -I INPUT"),
    "ports-out": ("ports-out", "c", "iptables -I OUTPUT"),
    "ports-reset": ("ports-in", "c", "iptables -I INPUT"),
    "ports-low": ("ports-in", "c", "--mca btl_tcp_port_min_v4"),
    "ports-high": ("ports-in", "c", "oob_tcp_dynamic_ipv4_ports"),
    "same-address": ("same-address", "c", "--mca btl_tcp_if_include 10."),
    "interface": ("wrong-interface", "c", "--mca btl_tcp_if_include 10."),
    "include": ("wrong-interface", "c", "--mca btl_tcp_if_include 10."),
    "oob-include": ("wrong-interface", "c", "_if_include 10."),
    "no-interface": ("interface-missing", "c", "--mca btl_tcp_if_include 10."),
    "subnets": ("wrong-interface", "c", "--mca btl_tcp_if_include 10."),
    "nat": ("nat", "c", "tunnel"),
    "masquerade": ("nat", "c", "tunnel"),
    "mtu": ("mtu", "c", "mtu 1500"),
    "buffers": ("buffers", "c", "net.ipv4.tcp_"),
    "clock": ("clock", "c", "chronyc"),
    "openmpi-version": ("openmpi-version", "c", "openmpi-bin"),
    "mtree-version": ("mtree-version", "c", "openmpi-coll-mtree"),
    "no-component": ("no-component", "c", "openmpi-coll-mtree"),
    "no-openmpi": ("no-openmpi", "c", "--prefix"),
    "no-python": ("no-python", "c", "python3"),
    "unreachable": ("unreachable", "c", "ssh c"),
    "map": ("map", "c", "mtree probe"),
}


JSON = (MTREE, "doctor", "--json")


def doctor(network, *options, words=JSON):
    """The completed process of the doctor in a lab of its own."""
    name = f"doctor{os.getpid()}-{'-'.join(options)}".replace("=", "").replace(".", "")
    return labs.netlab("run", network, "--name", name, *options, "--", *words,
                       environment=labs.environment(), timeout=TIMEOUT)


def doctors(cases, words=JSON):
    """The completed processes of the doctor in labs, of which each of CASES has the network and the options."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda case: doctor(*case, words=words), cases))


class Doctor(unittest.TestCase):
    def findings(self, done):
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return json.loads(done.stdout)["findings"]

    def test_each_fault_is_found(self):
        # Only long ways show that buffers are small.
        cases = [(LINE, "--fault", kind, *([] if kind == "buffers" else ["--no-latency"])) for kind in FAULTS]
        for (kind, (finding, host, fix)), done in zip(FAULTS.items(), doctors(cases)):
            with self.subTest(kind):
                found = self.findings(done)
                self.assertEqual(done.returncode, 1)
                # Nothing is told beside what the fault is.
                self.assertEqual({one["kind"] for one in found}, {finding}, found)
                self.assertIn(host, found[0]["hosts"])
                self.assertIn(fix, found[0]["fix"])

    def test_faults_are_found_on_the_first_host_too(self):
        kinds = ("clock", "no-component", "ports-in")
        for kind, done in zip(kinds, doctors([(STAR, "--fault", f"{kind}=h0") for kind in kinds])):
            with self.subTest(kind):
                found = self.findings(done)
                self.assertEqual([one["hosts"] for one in found], [["h0"]], found)

    @labs.again
    def test_a_sound_lab_has_nothing(self):
        cases = ((LINE,), (STAR, "--mtu", "1500"), (B4, "--scale", "0.2"))
        for (network, *_), done in zip(cases, doctors(cases, (MTREE, "doctor"))):
            with self.subTest(network):
                self.assertRegex(done.stdout, r"\Anothing found on \d+ hosts\n\Z", done.stderr)
                self.assertEqual(done.returncode, 0)

    def test_the_fix_lets_a_job_run(self):
        """A network that leads nowhere is told to MPI: the job ends only with what the doctor says."""
        script = f"""
            timeout 6 mpirun -n 2 --map-by node {labs.BUILD}/mtree_bench -t barrier -i 1 -x 0 >/dev/null 2>&1 && exit 3
            fix=$({MTREE} doctor | sed -n '2s/^ *//p')
            exec timeout 30 mpirun -n 2 --map-by node $fix {labs.BUILD}/mtree_bench -t barrier -i 1 -x 0"""
        done = doctor(LINE, "--fault", "include", words=("sh", "-c", script))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            facts, hostfile = os.path.join(folder, "facts.json"), os.path.join(folder, "hosts")
            with open(hostfile, "w", encoding="utf-8") as file:
                file.write("h0 slots=1\nh1\n")
            agent = 'exec "$0" doctor --hosts "h[0,3]" --agent "$NETLAB_LAB/enter"'
            done = doctor(STAR, "--fault", "openmpi-version=h3", words=("sh", "-c", agent, MTREE))
            self.assertRegex(done.stdout, "Open MPI 4.0.1 on h3")
            done = doctor(STAR, words=(MTREE, "doctor", "--hostfile", hostfile, "--mca", "btl_tcp_if_include=eth7",
                                       "--output", facts))
            self.assertRegex(done.stdout, "nothing on h0 and h1 is what btl_tcp_if_include eth7 names")
            again = subprocess.run([MTREE, "doctor", "--facts", facts], capture_output=True, text=True, check=False)
            self.assertEqual((again.returncode, again.stdout), (done.returncode, done.stdout))

    def test_launchers_of_jobs(self):
        """mpirun, whose ranks are asked by its own daemons, and Slurm, whose srun a shell stands for."""
        done = doctor(LINE, "--fault", "ports-low=b", "--no-latency", words=("mpirun", "-n", "6", "--map-by", "node", MTREE, "doctor"))
        self.assertRegex(done.stdout, r"\Aconnections to b, port \d+, are dropped; those from it work\n", done.stderr)
        self.assertEqual(done.returncode, 1)
        with tempfile.TemporaryDirectory() as folder:
            srun = os.path.join(folder, "srun")
            with open(srun, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nfor word; do\ncase $word in --nodelist=*) host=${word#*=} ;; -*) ;; *) break ;; esac\n'
                           'shift\ndone\nexec "$NETLAB_LAB/enter" "$host" "$3"\n')
            os.chmod(srun, 0o755)
            slurm = f"""unset OMPI_MCA_plm_rsh_agent PRTE_MCA_plm_ssh_agent OMPI_MCA_orte_default_hostfile
                PATH={folder}:$PATH SLURM_JOB_ID=1 SLURM_JOB_NODELIST='h[0-2]' {MTREE} doctor"""
            done = doctor(STAR, "--fault", "clock=h2", words=("sh", "-c", slurm))
            self.assertEqual(done.stdout.splitlines()[:1], ["the clock of h2 is 90 s ahead"], done.stderr)

    def test_faults_that_cannot_be(self):
        done = doctor(LINE, "--fault", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'nonsense' is not a fault: name-missing", done.stderr)
        done = doctor(LINE, "--fault", "clock=z")
        self.assertEqual(done.returncode, 1)
        self.assertIn("netlab: error: --fault: the lab has no host 'z'", done.stderr)


if __name__ == "__main__":
    labs.main()
