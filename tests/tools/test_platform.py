#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mtree export --format simgrid: the platform has the hosts, switches, links and routes of the topology, whatever their names."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
MTREE = os.environ.get("MTREE", "./mtree")
ODD = """graph "x & y" {
    "a&b" [host="n1"]; "c<d"; sw [kind=switch];
    "a&b" -- sw [capacity="8Mbps" capacity_back="2Mbps" latency="3ms"];
    sw -- "c<d" [capacity="16Mbps"];
    "c<d" -- "e->f" [capacity="1Gbps" latency="1us"];
    "e->f" -- "a&b" [capacity="5Mbps" capacity_back="0bps" latency="20ms"];
}"""


def mtree(*words):
    return subprocess.run([MTREE, *map(str, words)], stdout=subprocess.PIPE, check=True).stdout


class Platform(unittest.TestCase):
    def compare(self, path):
        zone = xml.etree.ElementTree.fromstring(mtree("export", "--format", "simgrid", path)).find("zone")
        topology = json.loads(mtree("topology", "--json", "--routes", path))
        self.assertEqual(topology["name"], zone.get("id"))
        self.assertEqual({host["name"] for host in topology["hosts"]}, {host.get("id") for host in zone.iter("host")})
        self.assertEqual({switch["name"] for switch in topology["switches"]}, {router.get("id") for router in zone.iter("router")})
        arcs = {}
        for link in topology["links"]:
            for ends, capacity in (((link["from"], link["to"]), link["capacity_bps"][0]), ((link["to"], link["from"]), link["capacity_bps"][1])):
                if capacity > 0:
                    arcs["->".join(ends)] = (capacity, link["latency_s"])
        links = {link.get("id"): (8 * float(link.get("bandwidth").removesuffix("Bps")), float(link.get("latency").removesuffix("s")))
                 for link in zone.iter("link")}
        self.assertEqual(arcs, links)
        routes = {(route["from"], route["to"]): ["->".join(hop) for hop in zip(route["via"], route["via"][1:])]
                  for route in topology["routes"]}
        self.assertEqual(routes, {(route.get("src"), route.get("dst")): [link.get("id") for link in route.iter("link_ctn")]
                                  for route in zone.iter("route")})
        self.assertTrue(all(route.get("symmetrical") == "NO" for route in zone.iter("route")))

    def test_the_shipped_topologies(self):
        for name in ("b4", "geant", "star-8", "torus-4x4"):
            with self.subTest(name):
                self.compare(ROOT / "topologies" / f"{name}.dot")

    def test_odd_names_and_one_way_links(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "odd.dot")
            path.write_text(ODD)
            self.compare(path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
