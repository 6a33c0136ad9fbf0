# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the kernel's packet filter (nf_tables), sent by netlink: the nft program is not needed."""

import os
import socket
import struct

from .errors import NetlabError

NETFILTER, SUBSYSTEM = 12, 10  # NETLINK_NETFILTER, NFNL_SUBSYS_NFTABLES
BATCH_BEGIN, BATCH_END = 0x10, 0x11
NEW_TABLE, DELETE_TABLE, NEW_CHAIN, NEW_RULE = 0, 2, 3, 6
REQUEST, ACKNOWLEDGE, CREATE, APPEND = 1, 4, 0x400, 0x800
INET, IPV4 = 1, 2
TABLE = "netlab"
# Each chain by its name here: where packets meet it, its priority and its type.
CHAINS = {
    "arriving": (0, -300, b"filter\0"),
    "prerouting": (0, -100, b"nat\0"),
    "input": (1, 0, b"filter\0"),
    "output": (3, 0, b"filter\0"),
    "postrouting": (4, 100, b"nat\0"),
}
EQUAL, DIFFERENT, AT_MOST, GREATER, AT_LEAST = 0, 1, 3, 4, 5
LOOPBACK = 1  # the number of lo in each network namespace
INDEXES = {"input": 4, "output": 5}  # NFT_META_IIF, NFT_META_OIF
INPUT_NAME = 6  # NFT_META_IIFNAME
NETWORK, TRANSPORT = 1, 2  # the headers that a match begins at
DROP = 0


def attribute(kind, data):
    length = 4 + len(data)
    return struct.pack("=HH", length, kind) + data + bytes(-length % 4)


def nested(kind, *parts):
    return attribute(kind | 0x8000, b"".join(parts))


def number(kind, value):
    return attribute(kind, struct.pack(">i", value))


def expression(name, *parts):
    return nested(1, attribute(1, name + b"\0"), nested(2, *parts))


def load(header, offset, length):
    """Load bytes of a header into register 1."""
    return expression(b"payload", number(1, 1), number(2, header), number(3, offset), number(4, length))


def compare(relation, data):
    return expression(b"cmp", number(1, 1), number(2, relation), nested(3, attribute(1, data)))


def match_tcp():
    return load(NETWORK, 9, 1) + compare(EQUAL, bytes([socket.IPPROTO_TCP]))


def match_new():
    """The first packet of a TCP connection: SYN without ACK."""
    mask = expression(b"bitwise", number(1, 1), number(2, 1), number(3, 1), nested(4, attribute(1, b"\x12")),
                      nested(5, attribute(1, b"\0")))
    return match_tcp() + load(TRANSPORT, 13, 1) + mask + compare(EQUAL, b"\x02")


def match_outside(chain):
    """Any device but lo: firewalls leave a host's talk with itself alone."""
    index = expression(b"meta", number(1, 1), number(2, INDEXES[chain]))
    return index + compare(DIFFERENT, struct.pack("=I", LOOPBACK))


def match_ports(first, last):
    port = load(TRANSPORT, 2, 2)
    return port + compare(AT_LEAST, struct.pack(">H", first)) + compare(AT_MOST, struct.pack(">H", last))


def match_longer(length):
    return load(NETWORK, 2, 2) + compare(GREATER, struct.pack(">H", length))


def match_address(which, address):
    offset = {"source": 12, "target": 16}[which]
    return load(NETWORK, offset, 4) + compare(EQUAL, socket.inet_aton(address))


def drop():
    return expression(b"immediate", number(1, 0), nested(2, nested(2, number(1, DROP))))


def reset():
    return expression(b"reject", number(1, 1), attribute(2, b"\0"))


def translate(which, address):
    kind = {"source": 0, "target": 1}[which]
    value = expression(b"immediate", number(1, 1), nested(2, attribute(1, socket.inet_aton(address))))
    return value + expression(b"nat", number(1, kind), number(2, IPV4), number(3, 1))


def drop_new(chain, first, last):
    """Nobody answers new connections to these ports."""
    return chain, match_outside(chain) + match_new() + match_ports(first, last) + drop()


def reset_new(chain, first, last):
    return chain, match_outside(chain) + match_new() + match_ports(first, last) + reset()


def drop_long(chain, length):
    return chain, match_outside(chain) + match_tcp() + match_longer(length) + drop()


def translate_source(inside, outside):
    return "postrouting", match_address("source", inside) + translate("source", outside)


def translate_target(outside, inside):
    return "prerouting", match_address("target", outside) + translate("target", inside)


def drop_arriving(device):
    name = expression(b"meta", number(1, 1), number(2, INPUT_NAME))
    return "arriving", name + compare(EQUAL, device.encode().ljust(16, b"\0")) + drop()


def drop_connection(source, target):
    """Packets of one connection, by its ports at the sender and here, in IPv4 and IPv6."""
    ports = load(TRANSPORT, 0, 4) + compare(EQUAL, struct.pack(">HH", source, target))
    return "arriving", ports + drop()


def message(kind, flags, sequence, family, resource, *parts):
    body = struct.pack(">BBH", family, 0, resource) + b"".join(parts)
    return struct.pack("=IHHII", 16 + len(body), kind, flags | REQUEST, sequence, 0) + body


def name_table(table):
    return attribute(1, table.encode() + b"\0")


def describe(rules, table):
    """The messages that make TABLE, its chains and the (chain, expressions) of RULES."""
    make = ACKNOWLEDGE | CREATE
    messages = [(NEW_TABLE, make, [name_table(table)])]
    for chain in sorted({chain for chain, _ in rules}):
        hook, priority, kind = CHAINS[chain]
        messages.append((NEW_CHAIN, make, [name_table(table), attribute(3, chain.encode() + b"\0"),
                                           nested(4, number(1, hook), number(2, priority)), attribute(7, kind)]))
    for chain, expressions in rules:
        messages.append((NEW_RULE, make | APPEND, [name_table(table), attribute(2, chain.encode() + b"\0"),
                                                   nested(4, expressions)]))
    return messages


def batch(messages, family):
    data = message(BATCH_BEGIN, 0, 1, 0, SUBSYSTEM)
    for sequence, (kind, flags, parts) in enumerate(messages, 2):
        data += message(SUBSYSTEM << 8 | kind, flags, sequence, family, 0, *parts)
    return data + message(BATCH_END, 0, len(messages) + 2, 0, SUBSYSTEM)


def send(messages, family):
    """Have the network namespace of this process take MESSAGES."""
    expected = len(messages)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER) as sock:
        sock.settimeout(5)
        sock.sendto(batch(messages, family), (0, 0))
        while expected > 0:
            answer = sock.recv(1 << 16)
            while len(answer) >= 20:
                length, kind, _, _, _, code = struct.unpack_from("=IHHIIi", answer)
                if kind == 2 and code != 0:
                    raise NetlabError(f"the kernel refuses a rule of its packet filter: {os.strerror(-code)}")
                expected -= kind == 2
                answer = answer[(length + 3) & ~3 :]


def install(rules, table=TABLE, family=IPV4):
    """Give the network namespace of this process the (chain, expressions) of RULES."""
    send(describe(rules, table), family)


def remove(table, family):
    """Take TABLE from the network namespace of this process."""
    send([(DELETE_TABLE, ACKNOWLEDGE, [name_table(table)])], family)
