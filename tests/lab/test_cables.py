#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that cables, or fast switches, join beside a slow LAN: the probe finds them, and plans go over them."""

import os
import re
import tempfile
import unittest

import labs

PROGRAM = os.path.join(labs.BUILD, "tests", "mpi", "cut")
PORTS = ("28900", "28999")
LINK = re.compile(r'"r(\d)".* \[capacity="([\d.]+)Mbps".* (?:from|to)_address="([^"\s]+)"\]')
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


def switches(hosts, fast):
    """A topology file: a LAN of 20 Mb/s, and a switch with 60 Mb/s to each of its first hosts, FAST of them."""
    links = [f'r{i} -- lan [capacity="20Mbps"];' for i in range(hosts)]
    links += [f'r{i} -- fast [capacity="60Mbps" from_address="10.77.0.{i + 1}"];' for i in range(fast)]
    nodes = "".join(f"r{i};" for i in range(hosts))
    return f"graph two {{ {nodes} lan [kind=switch]; fast [kind=switch]; {' '.join(links)} }}"


class Networks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def job(self, network, topology, **parameters):
        """What a job says, which succeeds, in a lab of NETWORK."""
        lab = self.write("lab.dot", network)
        environment = labs.environment(
            topology=topology, verbose="2", min_bytes="0", tcp_ports="-".join(PORTS), **parameters
        )
        done = labs.netlab("run", lab, "--", "mpirun", PROGRAM, *PORTS, "list", environment=environment, timeout=60)
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
        said = self.job(ring(4, network), self.write("map.dot", ring(4, network, lan=False)))
        self.check(said, ends(4, network))

    def probed(self, network):
        """What a job says that probes, and its map."""
        path = os.path.join(self.folder, "found.dot")
        said = self.job(network, "probe", probe_output=path)
        with open(path, encoding="utf-8") as file:
            return said, file.read()

    def probe_ring(self, network):
        said, found = self.probed(ring(3, network))
        cables = ENDS.findall(found)
        self.assertEqual(sorted((a, b) for a, b, _, _ in cables), [("0", "1"), ("0", "2"), ("1", "2")], said)
        pairs = {frozenset((source, target)) for _, _, source, target in cables}
        self.assertEqual(pairs, {frozenset(pair) for pair in ends(3, network)})
        return said

    @labs.again
    def test_the_probe_finds_cables(self):
        said = self.probe_ring("10.88.{}.{}")
        self.check(said, ends(3, "10.88.{}.{}"))

    @labs.again
    def test_the_probe_finds_cables_with_ipv6(self):
        self.probe_ring("2001:db8:{}::{}")

    @labs.again
    def test_a_second_network_of_all_hosts_is_used_beside_the_first(self):
        said, found = self.probed(switches(4, 4))
        links = LINK.findall(found)
        self.assertEqual(len(links), 8, found)
        for host in range(4):
            rates = sorted(float(rate) for name, rate, _ in links if name == str(host))
            self.assertLess(rates[0], 1.3 * 20, found)
            self.assertGreater(rates[1], 1.3 * 20, found)
        connections = set(re.findall(r"cables: (\S+) > (\S+)", said))
        networks = {tuple(end.split(".")[1] == "77" for end in ends) for ends in connections}
        self.assertEqual(networks, {(True, True), (False, False)}, said)

    @labs.again
    def test_a_second_network_of_some_hosts_is_a_switch(self):
        said, found = self.probed(switches(5, 3))
        self.assertEqual(sorted(address for _, _, address in LINK.findall(found)),
                         ["10.77.0.1", "10.77.0.2", "10.77.0.3"], found)
        self.assertRegex(said, r"cables: 10\.77\.0\.\d > 10\.77\.0\.\d")


if __name__ == "__main__":
    labs.main()
