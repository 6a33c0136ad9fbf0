# SPDX-License-Identifier: BSD-3-Clause
"""Links and connections that a lab loses while it runs: cut, mend, reset, forget."""

import re
import time

from . import labs, packet_filter, programs
from .errors import NetlabError
from .session import find_link


def enter(lab, vertex):
    return ["nsenter", f"--net=/run/netns/{vertex['namespace']}"]


def install(lab, vertex, rules, table):
    """Give the packet filter of a host a TABLE with these RULES."""
    programs.run_inside(lab, [*enter(lab, vertex), *packet_filter.install(rules, table, packet_filter.BOTH_FAMILIES)])


def change(lab, link, side, is_cut):
    """Cut or mend one direction of a link, where its packets arrive."""
    vertex = lab.find_host(link["to"] if side == 0 else link["from"])
    device = link["devices"][1 - side]
    if is_cut:
        install(lab, vertex, [("arriving", f'iifname "{device}" drop')], f"cut-{device}")
    else:
        remove = packet_filter.remove(f"cut-{device}", packet_filter.BOTH_FAMILIES)
        programs.run_inside(lab, [*enter(lab, vertex), *remove])


def switch(options, is_cut):
    """Cut or mend the directions of a link; those that are so stay so."""
    with labs.lock():
        lab = labs.find(options.lab)
        link, sides = find_link(lab, options.link)
        states = link.setdefault("is_cut", [False, False])
        for side in sides:
            if states[side] != is_cut:
                change(lab, link, side, is_cut)
                states[side] = is_cut
        lab.save()


def cut(options):
    """The link loses every packet, for some seconds or until it is mended."""
    switch(options, True)
    if options.seconds is not None:
        try:
            time.sleep(options.seconds)
        finally:
            mend(options)


def mend(options):
    switch(options, False)


def addresses(lab, vertex):
    """All addresses of a host: its own and those of its cables' ends."""
    found = [vertex["address"]]
    for link in lab.description["links"]:
        for end, address in zip((link["from"], link["to"]), link["addresses"]):
            if end == vertex["name"] and address:
                found.append(address)
    return found


def select(lab, first, second, ports):
    """What ss takes for the TCP connections of the host FIRST to SECOND, of which one end is in PORTS,
    (first, last), if these are given."""
    found = (f"[{one}]" if ":" in one else one for one in addresses(lab, second))
    peers = " or ".join(f"dst {address}" for address in found)
    wanted = f"( {peers} )"
    if ports is not None:
        inside = [f"( {end} >= :{ports[0]} and {end} <= :{ports[1]} )" for end in ("sport", "dport")]
        wanted += f" and ( {' or '.join(inside)} )"
    return wanted


def connections(options, *words):
    """The lab, the two hosts and what ss says with WORDS of their connections."""
    lab = labs.find(options.lab)
    ends = [lab.find_host(host) for host in (options.first, options.second)]
    output = programs.run_inside(lab, [*enter(lab, ends[0]), "ss", *words, select(lab, *ends, options.ports)])
    return lab, ends, output


def reset(options):
    """End all these connections."""
    _, _, output = connections(options, "-HtnK")
    if "not supported" in output:
        raise NetlabError("the kernel ends no connections: it is built without INET_DIAG_DESTROY")
    print(f"{options.first} and {options.second}: {len(output.splitlines())} connections ended")


def forget(options):
    """No packet of these connections arrives any more, one way at the first host, and nobody is told."""
    lab, ends, output = connections(options, "-Htn")
    found = [(own, peer) for own, peer in re.findall(r":(\d+)\s+\S+:(\d+)", output)]
    for vertex, pairs in zip(ends[:1] if options.one_way else ends, ([(peer, own) for own, peer in found], found)):
        if pairs:
            rules = [("arriving", f"tcp sport {source} tcp dport {target} drop") for source, target in pairs]
            install(lab, vertex, rules, f"forget-{time.monotonic_ns()}")
    print(f"{options.first} and {options.second}: {len(found)} connections forgotten")
