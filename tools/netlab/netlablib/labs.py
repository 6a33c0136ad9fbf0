# SPDX-License-Identifier: BSD-3-Clause
"""Standing labs: each has a folder with its holder's process id and its description."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
import time

from .errors import NetlabError

HOLD_COMMAND = "_hold"  # netlab starts itself with this to hold a lab
CROSS_COMMAND = "_cross"  # with this to send cross traffic
TOKEN = "NETLAB_LAB"  # in the environment of every process of a lab: its folder
TOPOLOGY = "topology.dot"  # in a lab's folder: the network as it was built
LAST_NUMBER = 254  # labs at one time: the second byte of their addresses
GRACE_SECONDS = 3.0  # between asking a process to end and ending it


def state_folder():
    """Where this user's labs are written; not in /run without root: a lab hides it."""
    if os.access("/run", os.W_OK):
        folder = "/run/netlab"
    else:
        folder = os.path.join(tempfile.gettempdir(), f"netlab-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    if os.stat(folder).st_uid != os.getuid() or os.path.islink(folder):
        raise NetlabError(f"{folder} belongs to somebody else; remove it or set TMPDIR")
    return folder


def start_time(pid):
    """Start of the process in ticks since boot (tells reused ids apart); None if gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


class Lab:
    """A lab by its folder; `description` is what recipe.cook() and start() wrote."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        try:
            with open(self.path("lab.json"), encoding="utf-8") as file:
                self.description = json.load(file)
        except (OSError, ValueError):
            self.description = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o600):
        """Write a file of the lab in one step, so that readers never see half of it."""
        with open(self.path(name + ".new"), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name + ".new"), mode)
        os.rename(self.path(name + ".new"), self.path(name))

    def save(self):
        self.write("lab.json", json.dumps(self.description))

    @property
    def holder(self):
        """The process id of the lab's holder, or None when it is dead."""
        pid = self.description.get("holder")
        alive = pid is not None and start_time(pid) == self.description["holder_start"]
        return pid if alive else None

    @property
    def hosts(self):
        return [vertex for vertex in self.description["vertices"] if vertex["is_host"]]

    def find_host(self, name):
        """The vertex that the user calls NAME, or the first host if that is '-'."""
        for vertex in self.description.get("vertices", []):
            if name in (vertex["name"], vertex["host"]) or (
                name == "-" and vertex["is_host"]
            ):
                return vertex
        if not self.description:
            raise NetlabError(self.summary())
        raise NetlabError(
            f"lab {self.name} has no host '{name}'; see netlab status {self.name}"
        )

    def describe(self):
        return {"name": self.name, "alive": self.holder is not None, **self.description}

    def summary(self):
        if not self.description:
            return f"{self.name}: being built, or left behind: netlab down {self.name}"
        state = "" if self.holder else f"; its holder died: netlab down {self.name}"
        text = self.description
        return (
            f"{self.name}: {len(self.hosts)} hosts, {len(text['links'])} links of "
            f"{text['file']} at scale {text['scale']:g}, "
            f"latency: {text['latency']}{state}"
        )

    def details(self):
        lines = [self.summary()]
        lines += [
            f"  {'host' if vertex['is_host'] else 'switch':6} {vertex['name']:16} "
            f"{vertex['address']}"
            for vertex in self.description.get("vertices", [])
        ]
        for link in self.description.get("links", []):
            forward, back = (rate / 1e6 for rate in link["capacity_bps"])
            lines.append(
                f"  link   {link['from']}--{link['to']}  {forward:g} and {back:g} Mb/s, "
                f"{link['latency_s'] * 1e3:g} ms{self.conditions(link)}"
            )
        return "\n".join(lines)

    @staticmethod
    def conditions(link):
        """What else packets meet on a link, for people."""
        forward, back = (rate / 1e6 for rate in link["cross_bps"])
        texts = (
            (link["jitter_s"], f"jitter {link['jitter_s'] * 1e3:g} ms"),
            (link["loss"], f"loss {link['loss']:g}"),
            (forward + back, f"cross traffic {forward:g} and {back:g} Mb/s"),
        )
        return "".join(f", {text}" for value, text in texts if value > 0)

    def members(self):
        """The processes of the lab: all that inherited its token, except the caller."""
        token = f"{TOKEN}={self.folder}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    member = token in environment.read().split(b"\0")
            except OSError:
                continue
            if member and int(pid) != os.getpid():
                found.append(int(pid))
        return found

    def end_members(self):
        """End every process of the lab, by SIGTERM and then by SIGKILL."""
        for ending in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + GRACE_SECONDS
            members = self.members()
            for pid in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, ending)
            while members and time.monotonic() < deadline:
                time.sleep(0.02)
                members = self.members()
            if not members:
                return

    def stop(self):
        """Remove the lab in any state; its namespaces end with its last process."""
        holder = self.holder
        if holder is not None:
            os.kill(holder, signal.SIGTERM)
            deadline = time.monotonic() + 3 * GRACE_SECONDS
            while self.holder is not None and time.monotonic() < deadline:
                time.sleep(0.01)
            if self.holder is not None:
                os.kill(holder, signal.SIGKILL)
        self.end_members()
        self.remove()

    def remove(self):
        """Forget the lab; the caller has ended its processes."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def lock():
    """One netlab at a time gives out names and numbers."""
    with open(os.path.join(state_folder(), ".lock"), "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def standing():
    folder = state_folder()
    return [
        Lab(os.path.join(folder, name))
        for name in sorted(os.listdir(folder))
        if not name.startswith(".")
    ]


def claim(name):
    """A new, empty lab folder for NAME and the lowest free lab number: (lab, number)."""
    with lock():
        labs = standing()
        if name in (lab.name for lab in labs):
            raise NetlabError(
                f"a lab named {name} is there already; choose another with "
                f"--name, or remove it: netlab down {name}"
            )
        taken = {read_number(lab) for lab in labs}
        number = next((n for n in range(1, LAST_NUMBER + 1) if n not in taken), None)
        if number is None:
            raise NetlabError(
                f"{LAST_NUMBER} labs are up already; remove some with netlab down"
            )
        folder = os.path.join(state_folder(), name)
        os.mkdir(folder, 0o700)
        lab = Lab(folder)
        lab.write("number", str(number))
    return lab, number


def read_number(lab):
    try:
        with open(lab.path("number"), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def default_name(file):
    return os.path.splitext(os.path.basename(file))[0] or "lab"


def find(name):
    """The lab that the user means by a name or by the topology file it was made from."""
    labs = {lab.name: lab for lab in standing()}
    for candidate in (name, default_name(name)):
        if candidate in labs:
            return labs[candidate]
    raise NetlabError(f"no lab is named {name}; netlab status lists those that stand")
