# SPDX-License-Identifier: BSD-3-Clause
"""Cross traffic: frames without a receiver that take a part of the links, sent by one process (cross.py)."""

import contextlib
import os
import signal
import subprocess
import sys
import time

from . import labs, programs
from .errors import NetlabError

READY = b"ready\n"
END_SECONDS = 3.0


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
