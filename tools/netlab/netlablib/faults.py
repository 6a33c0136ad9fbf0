# SPDX-License-Identifier: BSD-3-Clause
"""Faults of clusters on which jobs do not start, put into a lab on purpose (docs/lab.md has the list)."""

import os
import re
import shutil

from . import packet_filter
from .errors import NetlabError
from .labs import TOPOLOGY
from .recipe import HOST_DEVICE

NOBODY = "10.{number}.255.250"  # an address of the lab that no vertex has
PRIVATE = "192.168.77.1"  # of a host behind NAT
LONGEST = 1500  # bytes of a packet that still passes
SMALL_BUFFER = 16384
CLOCK_SECONDS = 90
OTHER_DEVICE = "eth9"
LAST_PORT, FIRST_EPHEMERAL = 65535, 32768
# What runs on a host without Open MPI, or without Python.
NEEDED = ("sh", "env", "hostname", "mount", "nsenter", "unshare", "cat", "sleep", "uname")
SHIFTED_CLOCK = """import os, time
_time = time.time
time.time = lambda: _time() + {seconds}
os.environ.pop("PYTHONPATH")  # no other host is to have it
"""


class Damage:
    """What is to be spoiled: a lab that is being made, and the host that has the fault."""

    def __init__(self, lab, made, number, vertex):
        self.lab = lab
        self.made = made
        self.number = number
        self.vertex = vertex
        self.hosts = [entry for entry in made["description"]["vertices"] if entry["is_host"]]
        self.others = [entry for entry in self.hosts if entry is not vertex]

    @property
    def environment(self):
        return self.made["description"].setdefault("environment", {})

    def of_host(self, key, default):
        """A part of what netlab keeps of the host's faults."""
        faults = self.made["description"].setdefault("faults", {})
        return faults.setdefault(self.vertex["name"], {}).setdefault(key, default)

    def lines(self, vertex=None):
        return self.made["ip"][(vertex or self.vertex)["namespace"]]

    def filter(self, *rules):
        namespace = self.made.setdefault("rules", {}).setdefault(self.vertex["namespace"], [])
        namespace += rules

    def replace(self, old, new):
        lines = self.lines()
        lines[:] = [line.replace(old, new) for line in lines]

    def add_device(self, vertex, name, address):
        """A device with an address that leads nowhere, like one of a network without a cable."""
        self.lines(vertex).extend([
            f"link add name {name} type veth peer name {name}-peer",
            f"link set dev {name}-peer up",
            f"link set dev {name} up",
            f"address add {address} dev {name}",
        ])

    def use_every_interface(self):
        for name in ("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include", "PRTE_MCA_prte_if_include"):
            self.environment[name] = None

    def program(self, name, text):
        """A program that the host finds first."""
        folder = self.lab.path(f"programs-{self.vertex['namespace']}")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        self.of_host("path", f"{folder}:$PATH")
        return folder

    def edit_ompi_info(self, expression):
        real = shutil.which("ompi_info")
        if real is None:
            raise NetlabError("this fault changes what ompi_info says, and it is not on PATH")
        self.program("ompi_info", f"#!/bin/sh\n{real} \"$@\" | sed '{expression}'\n")

    def keep_programs(self, names):
        """The host has these programs only."""
        folder = self.lab.path(f"programs-{self.vertex['namespace']}")
        os.makedirs(folder, exist_ok=True)
        for name in names:
            real = shutil.which(name)
            if real is not None:
                os.symlink(real, os.path.join(folder, name))
        self.of_host("path", folder)

    def add_everywhere(self, name, network):
        for position, vertex in enumerate(self.hosts, 1):
            self.add_device(vertex, name, network.format(position=position))


def filtering(chain, first, last, verdict="drop"):
    """A fault that concerns new connections to these ports."""
    return lambda damage: damage.filter(packet_filter.new_connections(chain, first, last, verdict))


class Faults(Damage):
    """Each kind of fault, with "_" for "-" in its name."""

    def name_missing(self):
        self.of_host("names", {})[self.others[0]["host"]] = None

    def name_loopback(self):
        self.of_host("names", {})[self.vertex["host"]] = "127.0.1.1"

    def name_differs(self):
        self.of_host("names", {})[self.others[0]["host"]] = NOBODY.format(number=self.number)

    ports_in = filtering("input", 1, LAST_PORT)
    ports_out = filtering("output", 1, LAST_PORT)
    ports_reset = filtering("input", 1, LAST_PORT, "reject with tcp reset")
    ports_low = filtering("input", 1, FIRST_EPHEMERAL - 1)
    ports_high = filtering("input", FIRST_EPHEMERAL, LAST_PORT)

    def same_address(self):
        self.use_every_interface()
        for vertex in (self.vertex, self.others[0]):
            self.add_device(vertex, "docker0", "172.17.0.1/16")

    def interface(self):
        self.use_every_interface()
        self.add_device(self.vertex, "mgmt0", "172.30.0.1/24")

    def include(self):
        self.add_everywhere("mgmt0", "172.30.0.{position}/24")
        self.environment["OMPI_MCA_btl_tcp_if_include"] = "mgmt0"

    def oob_include(self):
        self.add_everywhere("mgmt0", "172.30.0.{position}/24")
        self.environment["OMPI_MCA_oob_tcp_if_include"] = "mgmt0"
        self.environment["PRTE_MCA_prte_if_include"] = "mgmt0"

    def no_interface(self):
        self.replace(HOST_DEVICE, OTHER_DEVICE)

    def subnets(self):
        self.use_every_interface()
        self.add_everywhere("lan0", "192.168.{position}.1/24")

    def masquerade(self):
        outside = self.vertex["address"]
        self.replace(f"address add {outside}/16", f"address add {PRIVATE}/24")
        self.replace(f"src {outside}", f"src {PRIVATE}")
        self.filter(("postrouting", f"ip saddr {PRIVATE} snat to {outside}"))

    def nat(self):
        self.masquerade()
        self.filter(("prerouting", f"ip daddr {self.vertex['address']} dnat to {PRIVATE}"))

    def mtu(self):
        self.filter(packet_filter.drop_long("input", LONGEST), packet_filter.drop_long("output", LONGEST))
        # Segments that the kernel has not cut yet would be longer than any packet.
        for lines in self.made["ip"].values():
            lines += [f"{line.rpartition(' arp off')[0]} gso_max_segs 1" for line in lines if line.endswith("arp off up")]

    def buffers(self):
        settings = self.made.setdefault("settings", {}).setdefault(self.vertex["namespace"], {})
        for name in ("tcp_rmem", "tcp_wmem"):
            settings[f"net/ipv4/{name}"] = f"4096 {SMALL_BUFFER} {SMALL_BUFFER}"

    def clock(self):
        real = shutil.which("python3")
        folder = self.program("sitecustomize.py", SHIFTED_CLOCK.format(seconds=CLOCK_SECONDS))
        self.program("python3", f'#!/bin/sh\nPYTHONPATH={folder} exec {real} "$@"\n')

    def openmpi_version(self):
        self.edit_ompi_info("s/^ompi:version:full:.*/ompi:version:full:4.0.1/")

    def mtree_version(self):
        self.edit_ompi_info('s/^\\(mca:coll:mtree:version:"component:\\)[^"]*/\\10.0.1/')

    def no_component(self):
        self.edit_ompi_info("/^mca:coll:mtree:/d")

    def no_openmpi(self):
        self.keep_programs((*NEEDED, "python3"))

    def no_python(self):
        self.keep_programs(NEEDED)

    def unreachable(self):
        self.of_host("unreachable", True)

    def map(self):
        path = self.lab.path("other.dot")
        name = re.escape(self.vertex["name"])
        with open(self.lab.path(TOPOLOGY), encoding="utf-8") as file:
            text = re.sub(rf"\b{name}\b", f"{self.vertex['name']}-of-old", file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.environment["OMPI_MCA_coll_mtree_topology"] = path


KINDS = [name.replace("_", "-") for name in vars(Faults) if not name.startswith("_")]


def parse(text):
    """(kind, host or None) from 'KIND=HOST' or 'KIND', else ValueError."""
    kind, _, host = text.partition("=")
    if kind not in KINDS:
        raise ValueError(text)
    return kind, host or None


def find_host(made, name):
    hosts = [vertex for vertex in made["description"]["vertices"] if vertex["is_host"]]
    if len(hosts) < 2:
        raise NetlabError("a fault needs a lab of two hosts or more")
    for vertex in hosts:
        if name in (vertex["name"], vertex["host"]):
            return vertex
    if name is not None:
        raise NetlabError(f"--fault: the lab has no host '{name}'")
    return hosts[-1]


def inject(lab, made, number, wanted):
    """Change the recipe MADE of a lab, and what its programs get, by (kind, host) of WANTED."""
    for kind, host in wanted:
        getattr(Faults(lab, made, number, find_host(made, host)), kind.replace("-", "_"))()
