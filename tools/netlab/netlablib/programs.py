# SPDX-License-Identifier: BSD-3-Clause
"""Programs inside a lab: how to enter a host, and Open MPI's settings there."""

import os
import shlex
import signal
import subprocess

from . import labs
from .command import run
from .errors import NetlabError
from .recipe import HOST_DEVICE

# Into an emulated host: its network, its host name, and /etc/hosts with its peers.
# Its arguments are those of ssh, [-OPTION]... HOST COMMAND..., since it is also mpirun's remote
# shell: Open MPI gives no options, MPICH -x.
ENTER = """#!/bin/sh
hosts={hosts}
PATH=${{NETLAB_PATH-$PATH}} # another host may have a fault there
while :; do
    case $1 in -*) shift ;; *) break ;; esac
done
case $1 in
{cases}*) echo "netlab: error: this lab has no host '$1'" >&2; exit 255 ;;
esac
shift
exec nsenter --net="/run/netns/$namespace" unshare --uts --mount /bin/sh -c '
    fail() {{ echo "netlab: error: host $name of the lab: $1 failed, see above" >&2; exit 255; }}
    name=$1
    hostname "$1" || fail hostname
    test ! -e /etc/hosts || mount --bind "$2" /etc/hosts || fail "mount of /etc/hosts"
    # Its own devices under /sys, where UCX looks for them; not every container allows it.
    {{
        mount -t sysfs netlab "$3" && mount --bind "$3/class/net" /sys/class/net &&
            mount --bind "$3/devices/virtual/net" /sys/devices/virtual/net
    }} 2>/dev/null
    shift 3
    exec /bin/sh -c "$*"' enter "$name" "$hosts" {sys} "$@"
"""


def write_hosts(lab, name, changes):
    """An /etc/hosts with the lab's names; CHANGES have other addresses of some, None: it is left out."""
    addresses = {vertex["host"]: vertex["address"] for vertex in lab.description["vertices"]} | changes
    lines = ["127.0.0.1 localhost"]
    lines += [f"{address} {host}" for host, address in addresses.items() if address is not None]
    lab.write(name, "\n".join(lines) + "\n", 0o644)
    return lab.path(name)


def faulty_settings(lab, vertex):
    """Shell commands for what is wrong with a host: its names, its programs, the way to it."""
    faults = lab.description.get("faults", {}).get(vertex["name"], {})
    commands = ""
    if "names" in faults:
        commands += f" hosts={shlex.quote(write_hosts(lab, 'hosts-' + vertex['namespace'], faults['names']))}"
    if "path" in faults:
        commands += f'; export NETLAB_PATH="$PATH"; PATH="{faults["path"]}"'
    if "unreachable" in faults:
        commands += f"; echo {shlex.quote('ssh: connect to host ' + vertex['host'])} port 22: Connection timed out >&2; exit 255"
    return commands


def write_scripts(lab, ranks_per_host):
    """The lab's ENTER script, its /etc/hosts and the hostfile of its mpirun."""
    hosts = write_hosts(lab, "hosts", {})
    cases = ""
    for vertex in lab.description["vertices"]:
        patterns = sorted({vertex["host"], vertex["host"].split(".")[0], vertex["name"]})
        cases += (
            f"{'|'.join(shlex.quote(pattern) for pattern in patterns)}) "
            f"name={shlex.quote(vertex['host'])} "
            f"namespace={shlex.quote(vertex['namespace'])}{faulty_settings(lab, vertex)} ;;\n"
        )
    lab.write(
        "enter",
        ENTER.format(
            cases=cases,
            hosts=shlex.quote(hosts),
            sys=shlex.quote(lab.path("sys")),
        ),
        0o700,
    )
    os.mkdir(lab.path("sys"))
    lab.write(
        "hostfile",
        "".join(f"{vertex['host']} slots={ranks_per_host}\n" for vertex in lab.hosts),
    )


def launcher_settings(lab):
    """Settings of mpirun: Open MPI 4.1 reads OMPI_MCA_, and 5.0 those of PRRTE and PMIx."""
    enter, hostfile, tmp = lab.path("enter"), lab.path("hostfile"), lab.path("tmp")
    return {
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": enter,
        "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
        "OMPI_MCA_orte_default_hostfile": hostfile,
        "OMPI_MCA_orte_keep_fqdn_hostnames": "1",
        "OMPI_MCA_orte_tmpdir_base": tmp,
        "OMPI_MCA_oob_tcp_if_include": HOST_DEVICE,
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_plm": "ssh",
        "PRTE_MCA_plm_ssh_agent": enter,
        "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
        "PRTE_MCA_prte_default_hostfile": hostfile,
        "PRTE_MCA_prte_keep_fqdn_hostnames": "1",
        "PRTE_MCA_prte_tmpdir_base": tmp,
        "PRTE_MCA_prte_if_include": HOST_DEVICE,
        # Routes would not lead the daemons to each other: no device is in a host's network.
        "PRTE_MCA_prtereachable": "weighted",
        # Without "slot" all ranks go to the first host.
        "PRTE_MCA_rmaps_default_mapping_policy": "slot:oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        # The user's path of components is not PMIx's; this folder has no components.
        "PMIX_MCA_mca_base_component_path": "/sys",
    }


def environment(lab):
    """The environment of programs in the lab.

    Open MPI's settings go here and not to mpirun's command line: what the user gives
    there overrides them, a driver that calls mpirun many times needs nothing, and the
    user's own OMPI_MCA_ variables win, too.
    """
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        **launcher_settings(lab),
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader,tcp",
        "OMPI_MCA_btl_tcp_if_include": HOST_DEVICE,
        "OMPI_MCA_pml_ucx_tls": "any",
        "OMPI_MCA_pml_ucx_devices": "any",
        "OMPI_MCA_btl_vader_backing_directory": lab.path("tmp"),
        "OMPI_MCA_reachable": "weighted",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_coll_mtree_topology": lab.path(labs.TOPOLOGY),
        # They would find that all hosts are one machine, and share its memory.
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": HOST_DEVICE,
        "FI_PROVIDER": "tcp;ofi_rxm",
        "FI_TCP_IFACE": HOST_DEVICE,
    }
    settings.update(lab.description.get("environment", {}))
    chosen = {name: value for name, value in settings.items() if value is not None}
    return {**chosen, **os.environ, labs.TOKEN: lab.folder}


def inside(lab):
    """The command prefix that joins the lab's mount and network namespaces."""
    if lab.holder is None:
        raise NetlabError(
            f"lab {lab.name} has no holder any more: netlab down {lab.name}"
        )
    user = (
        []
        if os.geteuid() == 0 and same_user_namespace(lab.holder)
        else ["--user", "--preserve-credentials"]
    )
    return ["nsenter", "--target", str(lab.holder), *user, "--mount", "--net"]


def same_user_namespace(pid):
    return os.stat(f"/proc/{pid}/ns/user").st_ino == os.stat("/proc/self/ns/user").st_ino


def enter_command(lab, vertex, program):
    """The command that runs PROGRAM on a host of the lab, in the current folder."""
    text = f"cd {shlex.quote(os.getcwd())} && exec {shlex.join(program)}"
    return [*inside(lab), lab.path("enter"), vertex["host"], text]


def spawn(lab, vertex, program):
    return subprocess.Popen(enter_command(lab, vertex, program), env=environment(lab))


def execute(lab, vertex, program):
    """Become PROGRAM on a host of the lab; returns only by an exception."""
    command = enter_command(lab, vertex, program)
    # Python ignores it, and the program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvpe(command[0], command, environment(lab))


def run_inside(lab, command):
    """The output of a command in the lab's own namespaces."""
    return run([*inside(lab), *command])
