#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What netlab would do, without doing it: forwarding, names, shaping, relay input."""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "netlab"))
sys.dont_write_bytecode = True

from netlablib import recipe, topology  # noqa: E402
from netlablib.errors import NetlabError  # noqa: E402


def make_topology(names, links, routes):
    """A topology of hosts from names, (u, v, rate, latency) and the routes as strings."""
    return topology.parse(
        {
            "hosts": [{"name": name, "host": name} for name in names],
            "switches": [],
            "links": [
                {"from": u, "to": v, "capacity_bps": [rate, rate], "latency_s": latency}
                for u, v, rate, latency in links
            ],
            "routes": [
                {"from": route[0], "to": route[-1], "via": list(route)}
                for route in [*routes, *(route[::-1] for route in routes)]
            ],
        }
    )


class Forwarding(unittest.TestCase):
    def test_a_chain_forwards_hop_by_hop(self):
        chain = make_topology(
            "abc", [("a", "b", 1e7, 0), ("b", "c", 1e7, 0)], ["ab", "bc", "abc"]
        )
        tables = topology.forwarding(chain)
        self.assertEqual(tables["a"], {"b": "b", "c": "b"})
        self.assertEqual(tables["b"], {"a": "a", "c": "c"})
        commands = recipe.cook(chain, tables, 7, 1.0, "none")["ip"]["a"]
        self.assertIn("route add 10.7.0.3/32 dev b src 10.7.0.1", commands)
        commands = recipe.cook(
            chain, tables, 7, 1.0, "none", congestion_control="reno"
        )["ip"]["a"]
        self.assertIn("route add 10.7.0.3/32 dev b src 10.7.0.1 congctl reno", commands)

    def test_routes_that_depend_on_their_source_are_refused(self):
        # The kernel would send what comes from a straight from b to d.
        links = [("a", "b", 1e7, 0), ("b", "c", 1e7, 0), ("c", "d", 1e7, 0)]
        links.append(("b", "d", 1e7, 0.1))
        network = make_topology("abcd", links, ["ab", "bc", "cd", "bd", "abc", "abcd"])
        with self.assertRaisesRegex(NetlabError, "different versions"):
            topology.forwarding(network)


class Names(unittest.TestCase):
    def test_two_labs_share_no_address(self):
        self.assertNotEqual(recipe.address(1, 0), recipe.address(2, 0))
        self.assertEqual(recipe.address(3, 255), "10.3.1.0")

    def test_devices_are_named_after_neighbours_where_possible(self):
        self.assertEqual(recipe.device_name("seattle", 4), "seattle")
        for name in ("lo", "netlab", "with space", "-x", "a/b", "sixteen-letters-"):
            self.assertEqual(recipe.device_name(name, 4), "link4")


class Shaping(unittest.TestCase):
    def test_scale_multiplies_capacity_and_not_latency(self):
        pair = make_topology("ab", [("a", "b", 1e8, 0.02)], ["ab"])
        made = recipe.cook(pair, topology.forwarding(pair), 1, 0.25, "relay")
        self.assertIn("rate 25000000bit", made["tc"]["a"][0])
        self.assertEqual(made["relay"], ["relay0a relay0b 20000000 25000000 0 0"])
        self.assertEqual(made["description"]["links"][0]["latency_s"], 0.02)

    def test_the_relay_is_told_what_to_lose_and_to_reorder(self):
        pair = make_topology("ab", [("a", "b", 1e8, 0.02)], ["ab"])
        made = recipe.cook(pair, topology.forwarding(pair), 1, 1.0, "relay", (0.01, 0.5))
        self.assertEqual(made["relay"], ["relay0a relay0b 20000000 100000000 0.01 0.5"])

    def test_no_latency_needs_no_relay(self):
        pair = make_topology("ab", [("a", "b", 1e8, 0.02)], ["ab"])
        made = recipe.cook(pair, topology.forwarding(pair), 1, 1.0, "none")
        self.assertEqual(made["relay"], [])
        self.assertEqual(len(made["links"]), 1)

    def test_netem_delays_and_tbf_below_it_shapes(self):
        add = recipe.queue_commands("x", 1e7, 0.02, "netem")
        self.assertEqual(len(add), 2)
        self.assertIn("netem delay 20000us", add[0])
        self.assertIn("parent 1:1 handle 10: tbf rate 10000000bit", add[1])
        change = recipe.queue_commands("x", 5e6, 0.02, "netem", "replace")
        self.assertEqual(len(change), 1)
        self.assertIn("tbf rate 5000000bit", change[0])


if __name__ == "__main__":
    unittest.main()
