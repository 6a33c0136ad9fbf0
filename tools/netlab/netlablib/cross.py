# SPDX-License-Identifier: BSD-3-Clause
"""Cross traffic: frames without a receiver that take a part of the links.

One process in the lab sends them, at a constant rate, into the devices at the ends of links, where they queue with all others to be
shaped.  They are full packets of a protocol that nobody receives, so the other end of the link drops them, and they do not yield to
anything.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

from . import labs, programs
from .errors import NetlabError
from .holder import visit

SO_SNDBUFFORCE = 32
SOCKET_BUFFER = 4 << 20
HEADER = bytes(12) + b"\x88\xb5"  # to and from nobody, of a protocol of local experiments (IEEE 802)
SECOND = 10**9
TICK = 0.001  # seconds
LONGEST_LATE = SECOND // 10  # beyond this nothing is made up for
READY = b"ready\n"
END_SECONDS = 3.0


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
    """Send as LINES say (lines()), until a signal."""
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


def lines(description):
    """What the sender is told: namespace, device, bits/s and MTU of each end that sends."""
    namespaces = {
        vertex["name"]: vertex["namespace"] for vertex in description["vertices"]
    }
    return [
        f"{namespaces[link[end]]} {device} {rate:.0f} {link['mtu']}"
        for link in description["links"]
        for end, device, rate in zip(("from", "to"), link["devices"], link["cross_bps"])
        if rate > 0
    ]


def stop(lab):
    """End what sends in the lab, if anything does."""
    sender = lab.description.pop("cross_sender", None)
    if sender is None:
        return
    deadline = time.monotonic() + END_SECONDS
    while labs.start_time(sender["pid"]) == sender["start"]:
        overdue = time.monotonic() > deadline
        with contextlib.suppress(ProcessLookupError):
            os.kill(sender["pid"], signal.SIGKILL if overdue else signal.SIGTERM)
        time.sleep(0.01)


def start(lab):
    """Send what the lab's description says, in place of what was sent before."""
    stop(lab)
    wanted = lines(lab.description)
    if not wanted:
        return
    process = subprocess.Popen(
        [*programs.inside(lab), sys.executable, os.path.abspath(sys.argv[0]), labs.CROSS_COMMAND, *wanted],
        env={**os.environ, labs.TOKEN: lab.folder},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    is_ready = process.stdout.readline() == READY
    process.stdout.close()
    if not is_ready:
        process.wait()
        raise NetlabError("cross traffic does not start; its message is above")
    lab.description["cross_sender"] = {
        "pid": process.pid,
        "start": labs.start_time(process.pid),
    }
