#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From recorded facts to findings: each file of tests/fixtures/doctor is what `mtree doctor -o` wrote about hosts a, b and c in a
lab with that fault (netlab --fault KIND), and has these findings and no others."""

import copy
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")
FACTS = os.path.join(ROOT, "tests", "fixtures", "doctor")
sys.path.insert(0, os.path.join(ROOT, "tools", "doctor"))
sys.dont_write_bytecode = True

from doctorlib import facts, gather, hosts, judge  # noqa: E402
from doctorlib.errors import DoctorError  # noqa: E402

# Of each fault: the kind of its finding, the hosts, and words of the line that mends it.
EXPECTED = {
    "name-missing": [("name-missing", "c", 'echo "10.1.0.1 a"')],
    "name-loopback": [("name-loopback", "c", "10.1.0.3 c/")],
    "name-differs": [("name-differs", "c", "10.1.0.1 a/")],
    "ports-in": [("ports-in", "c", "INPUT -p tcp -s 10.1.0.0/16")],
    "ports-out": [("ports-out", "c", "OUTPUT -p tcp -d 10.1.0.0/16")],
    "ports-reset": [("ports-in", "c", "INPUT -p tcp -s 10.1.0.0/16")],
    "ports-low": [("ports-in", "c", "--mca btl_tcp_port_min_v4 32768")],
    "ports-high": [("ports-in", "c", "--mca oob_tcp_dynamic_ipv4_ports 1024-2047")],
    "same-address": [("same-address", "ac", "--mca btl_tcp_if_include 10.1.0.0/16 --mca oob_tcp_if_include 10.1.0.0/16")],
    "interface": [("wrong-interface", "c", "--mca btl_tcp_if_include 10.1.0.0/16 --mca oob_tcp_if_include 10.1.0.0/16")],
    "include": [("wrong-interface", "abc", "--mca btl_tcp_if_include 10.1.0.0/16")],
    "oob-include": [("wrong-interface", "abc", "--mca oob_tcp_if_include 10.1.0.0/16")],
    "no-interface": [("interface-missing", "c", "--mca btl_tcp_if_include 10.1.0.0/16"),
                     ("interface-missing", "c", "--mca oob_tcp_if_include 10.1.0.0/16")],
    "subnets": [("wrong-interface", "abc", "--mca btl_tcp_if_include 10.1.0.0/16")],
    "nat": [("nat", "c", "join the sites by a tunnel")],
    "masquerade": [("nat", "c", "join the sites by a tunnel")],
    "mtu": [("mtu", "c", "mtu 1500")],
    "buffers": [("buffers", "c", "tcp_rmem="), ("buffers", "c", "tcp_wmem=")],
    "clock": [("clock", "c", "chronyc makestep")],
    "openmpi-version": [("openmpi-version", "c", "openmpi-bin=4.1.4*")],
    "mtree-version": [("mtree-version", "c", "openmpi-coll-mtree=0.1.0")],
    "no-component": [("no-component", "c", "apt-get install openmpi-coll-mtree")],
    "no-openmpi": [("no-openmpi", "c", "mpirun --prefix /usr")],
    "no-python": [("no-python", "c", "apt-get install python3")],
    "unreachable": [("unreachable", "c", "ssh c true")],
    "map": [("map", "c", "mtree probe -o net.dot")],
    "sound": [],
}


def read(kind):
    with open(os.path.join(FACTS, kind + ".json"), encoding="utf-8") as file:
        return json.load(file)


def host(document, name):
    return next(entry for entry in document["hosts"] if entry["name"] == name)


def keep(document, names):
    """The facts as if only these hosts were asked."""
    numbers = {old: new for new, old in enumerate(
        number for number, entry in enumerate(document["hosts"]) if entry["name"] in names)}
    document["hosts"] = [document["hosts"][number] for number in numbers]
    for entry in document["hosts"]:
        for key in ("paths", "streams"):
            entry[key] = [dict(one, to=numbers[one["to"]]) for one in entry[key] if one["to"] in numbers]
            for one in entry[key]:
                one["answered"] = numbers.get(one.get("answered"))
    return document


class Judge(unittest.TestCase):
    def expect(self, document, expected):
        found = judge.judge(document)
        told = [(finding.kind, "".join(finding.hosts), finding.fix) for finding in found]
        self.assertEqual([(kind, names) for kind, names, _ in told], [(kind, names) for kind, names, _ in expected], told)
        for (_, _, fix), (_, _, words) in zip(told, expected):
            self.assertIn(words, fix)
        return found

    def test_each_fault_has_its_findings_and_no_others(self):
        self.assertEqual(sorted(os.listdir(FACTS)), sorted(kind + ".json" for kind in EXPECTED))
        for kind, expected in EXPECTED.items():
            with self.subTest(kind):
                self.expect(read(kind), expected)

    def test_a_port_that_is_closed_is_told(self):
        self.assertEqual(judge.judge(read("ports-low"))[0].port, 1024)
        self.assertGreater(judge.judge(read("ports-high"))[0].port, 32767)

    def test_two_hosts_whose_connections_fail_one_way(self):
        found = self.expect(keep(read("ports-in"), "ac"), [("ports-pair", "ac", "INPUT")])
        self.assertIn("from a to c", found[0].cause)

    def test_two_faults_at_once(self):
        document = read("ports-in")
        host(document, "a")["facts"]["ompi"]["version"] = "4.0.1"
        host(document, "b")["facts"]["resolves"]["a"] = []
        self.expect(document, [("name-missing", "b", "a"), ("ports-in", "c", "INPUT"), ("openmpi-version", "a", "4.1.4")])

    def test_hosts_that_a_hostfile_names_by_public_addresses(self):
        """open-mpi/ompi#11174: the hosts know their private addresses only."""
        document = read("nat")
        public = next(path["address"] for path in host(document, "a")["paths"]
                      if path["to"] == 2 and path["state"] == "ok")
        document["hosts"][2]["name"] = public
        for entry in document["hosts"]:
            entry["facts"]["resolves"][public] = [public]
            if entry["name"] != public:
                for path in entry["paths"]:
                    if path["to"] == 2:
                        path.update(state="timeout", answered=None)
        found = judge.judge(document)
        self.assertEqual(found[0].kind, "nat")
        self.assertIn(f"others know {public}", found[0].cause)

    def test_hosts_with_a_network_each(self):
        """open-mpi/ompi#12520: an address of 32 bits on every host, which all get to, is no fault; one network names them."""
        document = read("interface")
        for entry in document["hosts"]:
            for interface in entry["facts"]["interfaces"]:
                if interface["device"] == "netlab":
                    interface["prefix"] = 32
        found = self.expect(document, [("wrong-interface", "c", "--mca btl_tcp_if_include 10.1.0.0/")])
        self.assertNotIn("/32", found[0].fix)

    def test_version_5_has_other_parameters(self):
        document = read("oob-include")
        for entry in document["hosts"]:
            entry["facts"]["ompi"]["version"] = "5.0.7"
            entry["facts"]["environment"]["PRTE_MCA_prte_if_include"] = "mgmt0"
        self.expect(document, [("wrong-interface", "abc", "--prtemca prte_if_include 10.1.0.0/16")])

    def test_cables_lead_to_some_peers_alone(self):
        document = read("sound")
        for number, address in ((0, "10.88.0.1"), (1, "10.88.0.2")):
            cable = {"device": "eth1", "address": address, "prefix": 30, "mtu": 1500, "up": True, "loopback": False}
            document["hosts"][number]["facts"]["interfaces"].append(cable)
            for other, entry in enumerate(document["hosts"]):
                entry["facts"]["ompi"]["parameters"].update(btl_tcp_if_include="", oob_tcp_if_include="")
                state = {"state": "ok"} if other < 2 else {"state": "timeout", "answered": None}
                entry["paths"] += [path | {"address": address} | state for path in entry["paths"] if path["to"] == number]
        found = self.expect(document, [("cables", "ab", "coll_mtree_topology probe")])
        self.assertIn("10.88.0.1 on a, 10.88.0.2 on b", found[0].cause)

    def test_a_map_that_cannot_be_read(self):
        document = read("sound")
        document["map"] = {"file": "net.dot", "error": "net.dot:1: no graph"}
        self.expect(document, [("map-unreadable", "", "mtree topology -- net.dot")])

    def test_ends_of_links_are_addresses_of_their_hosts(self):
        document = read("sound")
        for entry, address in zip(document["hosts"], ("2001:db8::1", "2001:db8::2", "2001:db8::3")):
            entry["facts"]["ipv6"] = [address]
        ends = [dict(zip(("at", "address", "to"), end)) for end in (
            ("A", "10.1.0.1", "y"), ("y", "10.1.0.2", "A"), ("A", "2001:db8::1", "y"), ("y", "2001:db8::2", "A"))]
        document["map"] = {"file": "net.dot", "hosts": [["A", "a"], ["y", "b"], ["c", "c"]], "ends": ends}
        self.expect(document, [])
        ends += [{"at": "c", "address": "10.88.0.2", "to": "A"}, {"at": "c", "address": "2001:db8::2", "to": "y"}]
        self.expect(document, [("ends", "c", "mtree probe -o net.dot")])
        self.assertIn("10.88.0.2, the end of its link to A; 2001:db8::2", judge.judge(document)[0].cause)
        del document["hosts"][2]["facts"]["ipv6"], ends[-2]
        self.expect(document, [])
        ends[0]["at"] = 3
        self.assertRaisesRegex(DoctorError, "no map.ends", facts.settle, document)

    def test_names_of_a_map_have_no_case(self):
        document = read("map")
        document["map"]["hosts"] = [["A.Example.ORG."] * 2, ["y", "B"], ["x", "10.1.0.3"]]
        self.expect(document, [("map", "c", "mtree probe -o net.dot")])
        document["hosts"][2]["facts"]["hostname"] = "10.1.0.4"
        self.expect(document, [("map", "c", "mtree probe -o net.dot")])
        document["map"]["hosts"][2] = ["x", "2001:DB8:0::1"]
        document["hosts"][2]["facts"]["hostname"] = "2001:db8::1"
        self.expect(document, [])

    def test_a_name_server_that_does_not_answer(self):
        document = read("sound")
        host(document, "a")["facts"]["resolves"]["b"] = None
        self.expect(document, [("name-slow", "a", "10.1.0.2 b")])

    def test_a_login_that_is_refused(self):
        document = read("unreachable")
        host(document, "c")["error"] = "you@c: Permission denied (publickey)."
        self.expect(document, [("unreachable", "c", "ssh-copy-id c")])

    def test_a_host_that_is_slow(self):
        document = read("unreachable")
        host(document, "c")["reached"] = True
        self.expect(document, [("slow", "c", "uptime")])

    def test_facts_are_not_changed(self):
        document = read("nat")
        before = copy.deepcopy(document)
        judge.judge(document)
        self.assertEqual(document, before)


    def test_facts_that_are_not_all_there(self):
        """Without any one of them the host is told of and the others are judged all the same."""
        def places(value, found=()):
            for key, inner in (value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
                yield (*found, key)
                yield from places(inner, (*found, key))

        for kind in ("nat", "buffers", "mtu"):
            whole = read(kind)
            for place in list(places(whole["hosts"][0], ("hosts", 0))):
                for wrong in ("away", None, [7], "x"):
                    document = copy.deepcopy(whole)
                    holder = document
                    for key in place[:-1]:
                        holder = holder[key]
                    if wrong != "away":
                        holder[place[-1]] = wrong
                    elif isinstance(holder, dict):
                        del holder[place[-1]]
                    try:
                        judge.judge(facts.settle(document))
                    except DoctorError as error:
                        self.assertIn("no facts (", str(error), (kind, place, wrong))
                    except Exception as error:
                        raise AssertionError(f"{kind}, {place} is {wrong}") from error

    def test_a_host_whose_facts_are_incomplete_is_named(self):
        document = read("sound")
        del host(document, "b")["facts"]["ports"]
        found = judge.judge(facts.settle(document))
        self.assertEqual([(finding.kind, finding.hosts) for finding in found], [("incomplete", ["b"])])
        self.assertIn("facts.ports is missing", found[0].cause)

    def test_facts_of_nothing(self):
        for document in (None, [], {}, {"hosts": 3}, {"hosts": [{}]}, {"hosts": [], "map": {"file": "x"}}):
            with self.assertRaisesRegex(DoctorError, "no facts"):
                facts.settle(document)


class Map(unittest.TestCase):
    """What a host calls its topology is the host's, and may be anything."""

    def run_mtree(self, text, path):
        with tempfile.TemporaryDirectory() as folder:
            mtree = os.path.join(folder, "mtree")
            with open(mtree, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(mtree, 0o755)
            return gather.read_map(path, mtree)

    def test_a_path_that_looks_like_an_option(self):
        self.assertEqual(self.run_mtree('echo "$*" >&2; exit 1', "--help.dot")["error"], "topology --json -- --help.dot")

    def test_the_standard_input_is_not_the_hosts(self):
        self.assertEqual(self.run_mtree('cat; echo "it was empty" >&2; exit 1', "/dev/stdin")["error"], "it was empty")

    def test_a_file_that_never_ends(self):
        gather.MAP_SECONDS = 0.5
        self.assertIn("is it a file?", self.run_mtree("exec sleep 60", "/tmp/pipe")["error"])

    def test_without_mtree(self):
        self.assertIn("cannot be started: No such file", gather.read_map("net.dot", "/nonexistent/mtree")["error"])


class Hosts(unittest.TestCase):
    def test_hostfiles_of_open_mpi_and_mpich(self):
        text = "# two sites\nn1 slots=4\nn2:8\n\nyou@n3 max_slots=2  # slow\nn1 slots=2\n"
        self.assertEqual(hosts.parse_hostfile(text), ["n1", "n2", "n3"])

    def test_what_cannot_be_a_name(self):
        for name in ("-oProxyCommand=x", "$(id)", ";rm", "'n1'"):
            with self.assertRaisesRegex(DoctorError, "cannot be a host's name"):
                hosts.parse_hostfile(f"n1\n{name}\n")

    def test_a_hostfile_without_hosts(self):
        with self.assertRaisesRegex(DoctorError, "names no host"):
            hosts.read_hostfile(os.devnull)

    def test_a_hostfile_without_end(self):
        with self.assertRaisesRegex(DoctorError, "/dev/zero: longer than a hostfile is; write one name per line"):
            hosts.read_hostfile("/dev/zero")

    def test_what_starts_an_agent(self):
        self.assertEqual(hosts.command(["ssh"], "n1")[:2], ["ssh", "-x"])
        self.assertEqual(hosts.command(["enter"], "n1"), ["enter", "n1", hosts.START])
        self.assertIn("--nodelist=n1", hosts.command(list(hosts.SRUN), "n1"))
        self.assertEqual(hosts.command(["ssh"], "localhost")[0], "/bin/sh")


if __name__ == "__main__":
    unittest.main()
