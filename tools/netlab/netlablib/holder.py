# SPDX-License-Identifier: BSD-3-Clause
"""The holder: the one process whose namespaces are a lab.

It runs in a mount and a network namespace of its own (and, without root, a user
namespace).  The names of the lab's network namespaces are mounts on a tmpfs that only the
lab sees, so nothing of the lab outlives its processes, however they end.
"""

import ctypes
import json
import os
import select
import subprocess
import sys

from . import packet_filter
from .command import run
from .errors import Interrupted, NetlabError, ignore_signals, raise_on_signals
from .labs import Lab

NAMESPACES = "/run/netns"  # where `ip netns` keeps them
CLONE_NEWNET = 0x40000000
RELAY_READY = b"ready\n"

# Routers forward, nobody solicits routers, and packets may return by another route.
SETTINGS = {
    "net/ipv4/ip_forward": "1",
    "net/ipv4/conf/all/rp_filter": "0",
    "net/ipv4/conf/default/rp_filter": "0",
}
WITHOUT_IPV6 = {
    "net/ipv6/conf/all/disable_ipv6": "1",
    "net/ipv6/conf/default/disable_ipv6": "1",
}


def mount_private(lab):
    """Mount a tmpfs over the names of namespaces, and one for MPI's temporary files."""
    if not os.path.isdir(NAMESPACES):
        if os.access("/run", os.W_OK):
            os.makedirs(NAMESPACES, exist_ok=True)
        else:
            run(["mount", "-t", "tmpfs", "netlab", "/run"])
            os.mkdir(NAMESPACES)
    run(["mount", "-t", "tmpfs", "netlab", NAMESPACES])
    os.mkdir(lab.path("tmp"))
    run(["mount", "-t", "tmpfs", "netlab", lab.path("tmp")])


def write_settings(settings):
    """Write kernel settings in the network namespace of this process."""
    for name, value in settings.items():
        path = os.path.join("/proc/sys", name)
        if os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(value)


def enter_network(descriptor):
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
        raise NetlabError(f"setns failed: {os.strerror(ctypes.get_errno())}")


def visit(names, function):
    """Call FUNCTION with each name, in the network namespace of that name."""
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    for name in names:
        descriptor = os.open(os.path.join(NAMESPACES, name), os.O_RDONLY)
        enter_network(descriptor)
        os.close(descriptor)
        function(name)
    enter_network(own)
    os.close(own)


def make_namespaces(names, has_ipv6):
    """Namespaces without IPv6, unless cables have it."""
    settings = SETTINGS if has_ipv6 else SETTINGS | WITHOUT_IPV6
    run(["ip", "-batch", "-"], [f"netns add {name}" for name in names])
    write_settings(settings)
    visit(names, lambda _: write_settings(settings))


def spoil(recipe):
    """Put the faults of hosts into their namespaces."""
    settings, rules = recipe.get("settings", {}), recipe.get("rules", {})
    visit(settings, lambda name: write_settings(settings[name]))
    visit(rules, lambda name: run(packet_filter.install(rules[name])))


def start_relay(recipe):
    """Start netlab_relay on the recipe's links; it ends when this process does."""
    if not recipe["relay"]:
        return None
    relay = subprocess.Popen(
        [recipe["relay_program"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        relay.stdin.write(("\n".join(recipe["relay"]) + "\n\n").encode())
        relay.stdin.flush()
    except BrokenPipeError:
        pass
    if relay.stdout.readline() != RELAY_READY:
        raise NetlabError("netlab_relay did not start; its message is above")
    return relay


def build(lab, recipe):
    mount_private(lab)
    make_namespaces(recipe["ip"], recipe["ipv6"])
    run(["ip", "-batch", "-"], recipe["links"])
    for namespace, lines in recipe["ip"].items():
        run(["ip", "-n", namespace, "-batch", "-"], lines)
    for namespace, lines in recipe["tc"].items():
        run(["tc", "-n", namespace, "-batch", "-"], lines)
    spoil(recipe)
    return start_relay(recipe)


def wait(relay, lifeline):
    """Wait for a signal, the end of the netlab that wants the lab, or that of the relay."""
    watched = [0] if lifeline else []
    if relay is not None:
        watched.append(relay.stdout.fileno())
    ended, _, _ = select.select(watched, [], [])
    if ended != [0]:
        raise NetlabError("netlab_relay ended before its lab did; the lab is removed")


def hold(folder, lifeline):
    """Build the lab of FOLDER, print 'ready' or what is wrong, keep it, and clean up."""
    lab = Lab(folder)
    relay, abandoned = None, False
    raise_on_signals()
    try:
        with open(lab.path("recipe.json"), encoding="utf-8") as file:
            recipe = json.load(file)
        relay = build(lab, recipe)
        print("ready", flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        wait(relay, lifeline)
        abandoned = True
    except (NetlabError, OSError) as error:
        print(f"netlab: error: {error}", file=sys.stderr, flush=True)
    except Interrupted:
        pass
    ignore_signals()
    if relay is not None:
        relay.stdin.close()
        relay.wait()
    lab.end_members()
    subprocess.run(["umount", lab.path("tmp")], check=False)
    if abandoned:
        lab.remove()
    return 0
