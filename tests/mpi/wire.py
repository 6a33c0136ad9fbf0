#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a third sees, or changes, of what this host sends and gets.

    wire.py watch TEXT FIRST LAST    until SIGTERM; then "ports N text M": the packets from or to ports FIRST to LAST, and those of
                                     all ports that hold TEXT, on all interfaces; status 77 without the right to see
    wire.py change TO AFTER          a proxy to port TO of this host: prints its own port; of each connection one bit is
                                     changed, each way, as soon as AFTER bytes have passed
    wire.py admit TO COUNT           a proxy to port TO of this host: prints its own port; only COUNT connections get through
    wire.py ranks TO 0               a proxy to relay TO of this host: prints its own port; those of other relays are closed
"""
import select
import signal
import socket
import struct
import sys
import threading
import time

SO_RCVBUFFORCE = 33
DRAIN = 10  # seconds, where packets of others keep coming


def ports_of(packet):
    """The TCP ports of an Ethernet frame; none: ()."""
    kind = struct.unpack_from("!H", packet, 12)[0] if len(packet) >= 14 else 0
    if kind == 0x0800 and len(packet) >= 34 and packet[23] == socket.IPPROTO_TCP:
        at = 14 + 4 * (packet[14] & 15)
    elif kind == 0x86DD and len(packet) >= 54 and packet[20] == socket.IPPROTO_TCP:
        at = 54
    else:
        return ()
    return struct.unpack_from("!HH", packet, at) if len(packet) >= at + 4 else ()


def watch(text, first, last):
    try:
        packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    except (PermissionError, AttributeError):
        sys.exit(77)
    try:
        packets.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    except PermissionError:
        packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 26)
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(time.monotonic() + DRAIN))
    with_ports = with_text = 0
    print("watching", flush=True)
    while not ends or time.monotonic() < ends[0]:
        # What has come by the end is read.
        if not select.select([packets], [], [], 0 if ends else 0.1)[0]:
            if ends:
                break
            continue
        packet = packets.recv(1 << 17)
        with_ports += any(first <= port <= last for port in ports_of(packet))
        with_text += text in packet
    print(f"ports {with_ports} text {with_text}", flush=True)


def pass_on(source, target, after):
    passed, is_changed = 0, False
    while True:
        try:
            data = bytearray(source.recv(65536))
            if data and not is_changed and passed + len(data) > after:
                data[max(0, after - passed)] ^= 1
                is_changed = True
            passed += len(data)
            target.sendall(data)
        except OSError:
            data = b""
        if not data:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            return


def is_of_a_relay(connection, relay):
    """Does its greeting (tcp/greeting.h, relay/greeting.h), which answers the relay's challenge, say so?"""
    connection.sendall(relay.recv(36, socket.MSG_WAITALL))
    said = connection.recv(44, socket.MSG_PEEK | socket.MSG_WAITALL)[36:]
    return len(said) == 8 and said[3] == 1 and said[4] >= 0x80


def proxy(port, after, most, ranks_alone=False):
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while most > 0:
        one = listener.accept()[0]
        other = socket.create_connection(("127.0.0.1", port))
        if ranks_alone and is_of_a_relay(one, other):
            one.close()
            other.close()
            continue
        for source, target in ((one, other), (other, one)):
            threading.Thread(target=pass_on, args=(source, target, after), daemon=True).start()
        most -= 1
    listener.close()
    signal.pause()


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch(sys.argv[2].encode(), int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "change":
        proxy(int(sys.argv[2]), int(sys.argv[3]), float("inf"))
    elif sys.argv[1] == "ranks":
        proxy(int(sys.argv[2]), float("inf"), float("inf"), ranks_alone=True)
    else:
        proxy(int(sys.argv[2]), float("inf"), int(sys.argv[3]))
