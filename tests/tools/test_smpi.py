#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mtree export --format simgrid, run: an MPI program on the platform, under SimGrid's SMPI, takes the times that the topology says.

Time is simulated, so it is the same on every machine.  Skipped without SMPI (Debian: libsimgrid-dev)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
MTREE = pathlib.Path(os.environ.get("MTREE", "./mtree")).resolve()
BYTES = 1 << 20
# SimGrid multiplies rates and latencies by what was measured of TCP; and packets that acknowledge take a share of links.
PLAIN = ["--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1", "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:no",
         "--cfg=smpi/simulate-computation:no"]
UNEQUAL = """graph unequal {
    ix [kind=switch];
    a -- ix [capacity="8Mbps" capacity_back="2Mbps" latency="3ms"];
    b -- ix [capacity="16Mbps" latency="1ms"];
    "c & d" -- b [capacity="4Mbps" latency="5ms"];
}"""


class Transfers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_here("smpicc", "-o", "transfers", ROOT / "tests/tools/smpi_transfers.c")

    def run_here(self, *words):
        done = subprocess.run(list(map(str, words)), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def measure(self, topology, hosts):
        """{(sender, receiver): seconds}, and of ("both", rank)."""
        self.run_here(MTREE, "export", "--format", "simgrid", "-o", "platform.xml", topology)
        (self.folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
        text = self.run_here("smpirun", "-np", len(hosts), "-platform", "platform.xml", "-hostfile", "hosts", *PLAIN, "./transfers", BYTES)
        lines = [line.split() for line in text.splitlines() if len(line.split()) == 3 and line.split()[1].isdigit()]
        return {(line[0], line[1]): float(line[2]) for line in lines}

    def compare(self, path):
        """Each transfer takes the latency of its route, and the time of its bytes over the narrowest link."""
        topology = json.loads(self.run_here(MTREE, "topology", "--json", "--routes", path))
        hosts = [host["name"] for host in topology["hosts"]]
        capacity = {}
        for link in topology["links"]:
            capacity[link["from"], link["to"]], capacity[link["to"], link["from"]] = link["capacity_bps"]
        measured = self.measure(path, hosts)
        self.assertEqual(len(hosts) * (len(hosts) - 1) + 2, len(measured))
        slack = 2 * max(route["latency_s"] for route in topology["routes"])  # the barrier ends later on some ranks
        for route in topology["routes"]:
            narrowest = min(capacity[hop] for hop in zip(route["via"], route["via"][1:]))
            wanted = route["latency_s"] + 8 * BYTES / narrowest
            seconds = measured[str(hosts.index(route["from"])), str(hosts.index(route["to"]))]
            self.assertGreater(seconds, 0.999 * wanted, route)
            self.assertLess(seconds, 1.001 * wanted + slack, route)
        return measured, slack

    def test_links_of_two_rates_and_a_switch(self):
        path = self.folder / "unequal.dot"
        path.write_text(UNEQUAL)
        measured, slack = self.compare(path)
        slower = max(measured["0", "1"], measured["1", "0"])  # the two ways do not share a capacity
        for rank in ("0", "1"):
            self.assertLess(measured["both", rank], slower + slack)

    def test_hosts_that_forward(self):
        self.compare(ROOT / "topologies/b4.dot")


if __name__ == "__main__":
    if shutil.which("smpicc") is None or shutil.which("smpirun") is None:
        print("no SMPI here (Debian: libsimgrid-dev): skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv)
