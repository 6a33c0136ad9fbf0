# SPDX-License-Identifier: BSD-3-Clause
"""What this machine allows netlab: namespaces, shaping, netem."""

import os
import subprocess

from . import topology
from .errors import NetlabError

# Kernel settings that can forbid namespaces, and the value that does: to all, and to users
# who need a user namespace.
FORBIDDING_ALL = {"/proc/sys/user/max_net_namespaces": "0"}
FORBIDDING_USERS = {
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/user/max_user_namespaces": "0",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
}
PROBE_QUEUE = "ip link add netlab0 type veth && tc qdisc add dev netlab0 root "


def unshare_command():
    """Root needs no user namespace; everybody else becomes root in one."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--mount", "--net"]


def attempt(script):
    """Run a shell script in fresh namespaces; returns (worked, its output)."""
    done = subprocess.run(
        [*unshare_command(), "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stdout.strip()


def namespace_obstacle():
    """None when namespaces can be made, else the reason and what to change."""
    try:
        worked, output = attempt("true")
    except FileNotFoundError:
        return "the unshare program is missing (Debian: apt-get install util-linux)"
    if worked:
        return None
    forbidding = {**FORBIDDING_ALL, **({} if os.geteuid() == 0 else FORBIDDING_USERS)}
    for path, value in forbidding.items():
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                if file.read().strip() == value:
                    return f"{output}; {path} is {value}: change it"
    if os.geteuid() == 0:
        return (
            f"{output}; this root lacks CAP_SYS_ADMIN (a container without --privileged?)"
        )
    return f"{output}; user namespaces are not allowed here: run netlab as root"


def require_namespaces():
    obstacle = namespace_obstacle()
    if obstacle is not None:
        raise NetlabError(f"may not make namespaces: {obstacle}")


def read_tcp_setting(name):
    """A setting of the kernel's TCP, "": it has none."""
    try:
        with open(f"/proc/sys/net/ipv4/tcp_{name}", encoding="ascii") as setting:
            return setting.read().strip()
    except OSError:
        return ""


def require_congestion_control(name):
    available = read_tcp_setting("available_congestion_control").split()
    if name is not None and name not in available:
        raise NetlabError(
            f"--congestion-control {name}: the kernel has {', '.join(available) or 'none'}; "
            "choose one of those, or load another (modprobe tcp_NAME)"
        )


def has_netem():
    return attempt(PROBE_QUEUE + "netem delay 1ms")[0]


def probe():
    """What `netlab probe` prints."""
    obstacle = namespace_obstacle()
    if obstacle is not None:
        return {"namespaces": f"no: {obstacle}"}
    shaped, output = attempt(PROBE_QUEUE + "tbf rate 1mbit burst 20000 limit 20000")
    return {
        "namespaces": "yes",
        "as": "root" if os.geteuid() == 0 else "root of a user namespace",
        "shaping": "yes" if shaped else f"no: {output}",
        "netem": "yes" if has_netem() else "no: netlab_relay delays instead",
        "relay": topology.find_program("netlab_relay", "NETLAB_RELAY") or "not built",
        "mtree": topology.find_program("mtree", "MTREE") or "not built",
    }
