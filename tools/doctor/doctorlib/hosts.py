# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts a job has, and how one starts a program there."""

import os
import re
import shlex
import shutil
import socket

from . import host_list
from .errors import DoctorError, read_text, reason

HOSTFILES = ("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "PBS_NODEFILE")
AGENTS = ("OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent")
ALLOCATED = "SLURM_JOB_NODELIST"
LONGEST_HOSTFILE = 4 << 20  # bytes
SSH = ("-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=4")
SRUN = ("srun", "--overlap", "--quiet", "--nodes=1", "--ntasks=1")

# The remote shell may be any: no letter here means something between single quotes.
START = (
    "exec python3 -u -c 'import sys;"
    'exec(compile(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())),"agent","exec"))'
    "'"
)


# What ssh takes for an option, or a shell for more than a word, is no name.
NAME = re.compile(r"\w[\w.-]*")


def parse_hostfile(text):
    """The names of a hostfile, each once: 'name slots=4' as of Open MPI, 'name:4' as of MPICH."""
    names = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words:
            name = words[0].rpartition("@")[2].partition(":")[0]
            if name and not NAME.fullmatch(name):
                raise DoctorError(f"'{name}' cannot be a host's name; write one name per line")
            if name and name not in names:
                names.append(name)
    return names


def read_hostfile(path):
    try:
        names = parse_hostfile(read_text(path, LONGEST_HOSTFILE, "a hostfile is; write one name per line"))
    except (OSError, UnicodeDecodeError) as error:
        raise DoctorError(f"{path}: cannot be read: {reason(error)}") from error
    except DoctorError as error:
        raise DoctorError(f"{path}: {error}") from error
    if not names:
        raise DoctorError(f"{path}: names no host; write one name per line")
    return names


def find(options, environment):
    """The names of the hosts: as given, of the job's allocation, or of mpirun's own hostfile."""
    if options.hosts or (not options.hostfile and environment.get(ALLOCATED)):
        hosts = options.hosts or environment[ALLOCATED]
        try:
            return parse_hostfile("\n".join(host_list.expand(hosts)))
        except host_list.ListError as error:
            raise DoctorError(f"--hosts '{hosts}': {error}") from error
    if options.hostfile:
        return read_hostfile(options.hostfile)
    for variable in HOSTFILES:
        if environment.get(variable):
            return read_hostfile(environment[variable])
    raise DoctorError("no hosts: give --hostfile FILE or --hosts LIST, or run it in a job's allocation; "
                      "see 'mtree doctor --help'")


def is_here(name):
    own = socket.gethostname()
    return name in ("localhost", own, own.partition(".")[0])


def launcher(options, environment):
    """The words that go before a host's name, and whether they are Slurm's."""
    for text in (options.agent, *(environment.get(name) for name in AGENTS)):
        for choice in (text or "").split(":"):
            words = shlex.split(choice)
            if words and shutil.which(words[0]):
                return words
        if text and text == options.agent:
            raise DoctorError(f"--agent '{text}': there is no such program")
    if "SLURM_JOB_ID" in environment and shutil.which("srun"):
        return list(SRUN)
    return ["ssh"]


def command(words, name):
    """What starts an agent on the host NAME."""
    if is_here(name):
        return ["/bin/sh", "-c", START]
    if os.path.basename(words[0]) == "srun":
        return [*words, f"--nodelist={name}", "/bin/sh", "-c", START]
    options = SSH if os.path.basename(words[0]) == "ssh" else ()
    return [*words, *options, name, START]
