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


def name_missing(damage):
    damage.of_host("names", {})[damage.others[0]["host"]] = None


def name_loopback(damage):
    damage.of_host("names", {})[damage.vertex["host"]] = "127.0.1.1"


def name_differs(damage):
    damage.of_host("names", {})[damage.others[0]["host"]] = NOBODY.format(number=damage.number)


def ports_in(damage):
    damage.filter(packet_filter.drop_new("input", 1, LAST_PORT))


def ports_out(damage):
    damage.filter(packet_filter.drop_new("output", 1, LAST_PORT))


def ports_reset(damage):
    damage.filter(packet_filter.reset_new("input", 1, LAST_PORT))


def ports_low(damage):
    damage.filter(packet_filter.drop_new("input", 1, FIRST_EPHEMERAL - 1))


def ports_high(damage):
    damage.filter(packet_filter.drop_new("input", FIRST_EPHEMERAL, LAST_PORT))


def same_address(damage):
    damage.use_every_interface()
    for vertex in (damage.vertex, damage.others[0]):
        damage.add_device(vertex, "docker0", "172.17.0.1/16")


def interface(damage):
    damage.use_every_interface()
    damage.add_device(damage.vertex, "mgmt0", "172.30.0.1/24")


def add_everywhere(damage, name, network):
    for position, vertex in enumerate(damage.hosts, 1):
        damage.add_device(vertex, name, network.format(position=position))


def include(damage):
    add_everywhere(damage, "mgmt0", "172.30.0.{position}/24")
    damage.environment["OMPI_MCA_btl_tcp_if_include"] = "mgmt0"


def oob_include(damage):
    add_everywhere(damage, "mgmt0", "172.30.0.{position}/24")
    damage.environment["OMPI_MCA_oob_tcp_if_include"] = "mgmt0"
    damage.environment["PRTE_MCA_prte_if_include"] = "mgmt0"


def no_interface(damage):
    damage.replace(HOST_DEVICE, OTHER_DEVICE)


def subnets(damage):
    damage.use_every_interface()
    add_everywhere(damage, "lan0", "192.168.{position}.1/24")


def masquerade(damage):
    outside = damage.vertex["address"]
    damage.replace(f"address add {outside}/16", f"address add {PRIVATE}/24")
    damage.replace(f"src {outside}", f"src {PRIVATE}")
    damage.filter(packet_filter.translate_source(PRIVATE, outside))


def nat(damage):
    masquerade(damage)
    damage.filter(packet_filter.translate_target(damage.vertex["address"], PRIVATE))


def mtu(damage):
    damage.filter(packet_filter.drop_long("input", LONGEST), packet_filter.drop_long("output", LONGEST))
    # Segments that the kernel has not cut yet would be longer than any packet.
    for lines in damage.made["ip"].values():
        lines += [f"{line.rpartition(' arp off')[0]} gso_max_segs 1" for line in lines if line.endswith("arp off up")]


def buffers(damage):
    settings = damage.made.setdefault("settings", {}).setdefault(damage.vertex["namespace"], {})
    for name in ("tcp_rmem", "tcp_wmem"):
        settings[f"net/ipv4/{name}"] = f"4096 {SMALL_BUFFER} {SMALL_BUFFER}"


def clock(damage):
    real = shutil.which("python3")
    folder = damage.program("sitecustomize.py", SHIFTED_CLOCK.format(seconds=CLOCK_SECONDS))
    damage.program("python3", f'#!/bin/sh\nPYTHONPATH={folder} exec {real} "$@"\n')


def openmpi_version(damage):
    damage.edit_ompi_info("s/^ompi:version:full:.*/ompi:version:full:4.0.1/")


def mtree_version(damage):
    damage.edit_ompi_info('s/^\\(mca:coll:mtree:version:"component:\\)[^"]*/\\10.0.1/')


def no_component(damage):
    damage.edit_ompi_info("/^mca:coll:mtree:/d")


def no_openmpi(damage):
    damage.keep_programs((*NEEDED, "python3"))


def no_python(damage):
    damage.keep_programs(NEEDED)


def unreachable(damage):
    damage.of_host("unreachable", True)


def other_map(damage):
    path = damage.lab.path("other.dot")
    name = re.escape(damage.vertex["name"])
    with open(damage.lab.path(TOPOLOGY), encoding="utf-8") as file:
        text = re.sub(rf"\b{name}\b", f"{damage.vertex['name']}-of-old", file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    damage.environment["OMPI_MCA_coll_mtree_topology"] = path


KINDS = {
    "name-missing": name_missing,
    "name-loopback": name_loopback,
    "name-differs": name_differs,
    "ports-in": ports_in,
    "ports-out": ports_out,
    "ports-reset": ports_reset,
    "ports-low": ports_low,
    "ports-high": ports_high,
    "same-address": same_address,
    "interface": interface,
    "include": include,
    "oob-include": oob_include,
    "no-interface": no_interface,
    "subnets": subnets,
    "nat": nat,
    "masquerade": masquerade,
    "mtu": mtu,
    "buffers": buffers,
    "clock": clock,
    "openmpi-version": openmpi_version,
    "mtree-version": mtree_version,
    "no-component": no_component,
    "no-openmpi": no_openmpi,
    "no-python": no_python,
    "unreachable": unreachable,
    "map": other_map,
}


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
        KINDS[kind](Damage(lab, made, number, find_host(made, host)))
