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


def new_connections(chain, first, last):
    """The first packets of TCP connections to these ports: SYN without ACK."""
    return f"{OUTSIDE[chain]} tcp dport {first}-{last} tcp flags & (syn | ack) == syn"


def drop_new(chain, first, last):
    """Nobody answers new connections to these ports."""
    return chain, f"{new_connections(chain, first, last)} drop"


def reset_new(chain, first, last):
    return chain, f"{new_connections(chain, first, last)} reject with tcp reset"


def drop_long(chain, length):
    return chain, f"{OUTSIDE[chain]} meta l4proto tcp ip length > {length} drop"


def translate_source(inside, outside):
    return "postrouting", f"ip saddr {inside} snat to {outside}"


def translate_target(outside, inside):
    return "prerouting", f"ip daddr {outside} dnat to {inside}"


def drop_arriving(device):
    return "arriving", f'iifname "{device}" drop'


def drop_connection(source, target):
    """Packets of one connection, by its ports at the sender and here, in IPv4 and IPv6."""
    return "arriving", f"tcp sport {source} tcp dport {target} drop"


def install(rules, table="netlab", family="ip"):
    """The command that gives a network namespace the RULES."""
    name = f"{family} {table}"
    lines = [f"add table {name}"]
    lines += [f"add chain {name} {chain} {{ {CHAINS[chain]}; }}" for chain in sorted({chain for chain, _ in rules})]
    lines += [f"add rule {name} {chain} {rule}" for chain, rule in rules]
    return ["nft", "; ".join(lines)]


def remove(table, family):
    return ["nft", "delete", "table", family, table]
