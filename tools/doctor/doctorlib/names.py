# SPDX-License-Identifier: BSD-3-Clause
"""Findings about hosts that are not reached, and about their names."""

from .cluster import Finding, listing, most_common

REASONS = (
    ("python3", "no-python", "has no python3, which examines a host", "sudo apt-get install python3"),
    ("Permission denied", "unreachable", "refuses the login", "ssh-copy-id {name}"),
    ("Host key verification", "unreachable", "has a key that is not known", "ssh-keyscan {name} >>~/.ssh/known_hosts"),
    ("resolve hostname", "unreachable", "has a name that is not known here",
     'echo "ADDRESS {name}" | sudo tee -a /etc/hosts'),
)


def find_unreachable(cluster):
    """Hosts that gave no facts."""
    for host in cluster.all:
        if host.facts is not None:
            continue
        error = host.entry["error"]
        if host.entry.get("lacks"):
            yield Finding("incomplete", [host.name],
                          f"the facts of {host.name} are not all there: {host.entry['lacks']} is missing or no such value",
                          f"mtree doctor --hosts {host.name}  # with the same mtree on all hosts; or write the file anew")
            continue
        if host.entry["reached"]:
            yield Finding("slow", [host.name], f"{host.name} is reached but has not told its facts in time",
                          f"ssh {host.name} uptime  # and again with fewer hosts: --hosts {host.name}")
            continue
        for word, kind, what, fix in REASONS:
            if word in error:
                yield Finding(kind, [host.name], f"{host.name} {what}: {error}", fix.format(name=host.name))
                break
        else:
            yield Finding("unreachable", [host.name], f"{host.name} cannot be reached: {error}",
                          f"ssh {host.name} true  # until this works, leave it out of the hostfile")


def is_loopback(addresses):
    return bool(addresses) and all(address.startswith("127.") for address in addresses)


def address_for(cluster, host):
    """The address that the name of HOST should have."""
    best = cluster.best(host)
    return best["address"] if best else "ADDRESS"


def entry_line(cluster, host, where):
    return f'echo "{address_for(cluster, host)} {host.name}" | sudo tee -a /etc/hosts  # on {listing(where)}'


def find_missing(cluster):
    """Names that some hosts do not know, or learn too late."""
    for named in cluster.hosts:
        answers = [(host, host.facts["resolves"].get(named.name)) for host in cluster.hosts]
        slow = [host for host, addresses in answers if addresses is None]
        missing = [host for host, addresses in answers if addresses == []]
        if slow:
            yield Finding("name-slow", [host.name for host in slow],
                          f"{listing(slow)} got no answer about the name {named.name}: does its name server answer?",
                          entry_line(cluster, named, slow))
        if missing:
            yield Finding("name-missing", [host.name for host in missing],
                          f"the name {named.name} does not resolve on {listing(missing)}",
                          entry_line(cluster, named, missing))


def find_loopback(cluster):
    """Names that lead a host to itself."""
    for host in cluster.hosts:
        for name, addresses in sorted(host.facts["resolves"].items()):
            if is_loopback(addresses) and name != "localhost":
                right = next((other for other in cluster.hosts if other.name == name), host)
                address = address_for(cluster, right)
                yield Finding("name-loopback", [host.name],
                              f"on {host.name} the name {name} is {addresses[0]}, an address of each host itself",
                              f"sudo sed -i 's/^{addresses[0]}\\s.*/{address} {name}/' /etc/hosts  # on {host.name}")


def known_as(cluster, named):
    """The address outside of itself by which most others know a host; None: most know its own."""
    answers = []
    for host in cluster.hosts:
        addresses = host.facts["resolves"].get(named.name) or []
        if host is not named and addresses and not is_loopback(addresses):
            answers.append(None if set(addresses) & set(named.own) else addresses[0])
    outside = most_common(answers)
    is_literal = named.name == outside
    return outside if outside and (is_literal or answers.count(outside) > max(1, len(answers) / 2)) else None


def find_different(cluster, translated):
    """Names that are another address on some host; TRANSLATED are the numbers of hosts behind NAT."""
    for named in cluster.hosts:
        if named.number in translated:
            continue
        for host in cluster.hosts:
            addresses = host.facts["resolves"].get(named.name) or []
            if not addresses or is_loopback(addresses) or set(addresses) & set(named.own):
                continue
            owner = next((other for other in cluster.hosts if addresses[0] in other.own), None)
            whose = f", an address of {owner.name}" if owner else ", which it does not have"
            yield Finding("name-differs", [host.name],
                          f"on {host.name} the name {named.name} is {addresses[0]}{whose}; "
                          f"{named.name} has {', '.join(named.own)}",
                          f"sudo sed -i 's/^{addresses[0]}\\s\\+{named.name}$/{address_for(cluster, named)} {named.name}/' "
                          f"/etc/hosts  # on {host.name}")
