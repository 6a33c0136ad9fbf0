# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the kernel's packet filter, which the nft program sets; each is (chain, what it matches and does)."""

BOTH_FAMILIES = "inet"  # IPv4 and IPv6; no address is translated there
# Each chain by its name here: its type, where packets meet it and its priority.
CHAINS = {
    "arriving": "type filter hook prerouting priority -300",
    "prerouting": "type nat hook prerouting priority -100",
    "input": "type filter hook input priority 0",
    "output": "type filter hook output priority 0",
    "postrouting": "type nat hook postrouting priority 100",
}
# Any device but lo: firewalls leave a host's talk with itself alone.
OUTSIDE = {"input": "iifname != lo", "output": "oifname != lo"}


def new_connections(chain, first, last, verdict):
    """The first packets of TCP connections to these ports, SYN without ACK, have this VERDICT."""
    return chain, f"{OUTSIDE[chain]} tcp dport {first}-{last} tcp flags & (syn | ack) == syn {verdict}"


def drop_long(chain, length):
    return chain, f"{OUTSIDE[chain]} meta l4proto tcp ip length > {length} drop"


def install(rules, table="netlab", family="ip"):
    """The command that gives a network namespace the RULES."""
    name = f"{family} {table}"
    lines = [f"add table {name}"]
    lines += [f"add chain {name} {chain} {{ {CHAINS[chain]}; }}" for chain in sorted({chain for chain, _ in rules})]
    lines += [f"add rule {name} {chain} {rule}" for chain, rule in rules]
    return ["nft", "; ".join(lines)]


def remove(table, family):
    return ["nft", "delete", "table", family, table]
