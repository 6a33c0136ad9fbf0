#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that cables join without a switch, beside a slow LAN: the probe finds the cables, and plans go over them."""

import os
import re
import tempfile
import unittest

import labs

PROGRAM = os.path.join(labs.BUILD, "tests", "mpi", "cables")
PORTS = ("28900", "28999")
ENDS = re.compile(r'"r(\d)" -- "r(\d)" \[.*from_address="(\S+)" to_address="(\S+)"\]')


def ends(hosts, network):
    """The addresses of the ends of each cable in a ring of HOSTS, by a NETWORK such as 10.88.{}.{}."""
    return [(network.format(cable, 1), network.format(cable, 2)) for cable in range(1, hosts + 1)]


def ring(hosts, network, lan=True):
    """A topology file: a ring of HOSTS with cables of 100 Mb/s, and a LAN of 20 Mb/s if there is to be one."""
    links = [f'r{i} -- lan [capacity="20Mbps"];' for i in range(hosts) if lan]
    for i, (source, target) in enumerate(ends(hosts, network)):
        links.append(f'r{i} -- r{(i + 1) % hosts} [capacity="100Mbps" from_address="{source}" to_address="{target}"];')
    hub = "lan [kind=switch];" if lan else ""
    return f"graph ring {{ {''.join(f'r{i};' for i in range(hosts))} {hub} {' '.join(links)} }}"


class Ring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def job(self, hosts, network, topology, **parameters):
        """What a job says, which succeeds, in a lab whose cables have addresses of NETWORK."""
        lab = self.write("lab.dot", ring(hosts, network))
        environment = labs.environment(
            topology=topology, verbose="2", min_bytes="0", tcp_ports="-".join(PORTS), **parameters
        )
        done = labs.netlab("run", lab, "--", "mpirun", PROGRAM, *PORTS, environment=environment, timeout=60)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said[-3000:])
        return said

    def check(self, said, cables):
        """mtree's connections are those of CABLES."""
        connections = set(re.findall(r"cables: (\S+) > (\S+)", said))
        self.assertTrue(connections)
        self.assertLessEqual(connections, {pair[::way] for pair in cables for way in (1, -1)}, said)

    def test_named_cables_carry(self):
        network = "10.88.{}.{}"
        said = self.job(4, network, self.write("map.dot", ring(4, network, lan=False)))
        self.check(said, ends(4, network))

    def probe(self, network):
        found = os.path.join(self.folder, "found.dot")
        said = self.job(3, network, "probe", probe_output=found)
        with open(found, encoding="utf-8") as file:
            cables = ENDS.findall(file.read())
        self.assertEqual(sorted((a, b) for a, b, _, _ in cables), [("0", "1"), ("0", "2"), ("1", "2")], said)
        pairs = {frozenset((source, target)) for _, _, source, target in cables}
        self.assertEqual(pairs, {frozenset(pair) for pair in ends(3, network)})
        return said

    @labs.again
    def test_the_probe_finds_cables(self):
        said = self.probe("10.88.{}.{}")
        self.check(said, ends(3, "10.88.{}.{}"))

    @labs.again
    def test_the_probe_finds_cables_with_ipv6(self):
        self.probe("2001:db8:{}::{}")


if __name__ == "__main__":
    labs.main()
