# SPDX-License-Identifier: BSD-3-Clause
"""Links and connections that a lab loses while it runs: cut, mend, reset."""

import os
import sys
import time

from . import labs, packet_filter, programs
from .errors import NetlabError
from .session import find_link

FILTER_COMMAND = "_filter"  # netlab starts itself with this in the namespace of a link's end


def enter(lab, vertex):
    return ["nsenter", f"--net=/run/netns/{vertex['namespace']}"]


def filter_device(action, device):
    """In the namespace of DEVICE: take nothing that arrives there, or all of it again."""
    table = f"cut-{device}"
    if action == "cut":
        packet_filter.install([packet_filter.drop_arriving(device)], table, packet_filter.INET)
    else:
        packet_filter.remove(table, packet_filter.INET)
    return 0


def change(lab, link, side, action):
    """Cut or mend one direction of a link, where its packets arrive."""
    vertex = lab.find_host(link["to"] if side == 0 else link["from"])
    netlab = [sys.executable, os.path.abspath(sys.argv[0]), FILTER_COMMAND]
    programs.run_inside(lab, [*enter(lab, vertex), *netlab, action, link["devices"][1 - side]])


def switch(name, link_text, is_cut):
    """Cut or mend the directions of a link; those that are so stay so."""
    with labs.lock():
        lab = labs.find(name)
        link, sides = find_link(lab, link_text)
        states = link.setdefault("is_cut", [False, False])
        for side in sides:
            if states[side] != is_cut:
                change(lab, link, side, "cut" if is_cut else "mend")
                states[side] = is_cut
        lab.save()


def cut(name, link_text, seconds):
    """The link loses every packet, for some SECONDS or, if None, until it is mended."""
    switch(name, link_text, True)
    if seconds is not None:
        try:
            time.sleep(seconds)
        finally:
            switch(name, link_text, False)


def mend(name, link_text):
    switch(name, link_text, False)


def addresses(lab, vertex):
    """All addresses of a host: its own and those of its cables' ends."""
    found = [vertex["address"]]
    for link in lab.description["links"]:
        for end, address in zip((link["from"], link["to"]), link["addresses"]):
            if end == vertex["name"]:
                found.append(address)
    return found


def reset(name, first, second, ports):
    """End all TCP connections between two hosts, of which one end is in PORTS, (first, last), if these
    are given; returns how many."""
    lab = labs.find(name)
    ends = [lab.find_host(host) for host in (first, second)]
    peers = " or ".join(f"dst {address}" for address in addresses(lab, ends[1]))
    wanted = f"( {peers} )"
    if ports is not None:
        inside = [f"( {end} >= :{ports[0]} and {end} <= :{ports[1]} )" for end in ("sport", "dport")]
        wanted += f" and ( {' or '.join(inside)} )"
    output = programs.run_inside(lab, [*enter(lab, ends[0]), "ss", "-HtnK", wanted])
    if "not supported" in output:
        raise NetlabError("the kernel ends no connections: it is built without INET_DIAG_DESTROY")
    return len(output.splitlines())
