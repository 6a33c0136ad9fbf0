# SPDX-License-Identifier: BSD-3-Clause
"""The facts of all hosts, in the words in which decisions speak of them."""

import collections
import ipaddress
from dataclasses import dataclass
from typing import Optional

MOST_NETWORKS = 4  # of one parameter; more are told as one that has them all


@dataclass
class Finding:
    """One fault: the hosts that have it, a port if it is one of ports, its cause, and the line that mends it."""

    kind: str
    hosts: list
    cause: str
    fix: str
    port: Optional[int] = None


@dataclass
class Path:
    """A try of one host to connect to an address of another."""

    source: "Host"
    target: "Host"
    entry: dict

    def __getattr__(self, name):
        return self.entry.get(name)

    @property
    def works(self):
        """The host that was meant has answered."""
        return self.entry["state"] == "ok" and self.entry["answered"] == self.target.number


class Host:
    def __init__(self, number, entry):
        self.number = number
        self.name = entry["name"]
        self.entry = entry
        self.facts = entry["facts"]
        self.interfaces = [] if self.facts is None else [
            interface for interface in self.facts["interfaces"]
            if interface["up"] and not interface["loopback"]
        ]
        self.own = [interface["address"] for interface in self.interfaces]

    def parameter(self, name):
        return self.facts["ompi"].get("parameters", {}).get(name, "")

    @property
    def major(self):
        """The major version of Open MPI; 4 where it is not known."""
        text = (self.facts["ompi"].get("version") or "4").partition(".")[0]
        return int(text) if text.isdigit() else 4

    def limits(self, use):
        """Which parameters choose the interfaces of a use of TCP, and their values: (name, include, exclude)."""
        if use == "oob" and self.major >= 5:
            environment = self.facts["environment"]
            return ("prte_if_include", environment.get("PRTE_MCA_prte_if_include", ""),
                    environment.get("PRTE_MCA_prte_if_exclude", ""))
        name = f"{use}_tcp_if_"
        return name + "include", self.parameter(name + "include"), self.parameter(name + "exclude")

    def advertised(self, use):
        """The interfaces whose addresses Open MPI gives to its peers."""
        _, include, exclude = self.limits(use)
        if include:
            return [interface for interface in self.interfaces if matches(interface, include)]
        return [interface for interface in self.interfaces if not matches(interface, exclude)]

    def device(self):
        """The device that leads to most peers."""
        devices = [path["device"] for path in self.entry["paths"] if path.get("device")]
        return most_common(devices) or (self.interfaces[0]["device"] if self.interfaces else "eth0")


def most_common(values):
    """The value that there is most often, the first of several; None of none."""
    counted = collections.Counter(value for value in values if value is not None).most_common(1)
    return counted[0][0] if counted else None


def network_of(interface):
    return ipaddress.ip_network(f"{interface['address']}/{interface['prefix']}", strict=False)


def matches(interface, text):
    """Is the interface one of a list of devices and networks, as Open MPI writes them?"""
    for word in filter(None, (word.strip() for word in text.split(","))):
        if word == interface["device"]:
            return True
        try:
            if ipaddress.ip_address(interface["address"]) in ipaddress.ip_network(word, strict=False):
                return True
        except ValueError:
            continue
    return False


class Cluster:
    def __init__(self, document):
        self.map = document["map"]
        self.all = [Host(number, entry) for number, entry in enumerate(document["hosts"])]
        self.hosts = [host for host in self.all if host.facts is not None]
        self.paths = [
            Path(host, self.all[entry["to"]], entry) for host in self.hosts for entry in host.entry["paths"]
            if self.all[entry["to"]].facts is not None
        ]

    def reach(self, target, address, use):
        """The hosts that tried an address of TARGET, and those of them that got to it."""
        tried = [path for path in self.paths
                 if path.target is target and path.address == address and path.use == use]
        return {path.source.number for path in tried}, {path.source.number for path in tried if path.works}

    def best(self, target):
        """The interface of TARGET that most peers get to, the first of several; None: it has none."""
        def reached(interface):
            return sum(len(self.reach(target, interface["address"], use)[1]) for use in ("btl", "oob"))

        return max(target.interfaces, key=reached, default=None)

    def networks(self):
        """The networks of the hosts' best addresses, as btl_tcp_if_include takes them."""
        best = [interface for interface in map(self.best, self.hosts) if interface is not None]
        found = sorted({network_of(interface) for interface in best})
        while len(found) > MOST_NETWORKS or (len(found) > 1 and all(network.prefixlen == 32 for network in found)):
            found = sorted(ipaddress.collapse_addresses({network.supernet() for network in found}))
        return ",".join(map(str, found))

    def include(self, uses=("btl", "oob")):
        """The line that keeps Open MPI to these networks."""
        is_new = max((host.major for host in self.hosts), default=4) >= 5
        names = {"btl": "--mca btl_tcp_if_include",
                 "oob": "--prtemca prte_if_include" if is_new else "--mca oob_tcp_if_include"}
        return " ".join(f"{names[use]} {self.networks()}" for use in uses)


def listing(hosts):
    """Names for a sentence, the first few of many."""
    names = [host.name for host in hosts]
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
