#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What netlab would do, without doing it: forwarding, names, shaping, relay input."""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "netlab"))
sys.dont_write_bytecode = True

from netlablib import cross, quantities, recipe, session, topology  # noqa: E402
from netlablib.errors import NetlabError  # noqa: E402


def make_topology(names, links, routes, conditions=None):
    """A topology of hosts from names, (u, v, rate, latency, its conditions if any) and the routes as
    strings, under conditions for all links."""
    return topology.parse(
        {
            "hosts": [{"name": name, "host": name} for name in names],
            "switches": [],
            "links": [
                {"from": u, "to": v, "capacity_bps": [rate, rate], "latency_s": latency}
                | dict(*own)
                for u, v, rate, latency, *own in links
            ],
            "routes": [
                {"from": route[0], "to": route[-1], "via": list(route)}
                for route in [*routes, *(route[::-1] for route in routes)]
            ],
        },
        conditions,
    )


class Cables(unittest.TestCase):
    ANSWER = {
        "hosts": [{"name": name, "host": name} for name in "ab"],
        "switches": [{"name": "lan"}],
        "links": [
            {"from": "a", "to": "lan", "capacity_bps": [2e7, 2e7], "latency_s": 0},
            {"from": "lan", "to": "b", "capacity_bps": [2e7, 1e7], "latency_s": 0.001},
            {
                "from": "a", "to": "b", "capacity_bps": [1.4e8, 1.4e8], "latency_s": 0,
                "cables": [
                    {"capacity_bps": [1e8, 1e8], "from_address": "10.1.0.1", "to_address": "10.1.0.2"},
                    {"capacity_bps": [4e7, 4e7], "from_address": "2001:db8::1", "to_address": "2001:db8::2"},
                ],
            },
        ],
        "routes": [
            {"from": "a", "to": "b", "via": ["a", "lan", "b"]}, {"from": "b", "to": "a", "via": ["b", "lan", "a"]},
        ],
    }

    def test_cables_are_links_of_their_own(self):
        network = topology.parse(self.ANSWER)
        self.assertEqual([link["capacity_bps"][0] for link in network.links], [2e7, 2e7, 1e8, 4e7])
        lab = recipe.cook(network, topology.forwarding(network), 7, 1.0)
        self.assertIn("address add 10.1.0.1/30 dev cable2", lab["ip"]["a"])
        self.assertIn("address add 2001:db8::2/126 dev cable3 nodad", lab["ip"]["b"])
        self.assertIn("route add 10.7.0.2/32 dev lan src 10.7.0.1", lab["ip"]["a"])
        self.assertEqual(lab["description"]["links"][3]["devices"], ["cable3", "cable3"])

    def test_routes_are_those_without_cables(self):
        self.assertEqual(
            topology.shared_network(self.ANSWER).splitlines()[1:-1],
            [
                '"a" [host="a"];', '"b" [host="b"];', '"lan" [kind=switch];',
                '"a" -- "lan" [capacity="20000000.0bps" capacity_back="20000000.0bps" latency="0s"];',
                '"lan" -- "b" [capacity="20000000.0bps" capacity_back="10000000.0bps" latency="0.001s"];',
            ],
        )

    def test_a_network_holds_both_ends_as_hosts(self):
        for ends, bits in ((("10.1.0.1", "10.1.0.2"), 30), (("10.1.0.3", "10.1.0.4"), 29), (("10.0.0.1", "10.0.1.1"), 23)):
            self.assertEqual(recipe.least_network(ends).prefixlen, bits)

    def test_interfaces_at_a_switch_are_ports_of_a_bridge(self):
        fast = [
            {"from": name, "to": "fast", "capacity_bps": [1e8, 1e8], "latency_s": 0,
             "cables": [{"capacity_bps": [1e8, 1e8], "from_address": address}]}
            for name, address in (("a", "10.2.0.1"), ("b", "10.2.0.6"))
        ]
        switches = [{"name": "lan"}, {"name": "fast"}]
        network = topology.parse(self.ANSWER | {"links": self.ANSWER["links"] + fast, "switches": switches})
        ip = recipe.cook(network, topology.forwarding(network), 7, 1.0)["ip"]
        self.assertIn("address add 10.2.0.6/29 dev cable5", ip["b"])
        bridge = [command for command in ip["fast"] if "lan4" in command]
        self.assertEqual(bridge, ["link add name lan4 type bridge mcast_snooping 0", "link set dev lan4 up",
                                  "link set dev cable4 master lan4 up", "link set dev cable5 master lan4 up"])


class Forwarding(unittest.TestCase):
    def test_a_chain_forwards_hop_by_hop(self):
        chain = make_topology(
            "abc", [("a", "b", 1e7, 0), ("b", "c", 1e7, 0)], ["ab", "bc", "abc"]
        )
        tables = topology.forwarding(chain)
        self.assertEqual(tables["a"], {"b": "b", "c": "b"})
        self.assertEqual(tables["b"], {"a": "a", "c": "c"})
        commands = recipe.cook(chain, tables, 7, 1.0)["ip"]["a"]
        self.assertIn("route add 10.7.0.3/32 dev b src 10.7.0.1", commands)
        commands = recipe.cook(
            chain, tables, 7, 1.0, congestion_control="reno"
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
        for name in ("lo", "netlab", "netlab-peer", "with space", "-x", "a/b", "sixteen-letters-"):
            self.assertEqual(recipe.device_name(name, 4), "link4")


class Shaping(unittest.TestCase):
    def test_scale_multiplies_capacity_and_not_latency(self):
        pair = make_topology("ab", [("a", "b", 1e8, 0.02)], ["ab"])
        made = recipe.cook(pair, topology.forwarding(pair), 1, 0.25)
        self.assertIn("rate 25000000bit", made["tc"]["a"][0])
        self.assertEqual(made["relay"], ["relay0a relay0b 20000000 25000000 0 0 0"])
        self.assertEqual(made["description"]["links"][0]["latency_s"], 0.02)

    def test_the_relay_is_told_what_to_lose_to_reorder_and_to_hold(self):
        conditions = topology.Conditions(loss=0.01, reorder=0.5, jitter=0.003)
        pair = make_topology("ab", [("a", "b", 1e8, 0.02)], ["ab"], conditions)
        made = recipe.cook(pair, topology.forwarding(pair), 1, 1.0)
        self.assertEqual(made["relay"], ["relay0a relay0b 20000000 100000000 0.01 0.5 3000000"])

    def test_a_link_without_latency_that_loses_packets_needs_the_relay(self):
        links = [("a", "b", 1e8, 0, {"loss": 0.01}), ("b", "c", 1e8, 0)]
        chain = make_topology("abc", links, ["ab", "bc", "abc"])
        made = recipe.cook(chain, topology.forwarding(chain), 1, 1.0)
        self.assertEqual(made["relay"], ["relay0a relay0b 0 100000000 0.01 0 0"])
        self.assertEqual(len(made["links"]), 4 + 1)

    def test_a_link_has_its_own_mtu_and_routes_the_least_of_theirs(self):
        links = [("a", "b", 1e8, 0), ("b", "c", 1e8, 0, {"mtu": 1500})]
        chain = make_topology("abc", links, ["ab", "bc", "abc"], topology.Conditions(mtu=4000))
        made = recipe.cook(chain, topology.forwarding(chain), 7, 1.0)
        self.assertIn("mtu 4000", made["links"][0])
        self.assertIn("mtu 1500", made["links"][1])
        self.assertIn("burst 3028b limit 15140b", recipe.shaper(1e6, 1500))
        self.assertIn("route add 10.7.0.2/32 dev b src 10.7.0.1", made["ip"]["a"])
        self.assertIn("route add 10.7.0.3/32 dev b src 10.7.0.1 mtu 1500", made["ip"]["a"])
        self.assertIn("route add 10.7.0.3/32 dev c src 10.7.0.2", made["ip"]["b"])

    def test_no_latency_needs_no_relay(self):
        pair = make_topology("ab", [("a", "b", 1e8, 0)], ["ab"])
        made = recipe.cook(pair, topology.forwarding(pair), 1, 1.0)
        self.assertEqual(made["relay"], [])
        self.assertEqual(len(made["links"]), 1)

    def test_netem_delays_and_tbf_below_it_shapes(self):
        pair = make_topology("ab", [("a", "b", 1e7, 0.02)], ["ab"])
        topology.use_netem(pair.links)
        made = recipe.cook(pair, topology.forwarding(pair), 1, 1.0)
        self.assertEqual(made["relay"], [])
        self.assertIn("netem delay 20000us", made["tc"]["a"][0])
        self.assertIn("parent 1:1 handle 10: tbf rate 10000000bit", made["tc"]["a"][1])
        change = recipe.queue_commands("x", 5e6, pair.links[0], "replace")
        self.assertEqual(len(change), 1)
        self.assertIn("tbf rate 5000000bit", change[0])

    def test_netem_neither_loses_nor_reorders(self):
        conditions = topology.Conditions(reorder=0.5)
        pair = make_topology("ab", [("a", "b", 1e7, 0.02)], ["ab"], conditions)
        topology.use_netem(pair.links)
        self.assertTrue(topology.needs_relay(pair.links[0]))


class Carried(unittest.TestCase):
    def test_a_link_to_one_host_carries_what_reaches_its_switch(self):
        links = [("a", "s", 10e9, 0), ("b", "s", 10e9, 0), ("s", "t", 1e9, 0), ("t", "c", 5e8, 0)]
        self.assertEqual(session.most_carried(make_topology("abcst", links, [])), 2 * 3.5e9)

    def test_behind_one_switch_all_links_count(self):
        links = [(host, "s", 10e9, 0) for host in "abc"]
        self.assertEqual(session.most_carried(make_topology("abcs", links, [])), 60e9)


class CrossTraffic(unittest.TestCase):
    def test_a_part_of_each_link_or_what_the_file_says(self):
        links = [("a", "b", 1e8, 0), ("b", "c", 2e7, 0, {"cross_bps": 5e6})]
        conditions = topology.Conditions(cross=quantities.parse_rate("x0.5"))
        chain = make_topology("abc", links, ["ab", "bc", "abc"], conditions)
        made = recipe.cook(chain, topology.forwarding(chain), 1, 0.1)
        self.assertEqual(
            cross.lines(made["description"]),
            ["a b 5000000 9000", "b a 5000000 9000", "b c 500000 9000", "c b 500000 9000"],
        )

    def test_it_must_leave_something(self):
        conditions = topology.Conditions(cross=quantities.parse_rate("100Mbps"))
        with self.assertRaisesRegex(NetlabError, "link a--b: cross traffic of 100 Mb/s leaves nothing"):
            make_topology("ab", [("a", "b", 1e8, 0)], ["ab"], conditions)


class Quantities(unittest.TestCase):
    def test_rates(self):
        self.assertEqual(quantities.parse_rate("2.5GBps").of(1), 2e10)
        self.assertEqual(quantities.parse_rate("x0.25").of(8e6), 2e6)
        for text in ("", "5", "x", "x-1", "-5Mbps", "5mbps", "1..2Mbps", "xinf", "xnan"):
            with self.assertRaises(ValueError):
                quantities.parse_rate(text)

    def test_times(self):
        self.assertAlmostEqual(quantities.parse_time("2.5ms"), 0.0025)
        for text in ("", "5", "ms", "-1ms", "1.2.3s", "5 m"):
            with self.assertRaises(ValueError):
                quantities.parse_time(text)


if __name__ == "__main__":
    unittest.main()
