# SPDX-License-Identifier: BSD-3-Clause
"""Findings about what hosts have: versions, components, the map, buffers, clocks."""

import ipaddress
import shlex

from .cluster import Finding, listing, most_common

MOST_OFFSET = 0.1  # seconds
BUFFER_PARTS = {"tcp_wmem": 1.0, "tcp_rmem": 0.5}  # of the largest buffer that is a window


def find_openmpi(cluster):
    """Hosts without Open MPI on the PATH of a remote shell, or with another version."""
    without = [host for host in cluster.hosts if not (host.facts["programs"]["orted"] or host.facts["programs"]["prted"])]
    if without:
        path = most_common(host.facts["programs"]["mpirun"] for host in cluster.hosts) or "/usr/bin/mpirun"
        yield Finding("no-openmpi", [host.name for host in without],
                      f"there is no orted or prted on {listing(without)}, not on the PATH of a remote shell",
                      f"mpirun --prefix {path.rpartition('/bin/')[0] or '/usr'}  # or install Open MPI there")
    yield from find_versions(cluster, "openmpi-version", "Open MPI", lambda host: host.facts["ompi"].get("version"),
                             "sudo apt-get install openmpi-bin={version}*")


def find_versions(cluster, kind, what, version_of, fix):
    versions = {host.number: version_of(host) for host in cluster.hosts}
    usual = most_common(versions.values())
    for version in sorted({version for version in versions.values() if version not in (None, usual)}):
        hosts = [host for host in cluster.hosts if versions[host.number] == version]
        yield Finding(kind, [host.name for host in hosts],
                      f"there is {what} {version} on {listing(hosts)}, and {usual} on the others",
                      f"{fix.format(version=usual)}  # on {listing(hosts)}")


def mtree_version(host):
    """The version of the component, and that of its messages, which must be alike."""
    found = host.facts["ompi"].get("mtree")
    return found and f"{found}-{host.parameter('coll_mtree_protocol')}"


def find_component(cluster):
    known = [host for host in cluster.hosts if "error" not in host.facts["ompi"]]
    without = [host for host in known if host.facts["ompi"]["mtree"] is None]
    if without:
        yield Finding("no-component", [host.name for host in without],
                      f"there is no component of mtree on {listing(without)}, so no rank of the job uses it",
                      f"sudo apt-get install openmpi-coll-mtree  # on {listing(without)}")
    yield from find_versions(cluster, "mtree-version", "mtree", mtree_version,
                             "sudo apt-get install openmpi-coll-mtree={version}*")


def label(name):
    """What names of one host have in common (base/host_name.h): an address, or the part before the first dot without case."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.partition(".")[0].lower()


def find_map(cluster):
    if cluster.map is None:
        return
    path = cluster.map["file"]
    if "hosts" not in cluster.map:
        yield Finding("map-unreadable", [], f"{path} cannot be read: {cluster.map['error']}",
                      f"mtree topology -- {shlex.quote(path)}")
        return
    mapped = {label(name): name for names in cluster.map["hosts"] for name in names}
    absent = [host for host in cluster.hosts
              if not {label(name) for name in (host.name, host.facts["hostname"])} & mapped.keys()]
    if absent:
        yield Finding("map", [host.name for host in absent],
                      f"{path} (coll_mtree_topology) does not have {listing(absent)}; it has "
                      f"{', '.join(sorted(mapped.values())[:5])}{', ...' if len(mapped) > 5 else ''}",
                      "mpirun --map-by node mtree probe -o net.dot  # then --mca coll_mtree_topology net.dot")


def find_ends(cluster):
    """Ends of links at addresses that their hosts do not have."""
    hosts = {label(name): host for host in cluster.hosts for name in (host.name, host.facts["hostname"])}
    of_map = cluster.map or {}
    names = {name: names for names in of_map.get("hosts", []) for name in names}
    wrong = {}
    for end in of_map.get("ends", []):
        address = end["address"]
        host = next((hosts[label(name)] for name in names.get(end["at"], []) if label(name) in hosts), None)
        # Facts that an older mtree has saved tell nothing of IPv6.
        own = None if host is None else host.facts.get("ipv6") if ":" in address else host.own
        if own is not None and address not in own:
            wrong.setdefault(host.number, []).append(f"{address}, the end of its link to {end['to']}")
    for number, ends in sorted(wrong.items()):
        host = cluster.all[number]
        yield Finding("ends", [host.name],
                      f"{host.name} does not have {'; '.join(ends)}, which {of_map['file']} (coll_mtree_topology) names",
                      "mpirun --map-by node mtree probe -o net.dot  # then --mca coll_mtree_topology net.dot")


def rtt_between(cluster, source, target):
    return min((path.rtt for path in cluster.paths
                if path.source is source and path.target is target and path.works), default=0.0)


def largest(host, setting):
    words = host.facts["settings"][setting].split()
    return int(words[2]) if len(words) == 3 else None


def find_buffers(cluster):
    """Largest buffers below what a connection needs, rate times round trip, over the longest ways."""
    needs = {}
    for source in cluster.hosts:
        for entry in source.entry["streams"]:
            target = cluster.all[entry["to"]]
            if target.facts is None:
                continue
            need = (entry["rate"] or 0) / 8 * rtt_between(cluster, source, target)
            for host in (source, target):
                for setting, part in BUFFER_PARTS.items():
                    size = largest(host, setting)
                    if size is not None and need > size * part:
                        needs.setdefault((host.number, setting), []).append((need, source, target, entry["rate"]))
    for (number, setting), found in sorted(needs.items()):
        need, source, target, rate = max(found, key=lambda one: one[0])
        host, size = cluster.all[number], 1 << int(4 * need).bit_length()
        words = host.facts["settings"][setting].split()
        rtt = rtt_between(cluster, source, target)
        yield Finding("buffers", [host.name],
                      f"{setting} of {host.name} is at most {int(words[2]) >> 10} KB; {source.name} to {target.name} takes "
                      f"{rate / 1e6:.3g} Mb/s x {rtt * 1e3:.3g} ms = {need / 1024:.0f} KB",
                      f'sudo sysctl -w net.ipv4.{setting}="4096 {min(131072, size)} {max(size, 1 << 22)}"  # on {host.name}')


def clock_offset(cluster, source, target):
    """Seconds by which the clock of TARGET is surely ahead of SOURCE's, by the quickest exchange; 0: it may be right."""
    exchanges = [(path.offset_error, sign * path.offset)
                 for sign, one, other in ((1, source, target), (-1, target, source)) for path in cluster.paths
                 if path.source is one and path.target is other and path.works and path.offset is not None]
    error, offset = min(exchanges, default=(0.0, 0.0))
    return offset if abs(offset) - error > MOST_OFFSET else 0.0


def find_clocks(cluster):
    """Clocks that differ from the one with which most agree."""
    def agreeing(reference):
        return sum(clock_offset(cluster, reference, host) == 0.0 for host in cluster.hosts)

    reference = max(cluster.hosts, key=agreeing, default=None)
    for host in cluster.hosts:
        offset = clock_offset(cluster, reference, host)
        if offset != 0.0:
            yield Finding("clock", [host.name],
                          f"the clock of {host.name} is {abs(offset):.3g} s {'ahead' if offset > 0 else 'behind'}",
                          f"sudo chronyc makestep  # on {host.name}, or: sudo timedatectl set-ntp true")
