#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""netlab on this machine: labs come up, carry MPI, and leave nothing behind."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
BUILD = os.environ.get("NETLAB_BUILD", os.getcwd())
NETLAB = os.path.join(BUILD, "tools", "netlab", "netlab")
LINE = os.path.join(HERE, "line.dot")
PREFIX = f"test{os.getpid()}"  # of all labs here, apart from other labs
SKIP = 77
CONGESTION_CONTROL = """
import socket, sys
connection = socket.socket()
connection.setblocking(False)
connection.connect_ex((sys.argv[1], 9))
name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
print(name.rstrip(b"\\0").decode())
"""
TIMEOUT = 60


def netlab(*arguments, check=True, environment=None):
    """Run netlab to its end; returns what subprocess.run() returns."""
    done = subprocess.run(
        [NETLAB, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if check and done.returncode != 0:
        raise AssertionError(f"netlab {arguments}: {done.returncode}: {done.stderr}")
    return done


def our_labs():
    labs = json.loads(netlab("status", "--json").stdout)
    return [lab["name"] for lab in labs if lab["name"].startswith(PREFIX)]


def read_process(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def processes_of(lab):
    """The arguments of each live process that belongs to the lab or has its name."""
    return [
        read_process(pid, "cmdline")
        for pid in filter(str.isdigit, os.listdir("/proc"))
        if int(pid) != os.getpid()
        and lab.encode() in read_process(pid, "environ") + read_process(pid, "cmdline")
    ]


def namespaces():
    listed = subprocess.run(
        ["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False
    )
    return set(listed.stdout.split())


def wait_until(true, seconds=40):
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    return true()


class Probe(unittest.TestCase):
    def test_finds_system_programs_that_the_path_leaves_out(self):
        places = os.environ["PATH"].split(os.pathsep)
        path = os.pathsep.join(p for p in places if not p.endswith("sbin"))
        probe = netlab("probe", "--json", environment={**os.environ, "PATH": path})
        self.assertEqual(json.loads(probe.stdout)["shaping"], "yes")


class BadArguments(unittest.TestCase):
    def expect(self, status, words, *arguments):
        done = netlab(*arguments, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_usage(self):
        self.expect(2, "COMMAND", "nonsense")
        self.expect(2, "needs '-- COMMAND'", "run", LINE)
        self.expect(2, "takes no '-- COMMAND'", "up", LINE, "--", "true")
        for scale in ("0", "-1", "nan", "much"):
            self.expect(2, "not a positive number", "up", LINE, "--scale", scale)
        self.expect(2, "not a number from 0 to 1", "up", LINE, "--loss", "2")
        for option, words, values in (
            ("--mtu", "not a whole number from 576 to 65535", ("0", "1500.5", "70000", "x")),
            ("--loss", "not a number from 0 to 1", ("2", "-1", "1%", "nan")),
            ("--jitter", "not a time such as 2ms", ("5", "-1ms", "2 hours")),
            ("--cross", "not a rate such as 30Mbps or x0.25", ("5", "x", "-1Mbps", "x-1")),
        ):
            for value in values:
                self.expect(2, words, "up", LINE, f"{option}={value}")
        self.expect(1, "leaves nothing of 20 Mb/s", "up", LINE, "--cross", "20Mbps")

    def test_what_is_not_there(self):
        self.expect(1, "could not read", "up", "/nonexistent.dot")
        self.expect(1, "no lab is named", "down", PREFIX + "-none")
        self.expect(1, "is not a program", "up", LINE, "--mtree", "/nonexistent")
        self.expect(1, "choose one of those", "up", LINE, "--congestion-control", "none")

    def test_a_helper_that_does_not_start(self):
        up = ["up", LINE, "--name", f"{PREFIX}-helpers", "--loss", "0.1"]
        done = netlab(*up, check=False, environment={**os.environ, "NETLAB_RELAY": "/bin/true"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("netlab_relay did not start", done.stderr)
        self.assertEqual(our_labs(), [])

    def test_a_name_that_cannot_be_a_folder(self):
        self.expect(1, "cannot name a lab", "up", LINE, "--name", "../x")
        self.assertEqual(our_labs(), [])


class StandingLab(unittest.TestCase):
    """One lab for all tests that only look at it."""

    name = PREFIX + "-standing"

    @classmethod
    def setUpClass(cls):
        options = ["--ranks-per-host", "2", "--congestion-control", "reno"]
        netlab("up", LINE, "--name", cls.name, *options)

    @classmethod
    def tearDownClass(cls):
        netlab("down", cls.name, check=False)

    def inside(self, host, *command):
        return netlab("exec", self.name, host, "--", *command).stdout

    def test_status_describes_the_lab(self):
        (lab,) = json.loads(netlab("status", self.name, "--json").stdout)
        self.assertTrue(lab["alive"])
        self.assertEqual([vertex["name"] for vertex in lab["vertices"]], list("abcs"))
        self.assertEqual(lab["links"][2]["capacity_bps"], [20e6, 20e6])

    def test_connections_have_the_congestion_control_that_was_chosen(self):
        (lab,) = json.loads(netlab("status", self.name, "--json").stdout)
        self.assertEqual(lab["congestion_control"], "reno")
        # It is chosen when a connection begins, whether or not anybody answers.
        output = self.inside(
            *["a", sys.executable, "-c", CONGESTION_CONTROL, lab["vertices"][1]["address"]]
        )
        self.assertEqual(output.strip(), "reno")

    def test_its_name_is_taken(self):
        again = netlab("up", LINE, "--name", self.name, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("there already", again.stderr)

    def test_a_host_has_its_name_and_knows_its_peers(self):
        self.assertEqual(self.inside("b", "hostname").strip(), "b")
        self.assertIn("10.", self.inside("b", "getent", "hosts", "c"))
        self.assertEqual(self.inside("-", "hostname").strip(), "a")

    def test_a_host_has_carrier_and_sees_its_own_devices(self):
        # What UCX, libfabric and MPICH ask before they use an interface.
        self.assertEqual(self.inside("a", "cat", "/sys/class/net/netlab/carrier"), "1\n")
        self.assertIn("LOWER_UP", self.inside("a", "ip", "link", "show", "netlab"))
        devices = self.inside("b", "ls", "/sys/class/net").split()
        self.assertEqual(devices, ["lo", "netlab", "netlab-peer", "s"])

    def test_the_remote_shell_takes_options_of_ssh(self):
        shell = 'exec "$NETLAB_LAB/enter" -x -q b hostname'
        self.assertEqual(self.inside("-", "sh", "-c", shell), "b\n")

    def test_mtree_is_told_the_network_of_the_lab(self):
        show = 'cat "$OMPI_MCA_coll_mtree_topology"'
        self.assertIn('"a" -- "s" [capacity="50Mbps"', self.inside("-", "sh", "-c", show))
        lab = ["run", LINE, "--name", f"{PREFIX}-topology", "--scale", "0.5", "--no-latency"]
        output = netlab(*lab, "--", "sh", "-c", show).stdout
        self.assertIn('"a" -- "s" [capacity="25Mbps" mtu=9000 burst=18028]', output)
        self.assertNotIn("latency=", output)
        mine = {**os.environ, "OMPI_MCA_coll_mtree_topology": "mine.dot"}
        command = ["exec", self.name, "-", "--", "printenv", "OMPI_MCA_coll_mtree_topology"]
        self.assertEqual(netlab(*command, environment=mine).stdout, "mine.dot\n")

    def test_arguments_and_status_of_a_command_arrive(self):
        self.assertEqual(
            self.inside("a", "printf", "%s|", "x y", "--", "$z"), "x y|--|$z|"
        )
        failed = netlab("exec", self.name, "a", "--", "false", check=False)
        self.assertEqual(failed.returncode, 1)

    def test_a_pipe_that_is_closed_ends_its_writer(self):
        done = netlab("exec", self.name, "a", "--", "sh", "-c", "yes | head -n 1")
        self.assertEqual((done.stdout, done.stderr), ("y\n", ""))

    def test_a_folder_that_is_gone_is_told_in_one_line(self):
        gone = f'cd "$(mktemp -d)" && rmdir "$PWD" && exec {NETLAB} exec {self.name} a -- true'
        done = subprocess.run(["sh", "-c", gone], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Anetlab: error: .*\n\Z")

    def test_packets_take_the_latency_of_their_route(self):
        code = (
            "import socket, sys, time\n"
            "s = socket.create_server(('c', 9), reuse_port=False)\n"
            "print('listening', flush=True)\n"
            "s.accept()\n"
        )
        server = subprocess.Popen(
            [NETLAB, "exec", self.name, "c", "--", "/usr/bin/env", "python3", "-c", code],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(server.stdout.readline(), "listening\n")
        client = (
            "import socket, time\n"
            "start = time.monotonic()\n"
            "socket.create_connection(('c', 9))\n"
            "print(time.monotonic() - start)\n"
        )
        took = float(self.inside("a", "python3", "-c", client))
        server.wait(TIMEOUT)
        server.stdout.close()
        self.assertGreater(took, 0.95 * 2 * (0.010 + 0.002))

    def test_ranks_of_one_host_share_memory_and_others_do_not(self):
        program = os.path.join(BUILD, "tests", "lab", "lab_allreduce")
        output = self.inside("-", "mpirun", program)
        self.assertEqual(output.split(), ["ok", "6", "3", "2"])

    def test_user_arguments_override(self):
        output = self.inside("-", "mpirun", "-np", "2", "--map-by", "node", "hostname")
        self.assertEqual(sorted(output.split()), ["a", "b"])

    def test_environment_reaches_other_hosts(self):
        os.environ["NETLAB_TEST_VARIABLE"] = "here"
        output = self.inside(
            "-", "mpirun", "--host", "c", "printenv", "NETLAB_TEST_VARIABLE"
        )
        del os.environ["NETLAB_TEST_VARIABLE"]
        self.assertEqual(output, "here\n")

    def test_set_refuses_what_it_does_not_know(self):
        for link, setting in (
            ("a--b", "capacity=1Mbps"),
            ("a--s", "capacity=0Mbps"),
            ("a--s", "capacity=5"),
            ("a--s", "latency=5ms"),
            ("a--s", "cross=50Mbps"),
            ("a--s", "cross=much"),
        ):
            done = netlab("set", self.name, link, setting, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Anetlab: error: .*\n\Z")


class Outages(unittest.TestCase):
    """Two hosts with three cables, one of IPv6, and a LAN: what is cut, reset or forgotten, and what is not."""

    name = PREFIX + "-outages"
    SPEAK = """
import socket, sys
if sys.argv[1] == "serve":
    family = socket.AF_INET6 if ":" in sys.argv[2] else socket.AF_INET
    listener = socket.create_server((sys.argv[2], int(sys.argv[3])), family=family)
    print("up", flush=True)
    stream = listener.accept()[0]
else:
    stream = socket.create_connection((sys.argv[2], int(sys.argv[3])))
for line in sys.stdin:
    try:
        stream.sendall(line.encode())
        print(stream.recv(9).decode() or "end", end="", flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""

    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".dot") as file:
            links = [f'a -- b [capacity="50Mbps" from_address="{network}1" to_address="{network}2"];'
                     for network in ("10.88.1.", "10.88.2.", "2001:db8::")]
            file.write(f'graph {{ a; b; lan [kind=switch]; a -- lan [capacity="20Mbps"]; b -- lan [capacity="20Mbps"]; {" ".join(links)} }}')
            file.flush()
            netlab("up", file.name, "--name", self.name)
        self.addCleanup(netlab, "down", self.name, check=False)

    def arrives(self, address):
        """Does a packet from a reach this address of b?"""
        probe = "import socket, sys; s = socket.socket(); s.settimeout(0.3); print(s.connect_ex((sys.argv[1], 9)))"
        return netlab("exec", self.name, "a", "--", "python3", "-c", probe, address).stdout == "111\n"

    def arriving(self):
        return [self.arrives(f"10.88.{cable}.2") for cable in "12"]

    def test_a_link_is_cut_and_mended(self):
        self.assertEqual(self.arriving(), [True, True])
        for link in ("a--b#2", "a->b#2", "b->a#2"):
            netlab("cut", self.name, link)
            netlab("cut", self.name, link)
            self.assertEqual(self.arriving(), [True, False])
            netlab("mend", self.name, link)
            self.assertEqual(self.arriving(), [True, True])
        start = time.monotonic()
        cut = subprocess.Popen([NETLAB, "cut", self.name, "a--b", "--seconds", "5"])
        self.addCleanup(cut.wait)
        self.assertTrue(wait_until(lambda: not self.arrives("10.88.1.2")))
        self.assertEqual(cut.wait(), 0)
        self.assertGreater(time.monotonic() - start, 5)
        self.assertEqual(self.arriving(), [True, True])

    def speaker(self, host, *arguments):
        return subprocess.Popen(
            [NETLAB, "exec", self.name, host, "--", "python3", "-c", self.SPEAK, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )

    def speak(self, *ends):
        """The programs at both ends, b's first, of connections to these addresses and ports of b."""
        speakers = []
        for end in ends:
            speakers.append(self.speaker("b", "serve", *end))
            self.assertEqual(speakers[-1].stdout.readline(), "up\n")
            speakers.append(self.speaker("a", "dial", *end))
        count = len(ends)
        wait_until(lambda: netlab("exec", self.name, "a", "--", "ss", "-Htn").stdout.count("ESTAB") == count)
        return speakers

    def test_connections_are_reset(self):
        ends = self.speak(("10.88.1.2", "2000"), ("2001:db8::2", "2001"), ("10.88.1.2", "3000"))
        done = netlab("reset", self.name, "a", "b", "--ports", "2000-2999")
        self.assertEqual(done.stdout, "a and b: 2 connections ended\n")
        answers = [end.communicate("word\n", timeout=TIMEOUT)[0] for end in ends[:4]]
        self.assertNotIn("word", "".join(answers))
        for end in ends[4:]:
            end.stdin.write("word\n")
            end.stdin.flush()
        self.assertEqual([end.stdout.readline() for end in ends[4:]], ["word\n", "word\n"])
        for end in ends[4:]:
            end.communicate(timeout=TIMEOUT)
        self.assertIn("0 connections", netlab("reset", self.name, "b", "a").stdout)

    def test_connections_are_forgotten(self):
        ends = self.speak(("10.88.1.2", "2000"), ("2001:db8::2", "2001"))
        self.assertEqual(netlab("forget", self.name, "a", "b").stdout, "a and b: 2 connections forgotten\n")
        for end in ends:
            end.stdin.write("word\n")
            end.stdin.flush()
        self.assertEqual(select.select([end.stdout for end in ends], [], [], 2)[0], [])
        for end in ends:
            end.kill()
            end.communicate()
        self.assertEqual(self.arriving(), [True, True])

    def test_connections_are_forgotten_in_one_direction(self):
        ends = self.speak(("10.88.1.2", "2000"))
        netlab("forget", self.name, "a", "b", "--one-way")
        for end in ends:
            end.stdin.write("word\n")
            end.stdin.flush()
        self.assertEqual(ends[0].stdout.readline(), "word\n")
        self.assertEqual(select.select([ends[1].stdout], [], [], 1)[0], [])
        for end in ends:
            end.kill()
            end.communicate()

    def test_mistakes_are_told(self):
        for words, *arguments in (
            ["no link 'a--b#4'", "cut", self.name, "a--b#4"],
            ["no host 'c'", "reset", self.name, "a", "c"],
            ["not a range of ports", "reset", self.name, "a", "b", "--ports", "9"],
            ["not a positive number", "cut", self.name, "a--b", "--seconds", "0"],
        ):
            self.assertIn(words, netlab(*arguments, check=False).stderr)


@unittest.skipUnless(shutil.which("iperf3"), "iperf3 is not installed")
class Rates(unittest.TestCase):
    name = PREFIX + "-rates"

    def setUp(self):
        netlab("up", LINE, "--name", self.name, "--scale", "0.5", "--no-latency")
        self.addCleanup(netlab, "down", self.name, check=False)

    def goodput(self):
        """Bits/s from a to b."""
        server = subprocess.Popen(
            [NETLAB, "exec", self.name, "b", "--", "iperf3", "-s", "-1", "--forceflush"],
            stdout=subprocess.PIPE,
            text=True,
        )
        while "listening" not in server.stdout.readline():
            self.assertIsNone(server.poll())
        output = netlab("exec", self.name, "a", "--", "iperf3", "-J", "-t", "2", "-c", "b")
        server.communicate(timeout=TIMEOUT)
        return json.loads(output.stdout)["end"]["sum_received"]["bits_per_second"]

    def test_links_carry_their_scaled_rate_and_a_changed_one(self):
        # A broad band: the machine may be busy, but it cannot be faster than the links.
        fast = self.goodput()
        self.assertLess(fast, 1.1 * 25e6)
        self.assertGreater(fast, 0.5 * 25e6)
        output = netlab("set", self.name, "a->s", "capacity=x0.25").stdout
        self.assertEqual(output, "a->s: 6.25 Mb/s\n")
        slow = self.goodput()
        self.assertLess(slow, 1.2 * 6.25e6)
        self.assertGreater(slow, 0.4 * 6.25e6)


class Conditions(unittest.TestCase):
    """Packets are counted by the kernel, so the machine may be busy."""

    name = PREFIX + "-conditions"

    def setUp(self):
        self.addCleanup(netlab, "down", self.name, check=False)

    def up(self, *options):
        netlab("up", LINE, "--name", self.name, *options)
        (lab,) = json.loads(netlab("status", self.name, "--json").stdout)
        return lab

    def inside(self, host, *command):
        return netlab("exec", self.name, host, "--", *command).stdout

    def counted(self, host, device, what):
        return int(self.inside(host, "cat", f"/sys/class/net/{device}/statistics/{what}"))

    def senders(self):
        return sum(b"\0_cross\0" in arguments for arguments in processes_of(self.name))

    def exchange(self, num_bytes):
        """Bytes go from a to b by TCP; how many arrive."""
        serve = "import socket; s = socket.create_server(('b', 9)); print('up', flush=True)\n"
        serve += "c, n = s.accept()[0], 0\nwhile (d := c.recv(65536)): n += len(d)\nprint(n)"
        server = subprocess.Popen(
            [NETLAB, "exec", self.name, "b", "--", "python3", "-c", serve],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(server.stdout.readline(), "up\n")
        send = f"import socket; socket.create_connection(('b', 9)).sendall(bytes({num_bytes}))"
        self.inside("a", "python3", "-c", send)
        return int(server.communicate(timeout=TIMEOUT)[0])

    def test_they_are_in_the_status(self):
        conditions = ["--mtu", "1500", "--loss", "0.01", "--jitter", "2ms", "--cross", "x0.1"]
        lab = self.up("--no-latency", "--scale", "0.5", *conditions)
        self.assertEqual(lab["latency"], "relay")
        link = lab["links"][2]
        self.assertEqual((link["mtu"], link["loss"], link["jitter_s"]), (1500, 0.01, 0.002))
        self.assertEqual(link["cross_bps"], [1e6, 1e6])
        self.assertIn(
            "0 ms, jitter 2 ms, loss 0.01, cross traffic 1 and 1 Mb/s",
            netlab("status", self.name).stdout,
        )

    def test_the_map_of_the_lab_has_those_that_forecasts_know(self):
        self.up("--no-latency", "--mtu", "1500", "--loss", "0.01", "--jitter", "2ms")
        told = self.inside("a", "sh", "-c", 'cat "$OMPI_MCA_coll_mtree_topology"')
        self.assertEqual(told.count('mtu=1500 loss="0.01" burst='), 3)

    def test_a_file_gives_a_link_its_own(self):
        with tempfile.NamedTemporaryFile("w", suffix=".dot") as file:
            file.write('graph { a -- b [capacity="50Mbps" mtu=1500]; b -- c [capacity="50Mbps"]; }')
            file.flush()
            netlab("up", file.name, "--name", self.name, "--mtu", "4000")
        mtus = [self.inside("b", "cat", f"/sys/class/net/{end}/mtu") for end in "ac"]
        self.assertEqual(mtus, ["1500\n", "4000\n"])
        self.assertIn("mtu 1500", self.inside("c", "ip", "route", "get", self.address("a")))

    def address(self, host):
        (lab,) = json.loads(netlab("status", self.name, "--json").stdout)
        return next(vertex["address"] for vertex in lab["vertices"] if vertex["name"] == host)

    def test_lost_packets_are_sent_again(self):
        self.up("--mtu", "1500", "--loss", "0.02", "--jitter", "1ms")
        self.assertEqual(self.exchange(2_000_000), 2_000_000)
        counters = self.inside("a", "cat", "/proc/net/snmp").splitlines()
        names, values = (line.split() for line in counters if line.startswith("Tcp:"))
        self.assertGreater(int(values[names.index("RetransSegs")]), 0)

    def test_cross_traffic_starts_stops_and_leaves_nothing(self):
        self.up("--no-latency")
        self.assertEqual(self.senders(), 0)
        for rates in (["20", "30"], ["20", "10"]):
            for end, rate in zip(("a->s", "s->a"), rates):
                output = netlab("set", self.name, end, f"cross={rate}Mbps").stdout
                self.assertEqual(output, f"{end}: {rate} Mb/s of cross traffic\n")
            self.assertEqual(self.senders(), 1)
        before = self.counted("a", "s", "rx_packets")
        self.assertTrue(wait_until(lambda: self.counted("a", "s", "rx_packets") > before + 20))
        self.assertEqual(self.counted("b", "s", "rx_packets"), 0)
        self.assertEqual(self.exchange(200_000), 200_000)
        netlab("set", self.name, "a--s", "cross=x0")
        self.assertEqual(self.senders(), 0)
        netlab("set", self.name, "a--s", "cross=x0.5")
        self.assertEqual(self.senders(), 1)
        netlab("down", self.name)
        self.assertEqual(processes_of(self.name), [])

    def test_a_run_has_cross_traffic_and_ends_it(self):
        run = ["run", LINE, "--name", self.name, "--no-latency", "--cross", "x0.2", "--"]
        show = 'for i in 1 2; do cat "/sys/class/net/s/statistics/rx_packets"; sleep 1; done'
        before, after = map(int, netlab(*run, "sh", "-c", show).stdout.split())
        self.assertGreater(after, before)
        self.assertEqual(processes_of(self.name), [])


class CleaningUp(unittest.TestCase):
    def setUp(self):
        self.before = namespaces()
        self.name = f"{PREFIX}-{self._testMethodName[-20:]}"

    def assert_nothing_left(self):
        self.assertTrue(wait_until(lambda: not processes_of(self.name)))
        self.assertEqual(our_labs(), [])
        self.assertEqual(namespaces(), self.before)

    def start_run(self):
        """A run whose ranks are up on every host."""
        run = subprocess.Popen(
            [NETLAB, "run", LINE, "--name", self.name, "--", "mpirun", "sleep", "50"]
        )
        self.addCleanup(run.kill)
        self.assertTrue(wait_until(lambda: self.count_sleepers() == 3))
        return run

    def count_sleepers(self):
        return processes_of(self.name).count(b"sleep\00050\0")

    def test_run_returns_the_status_and_leaves_nothing(self):
        run = ["run", LINE, "--name", self.name, "--no-latency", "--"]
        self.assertEqual(netlab(*run, "sh", "-c", "exit 7", check=False).returncode, 7)
        self.assert_nothing_left()

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start_run()
                run.send_signal(number)
                self.assertEqual(run.wait(TIMEOUT), 128 + number)
                self.assert_nothing_left()

    def test_a_killed_run(self):
        run = self.start_run()
        run.kill()
        run.wait(TIMEOUT)
        self.assertTrue(wait_until(lambda: not our_labs()))
        self.assert_nothing_left()

    def test_a_killed_holder_is_taken_down(self):
        netlab("up", LINE, "--name", self.name, "--no-latency")
        (lab,) = json.loads(netlab("status", self.name, "--json").stdout)
        left = subprocess.Popen([NETLAB, "exec", self.name, "b", "--", "sleep", "50"])
        self.assertTrue(wait_until(lambda: self.count_sleepers() == 1))
        os.kill(lab["holder"], signal.SIGKILL)
        self.assertTrue(wait_until(lambda: "holder died" in netlab("status").stdout))
        netlab("down", self.name)
        self.assertNotEqual(left.wait(TIMEOUT), 0)
        self.assert_nothing_left()

    def test_a_program_that_stays_behind_is_ended(self):
        run = ["run", LINE, "--name", self.name, "--no-latency", "--"]
        netlab(*run, "sh", "-c", "sleep 50 >/dev/null 2>&1 &")
        self.assert_nothing_left()


class SideBySide(unittest.TestCase):
    def test_two_labs(self):
        names = [PREFIX + "-left", PREFIX + "-right"]
        for name in names:
            self.addCleanup(netlab, "down", name, check=False)
            netlab("up", LINE, "--name", name, "--no-latency")
        addresses = [
            netlab("exec", name, "b", "--", "getent", "hosts", "b").stdout
            for name in names
        ]
        self.assertNotEqual(addresses[0], addresses[1])
        netlab("down", names[0])
        output = netlab("exec", names[1], "-", "--", "mpirun", "hostname").stdout
        self.assertEqual(sorted(output.split()), ["a", "b", "c"])


if __name__ == "__main__":
    probe = netlab("probe", check=False)
    if probe.returncode != 0:
        print(f"skipped: {probe.stdout.strip()}")
        sys.exit(SKIP)
    unittest.main()
