# SPDX-License-Identifier: BSD-3-Clause
"""Findings about the ways between hosts: NAT, interfaces, ports, long packets."""

from .cluster import Finding, listing, most_common
from .names import known_as

TUNNEL = "10.200.0.0/24"
HEADERS = 40  # of IP and TCP


def seen_as(cluster, host):
    """The address that peers see when HOST connects, if it is none of its own."""
    return most_common(path.seen for path in cluster.paths
                       if path.source is host and path.works and path.seen not in host.own)


def lonely(cluster, host):
    """The peers that get to none of the host's own addresses."""
    got = set()
    for address in host.own:
        got |= cluster.reach(host, address, "btl")[1] | cluster.reach(host, address, "oob")[1]
    return [peer for peer in cluster.hosts if peer is not host and peer.number not in got]


def translated(cluster):
    """The hosts behind NAT: {number: the address that others know}."""
    found = {}
    for host in cluster.hosts:
        answers = [path.address for path in cluster.paths
                   if path.target is host and path.works and path.address not in host.own]
        outside = seen_as(cluster, host)
        if outside is None and lonely(cluster, host):
            outside = most_common(answers) or known_as(cluster, host)
        if outside is not None:
            found[host.number] = outside
    return found


def find_nat(cluster):
    outside = translated(cluster)
    hosts = [host for host in cluster.hosts if host.number in outside]
    if not hosts:
        return
    each = "; ".join(f"{host.name} has {', '.join(host.own)}, others know {outside[host.number]}" for host in hosts)
    yield Finding("nat", [host.name for host in hosts],
                  f"NAT: {each}. Open MPI tells peers the former, where they do not get to it or it is not known",
                  f"join the sites by a tunnel (WireGuard, say, with addresses of {TUNNEL}), then: "
                  f"--mca btl_tcp_if_include {TUNNEL} --mca oob_tcp_if_include {TUNNEL}")


def twins(cluster, use, outside):
    """Addresses that several hosts advertise which are not behind NAT: {address: [(host, device)]}."""
    owners = {}
    for host in cluster.hosts:
        for interface in host.advertised(use) if host.number not in outside else ():
            owners.setdefault(interface["address"], []).append((host, interface["device"]))
    return {address: found for address, found in owners.items() if len(found) > 1}


def find_twins(cluster, outside):
    for address, owners in sorted(twins(cluster, "btl", outside).items()):
        hosts, devices = [host for host, _ in owners], sorted({device for _, device in owners})
        yield Finding("same-address", [host.name for host in hosts],
                      f"{listing(hosts)} have the same address {address} ({', '.join(devices)}): "
                      "peers that use it connect to themselves", cluster.include())


def find_interfaces(cluster, outside):
    """What Open MPI is told to use and there is not, or what it uses and does not lead to peers."""
    wrong = {}
    for host in cluster.hosts:
        for use in ("btl", "oob"):
            name, include, _ = host.limits(use)
            if include and not host.advertised(use):
                has = ", ".join(f"{i['device']} {i['address']}/{i['prefix']}" for i in host.interfaces)
                wrong.setdefault(("interface-missing", f"{name} {include}", use), []).append((host, has))
            elif host.number not in outside:
                for interface in misleading(cluster, host, use, outside):
                    some = cluster.reach(host, interface["address"], use)[1]
                    kind, what = ("cables", "cables") if some else ("wrong-interface", interface["device"])
                    wrong.setdefault((kind, what, use), []).append((host, interface["address"]))
    for (kind, what, use), found in sorted(wrong.items(), key=lambda item: item[0][:2]):
        both = wrong.get((kind, what, "oob")) == wrong.get((kind, what, "btl"))
        if use == "btl" or not both:
            yield interface_finding(cluster, kind, what, ("btl", "oob") if both else (use,), found)


USERS = {("btl",): "MPI's connections", ("oob",): "mpirun's own connections", ("btl", "oob"): "Open MPI's connections"}


def interface_finding(cluster, kind, what, uses, found):
    hosts = list(dict.fromkeys(host for host, _ in found))
    fix = cluster.include(uses)
    each = ", ".join(f"{has} on {host.name}" for host, has in found[:4]) + (", ..." if len(found) > 4 else "")
    if kind == "interface-missing":
        cause = f"nothing on {listing(hosts)} is what {what} names; there is: {each}"
    elif kind == "cables":
        cause = f"{USERS[uses]} may use interfaces by which some peers alone are reached: {each}"
        fix += "  # mtree sends over them as well: --mca coll mtree --mca coll_mtree_topology probe"
    else:
        cause = f"{USERS[uses]} may use {what}, by which peers are not reached: {each}"
    return Finding(kind, [host.name for host in hosts], cause, fix)


def misleading(cluster, host, use, outside):
    """Advertised interfaces of a host that peers do not get to, while they get to another."""
    best = cluster.best(host)
    if best is None:
        return
    got_best = cluster.reach(host, best["address"], use)[1]
    shared = twins(cluster, use, outside)
    for interface in host.advertised(use):
        tried, got = cluster.reach(host, interface["address"], use)
        if interface is not best and interface["address"] not in shared and tried and got < got_best:
            yield interface


class Failures:
    """Pairs of hosts, told by the host that explains most of them."""

    def __init__(self, cluster, pairs):
        self.pairs = pairs
        numbers = [host.number for host in cluster.hosts]
        self.count = len(numbers)

    def explain(self):
        """Yield (host number, "in", "out" or "both") and last (pairs, "pair") of what is left."""
        left = dict(self.pairs)
        ends = sorted({number for pair in left for number in pair})
        directions = {number: self.directions(left, number) for number in ends}
        # The host that fails both ways explains what its peers seem to have.
        for wanted in ("both", "in", "out"):
            for number in ends:
                mine = {pair: path for pair, path in left.items() if self.belongs(pair, number, wanted)}
                if directions[number] == wanted and mine:
                    yield number, wanted, list(mine.values())
                    for pair in mine:
                        del left[pair]
        if left:
            yield None, "pair", list(left.values())

    @staticmethod
    def belongs(pair, number, direction):
        return (direction != "in" and pair[0] == number) or (direction != "out" and pair[1] == number)

    def directions(self, pairs, number):
        peers = self.count - 1
        if peers < 2:
            return None
        is_in = sum(pair[1] == number for pair in pairs) == peers
        is_out = sum(pair[0] == number for pair in pairs) == peers
        return "both" if is_in and is_out else "in" if is_in else "out" if is_out else None


def failing(cluster, outside):
    """Tries that fail at the address which should work: {(from, to): {use: path}}."""
    found = {}
    best = {host.number: cluster.best(host) for host in cluster.hosts}
    for path in cluster.paths:
        interface = best[path.target.number]
        if interface is None or path.address != interface["address"] or path.works:
            continue
        if outside.keys() & {path.source.number, path.target.number}:
            continue
        found.setdefault((path.source.number, path.target.number), {})[path.use] = path
    return found


def between(direction, host, path):
    """What a failure that Failures.explain() has found is between, and the names of the hosts that have it."""
    ways = {"in": f"to {host.name}", "out": f"from {host.name}", "both": f"to and from {host.name}",
            "pair": f"from {path.source.name} to {path.target.name}"}
    return ways[direction], [path.source.name, path.target.name] if direction == "pair" else [host.name]


STATES = {"timeout": "are dropped", "refused": "are refused, though something listens there",
          "unreachable": "have no way", "stranger": "are answered by another program"}


def find_ports(cluster, outside):
    pairs = failing(cluster, outside)
    groups = {}
    for pair, uses in pairs.items():
        groups.setdefault(tuple(sorted(uses)), {})[pair] = uses[sorted(uses)[0]], uses
    for uses, group in sorted(groups.items()):
        for number, direction, found in Failures(cluster, group).explain():
            for path, ports in found if direction == "pair" else found[:1]:
                host = path.target if number is None else cluster.all[number]
                yield port_finding(cluster, uses, host, direction, path, ports)


def port_finding(cluster, uses, host, direction, path, ports):
    numbers = " and ".join(str(ports[use].port) for use in uses)
    what = STATES.get(path.state, path.state)
    ways, names = between(direction, host, path)
    error = f" ({path.error})" if path.state == "unreachable" and path.error else ""
    where = {"in": "; those from it work", "out": "; those to it work"}.get(direction, "")
    cause = f"connections {ways}, port {numbers}, {what}{error}{where}"
    return Finding(f"ports-{direction}", names, cause, port_fix(cluster, uses, direction, host, path), path.port)


def port_fix(cluster, uses, direction, host, path):
    if uses == ("btl",):
        return "--mca btl_tcp_port_min_v4 32768 --mca btl_tcp_port_range_v4 28232"
    if uses == ("oob",):
        name = "--prtemca" if host.major >= 5 else "--mca"
        return f"{name} oob_tcp_dynamic_ipv4_ports {path_range(cluster)}"
    if path.state == "unreachable":
        return f"ip route get {path.address}  # on {path.source.name}: give it a route, or allow it in its firewall"
    network = cluster.networks().replace(",", " ").split()[0]
    rules = {"in": f"sudo iptables -I INPUT -p tcp -s {network} -j ACCEPT",
             "out": f"sudo iptables -I OUTPUT -p tcp -d {network} -j ACCEPT"}
    rules["pair"] = rules["in"]
    rules["both"] = f"{rules['in']}; {rules['out']}"
    return f"{rules[direction]}  # on {host.name}"


def path_range(cluster):
    """Ports from which Open MPI's TCP transport listens, and which work."""
    first = most_common(host.facts["ports"].get("btl") for host in cluster.hosts) or 1024
    return f"{first}-{first + 1023}"


def find_black_holes(cluster):
    pairs = {(path.source.number, path.target.number): path for path in cluster.paths
             if path.works and path.bulk == "blackhole" and path.passes is not None}
    for number, direction, found in Failures(cluster, pairs).explain():
        for path in found if direction == "pair" else found[:1]:
            host = path.target if number is None else cluster.all[number]
            ways, names = between(direction, host, path)
            length = path.passes + HEADERS
            yield Finding("mtu", names,
                          f"packets of {path.mss + HEADERS} bytes {ways} vanish, those of {length} arrive: "
                          "short messages pass and long ones hang",
                          f"sudo ip link set dev {host.device()} mtu {length}  # on {host.name}", path.port)
