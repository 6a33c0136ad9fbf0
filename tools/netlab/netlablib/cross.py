# SPDX-License-Identifier: BSD-3-Clause
"""The process that sends cross traffic.

It sends packets at a constant rate into the devices at the ends of links, where they queue with all others
to be shaped.  They are full packets of a protocol that nobody receives, so the other end of the link drops
them, and they do not yield to anything.
"""

import contextlib
import os
import re
import socket
import time

from .errors import NetlabError
from .holder import visit

SO_SNDBUFFORCE = 32
SOCKET_BUFFER = 4 << 20
HEADER = bytes(12) + b"\x88\xb5"  # to and from nobody, of a protocol of local experiments (IEEE 802)
SECOND = 10**9
TICK = 0.001  # seconds
LONGEST_LATE = SECOND // 10  # beyond this nothing is made up for


class Sender:
    """A device that is sent into."""

    def __init__(self, device, rate, mtu):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setblocking(False)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_BUFFER)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER)
        self.socket.bind((device, 0))
        self.frame = HEADER + bytes(int(mtu))
        self.interval = int(len(self.frame) * 8 / float(rate) * SECOND) + 1
        self.due = time.monotonic_ns()

    def send(self, now):
        """Send what is due.  What the device's queue does not take is lost."""
        if self.due < now - LONGEST_LATE:
            self.due = now
        while self.due <= now:
            try:
                self.socket.send(self.frame)
            except OSError:
                pass
            self.due += self.interval


def run(lines):
    """Send as LINES say (traffic.lines()), until a signal."""
    senders = []
    for namespace, *words in map(str.split, lines):
        if not re.fullmatch(r"\S+ [1-9]\d* [1-9]\d*", " ".join(words)):
            raise NetlabError(f"not a sender: '{' '.join([namespace, *words])}'; wanted NAMESPACE DEVICE BITS_PER_SECOND MTU")
        visit([namespace], lambda _, words=words: senders.append(Sender(*words)))
    # Before ranks that spin.  Without root that is denied, and the scheduler's preference for processes
    # that sleep much must suffice.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print("ready", flush=True)
    # Whoever started it does not wait for it.
    for descriptor in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    while True:
        time.sleep(TICK)
        now = time.monotonic_ns()
        for sender in senders:
            sender.send(now)
