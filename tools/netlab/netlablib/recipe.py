# SPDX-License-Identifier: BSD-3-Clause
"""A lab as data: the `ip` and `tc` commands that make it; nothing here runs them.

Every vertex is a network namespace that forwards; every link is a veth pair (or, with a
relay in between, two pairs) whose ends are shaped by tbf.  The ends of a link share one
hardware address and do not use ARP, so that no address resolution waits in a full queue.
"""

import ipaddress
import re

from .topology import BURST_SECONDS, DEFAULT_MTU, ends, needs_relay, route_mtus

HOST_DEVICE = "netlab"  # carries a host's address, the same on every host
HOST_PEER = "netlab-peer"  # its other end: without one that is up it reports no carrier
ETHERNET_HEADER = 14  # what tbf counts of a packet beside its MTU
QUEUE_SECONDS = 0.03  # the longest queue before a link
LEAST_QUEUE_FRAMES = 8
LEAST_RATE = 8000  # bits/s; tbf has no rate of zero

SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
TAKEN_DEVICES = {"lo", "all", "default", HOST_DEVICE, HOST_PEER}


def namespace_names(vertices):
    """Vertex name -> namespace name: the same where it can be a file name."""
    return {
        vertex["name"]: vertex["name"] if SAFE_NAME.match(vertex["name"]) else f"vertex{number}"
        for number, vertex in enumerate(vertices)
    }


def device_name(neighbour, number):
    """The device towards NEIGHBOUR: its name if the kernel allows it, else the link."""
    usable = SAFE_NAME.match(neighbour) and len(neighbour) < 16
    return neighbour if usable and neighbour not in TAKEN_DEVICES else f"link{number}"


def link_device(link, side, number):
    """The device of LINK, the NUMBERth, at its end SIDE."""
    return f"cable{number}" if link["addresses"] else device_name(ends(link)[1 - side], number)


def least_network(addresses):
    """The least network that holds ADDRESSES as its hosts."""
    found = [ipaddress.ip_address(address) for address in addresses]
    for bits in range(found[0].max_prefixlen - 2, 0, -1):
        network = ipaddress.ip_network(f"{found[0]}/{bits}", strict=False)
        ends = (network.network_address, network.broadcast_address)
        if all(address in network and address not in ends for address in found):
            break
    return network


def lan_of(link):
    """The switch of LINK and the network that it belongs to there: addresses of one /24, or /64."""
    side = link["addresses"].index(None)
    mine = link["addresses"][1 - side]
    bits = 64 if ":" in mine else 24
    return ends(link)[side], ipaddress.ip_network(f"{mine}/{bits}", strict=False)


def is_lan(link):
    """Whether LINK leads from an interface with a network of its own to a switch."""
    return None in link["addresses"]


def cable_network(link, links):
    """The network of a link that names its ends."""
    if not is_lan(link):
        return least_network(link["addresses"])
    return least_network([
        address for other in links if is_lan(other) and lan_of(other) == lan_of(link)
        for address in other["addresses"] if address
    ])


def address(lab_number, vertex_number):
    """The vertex's address: 10.LAB.x.y, so that two labs never share one."""
    position = vertex_number + 1
    return f"10.{lab_number}.{position >> 8}.{position & 255}"


def shaper(rate, mtu):
    """The arguments of tbf for a rate in bits/s."""
    rate = max(int(rate), LEAST_RATE)
    frame = mtu + ETHERNET_HEADER
    burst = max(2 * frame, int(rate / 8 * BURST_SECONDS))
    limit = max(LEAST_QUEUE_FRAMES * frame, int(rate / 8 * QUEUE_SECONDS)) + burst
    return f"tbf rate {rate}bit burst {burst}b limit {limit}b"


def queue_commands(device, rate, link, verb="add"):
    """The tc commands for one end of a link."""
    shape = shaper(rate, link["mtu"])
    if not link["netem"]:
        return [f"qdisc {verb} dev {device} root {shape}"]
    # netem holds what is on the wire: the link's rate for its latency in small packets.
    packets = 1000 + int(rate * link["latency_s"] / 8 / 64)
    delay = f"netem delay {link['latency_s'] * 1e6:.0f}us limit {packets}"
    held = [f"qdisc add dev {device} root handle 1: {delay}"] if verb == "add" else []
    return [*held, f"qdisc {verb} dev {device} parent 1:1 handle 10: {shape}"]


def link_commands(number, link, namespaces):
    """Create the devices of a link, to be run in the lab's own namespace."""
    devices = [
        (link_device(link, side, number), namespaces[ends(link)[side]])
        for side in (0, 1)
    ]
    # A bridge takes what is addressed to one of its ports.
    kinds = ["6d" if is_lan(link) and link["addresses"][side] is None else "6c" for side in (0, 1)]
    common = [
        f"mtu {link['mtu']} address 02:6e:{kind}:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"
        for kind in kinds
    ]
    if not needs_relay(link):
        return [
            f"link add name {devices[0][0]} {common[0]} netns {devices[0][1]} type veth "
            f"peer name {devices[1][0]} {common[1]} netns {devices[1][1]}"
        ]
    commands = []
    for side, ((device, namespace), relay) in enumerate(zip(devices, relay_devices(number))):
        commands += [
            f"link add name {relay} mtu {link['mtu']} type veth "
            f"peer name {device} {common[side]} netns {namespace}",
            f"link set dev {relay} arp off up",
        ]
    return commands


def relay_devices(number):
    """The two devices of link NUMBER that the relay copies between."""
    return f"relay{number}a", f"relay{number}b"


def cable_commands(links, side, number):
    """The ip commands at the end SIDE of link NUMBER, which names its ends: its device has a network
    of its own, or is a port of a bridge."""
    link = links[number]
    device = link_device(link, side, number)
    mine = link["addresses"][side]
    if mine is None:
        first = next(other for other, one in enumerate(links) if is_lan(one) and lan_of(one) == lan_of(link))
        bridge = f"lan{first}"
        made = [f"link add name {bridge} type bridge mcast_snooping 0", f"link set dev {bridge} up"]
        return (made if number == first else []) + [f"link set dev {device} master {bridge} up"]
    quiet = " nodad" if ":" in mine else ""
    arp = "on" if is_lan(link) else "off"
    return [
        f"link set dev {device} arp {arp} up",
        f"address add {mine}/{cable_network(link, links).prefixlen} dev {device}{quiet}",
    ]


def vertex_commands(vertex, topology, addresses, table, mtus, congestion_control=None):
    """The ip commands inside a vertex's namespace: address, devices, routes."""
    name = vertex["name"]
    mine = addresses[name]
    mtu = max((link["mtu"] for link in topology.links), default=DEFAULT_MTU)
    commands = [
        "link set dev lo up",
        f"link add name {HOST_DEVICE} mtu {mtu} type veth peer name {HOST_PEER} mtu {mtu}",
        f"link set dev {HOST_PEER} up",
        f"link set dev {HOST_DEVICE} up",
        f"address add {mine}/16 dev {HOST_DEVICE} noprefixroute",
    ]
    devices, device_mtus = {}, {}
    for link_number, link in enumerate(topology.links):
        if name not in ends(link):
            continue
        side = ends(link).index(name)
        device = link_device(link, side, link_number)
        if link["addresses"]:
            commands += cable_commands(topology.links, side, link_number)
        else:
            neighbour = ends(link)[1 - side]
            devices[neighbour], device_mtus[neighbour] = device, link["mtu"]
            commands.append(f"link set dev {device} arp off up")
        if link["loss"] > 0:
            # Each packet is lost by itself, so the kernel cuts segments before the relay.
            commands.append(f"link set dev {device} gso_max_segs 1")
    control = f" congctl {congestion_control}" if congestion_control else ""
    for target, neighbour in table.items():
        # Told, and not found out: routers have no way back to every host.
        narrow = f" mtu {mtus[target]}" if mtus[target] < device_mtus[neighbour] else ""
        commands.append(
            f"route add {addresses[target]}/32 dev {devices[neighbour]} src {mine}"
            f"{narrow}{control}"
        )
    return commands


def relay_lines(links, scale):
    """What netlab_relay reads: two devices, delay in ns, bits/s (for its memory), the parts of
    all packets that are lost and that overtake others, and the jitter in ns."""
    lines = []
    for number, link in enumerate(links):
        if needs_relay(link):
            first, second = relay_devices(number)
            lines.append(
                f"{first} {second} {link['latency_s'] * 1e9:.0f} "
                f"{max(link['capacity_bps']) * scale:.0f} {link['loss']:g} {link['reorder']:g} "
                f"{link['jitter_s'] * 1e9:.0f}"
            )
    return lines


def describe_link(link, devices, scale):
    """What netlab keeps of a link: rates are as the lab has them."""
    return {
        **link,
        "devices": devices,
        "capacity_bps": [rate * scale for rate in link["capacity_bps"]],
        "file_capacity_bps": link["capacity_bps"],
        "cross_bps": [rate * scale for rate in link["cross_bps"]],
    }


def cook(topology, tables, lab_number, scale, congestion_control=None):
    """The lab: what the holder runs, and the description that netlab keeps of it.

    The congestion control is TCP's, the kernel's default if None.
    """
    namespaces = namespace_names(topology.vertices)
    addresses = {
        vertex["name"]: address(lab_number, number)
        for number, vertex in enumerate(topology.vertices)
    }
    mtus = route_mtus(topology, tables)
    ip = {
        namespaces[vertex["name"]]: vertex_commands(
            vertex,
            topology,
            addresses,
            tables[vertex["name"]],
            mtus[vertex["name"]],
            congestion_control,
        )
        for vertex in topology.vertices
    }
    tc = {namespace: [] for namespace in ip}
    links, described = [], []
    for number, link in enumerate(topology.links):
        links += link_commands(number, link, namespaces)
        devices = [link_device(link, side, number) for side in (0, 1)]
        for side in (0, 1):
            rate = link["capacity_bps"][side] * scale
            tc[namespaces[ends(link)[side]]] += queue_commands(devices[side], rate, link)
        described.append(describe_link(link, devices, scale))
    vertices = [
        {**vertex, "namespace": namespaces[vertex["name"]], "address": addresses[vertex["name"]]}
        for vertex in topology.vertices
    ]
    return {
        "ip": ip,
        "tc": tc,
        "links": links,
        "relay": relay_lines(topology.links, scale),
        "ipv6": any(":" in (address or "") for link in topology.links for address in link["addresses"]),
        "description": {"vertices": vertices, "links": described},
    }
