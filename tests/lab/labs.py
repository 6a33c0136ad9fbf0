# SPDX-License-Identifier: BSD-3-Clause
"""What the tests in labs share: paths, whether labs can be made here, tries on a busy machine."""

import functools
import os
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
BUILD = os.getcwd()
NETLAB = os.path.join(ROOT, "tools", "netlab", "netlab")
SKIP = 77
TRIES = 3


def environment(**parameters):
    """The environment of jobs that mtree serves, with its PARAMETERS, all texts."""
    return {
        **os.environ,
        "MTREE": os.path.join(BUILD, "mtree"),
        "NETLAB_RELAY": os.path.join(BUILD, "netlab_relay"),
        "OMPI_MCA_mca_base_component_path": f"{BUILD}/.libs:SYS_DEFAULT",
        "OMPI_MCA_coll": "mtree",
        "OMPI_MCA_coll_mtree_cache_days": "0",
        **{f"OMPI_MCA_coll_mtree_{name}": value for name, value in parameters.items()},
    }


def netlab(*command, environment, timeout):
    """The completed process of netlab with COMMAND."""
    return subprocess.run(
        [NETLAB, *command], env=environment, capture_output=True, text=True, errors="replace", timeout=timeout, check=False
    )


def filtering(hook, rule):
    """The command by which a host filters packets by a RULE of nft at HOOK, "input" or "output"."""
    chain = f"add chain inet {hook} packets {{ type filter hook {hook} priority 0; }}"
    return ["nft", f"add table inet {hook}; {chain}; add rule inet {hook} packets {rule}"]


def again(test):
    """TEST depends on measured speeds, which a busy machine may spoil: it runs up to TRIES times, each
    with a set-up of its own, and fails when all fail."""

    @functools.wraps(test)
    def tried(case):
        for _ in range(TRIES - 1):
            try:
                return test(case)
            except AssertionError as error:
                print(f"{test.__name__}: once more after: {str(error).splitlines()[0]}")
            case.doCleanups()
            case.setUp()
        return test(case)

    return tried


def main():
    """Run the tests of the program, where there can be labs and mtree is built."""
    probe = subprocess.run([NETLAB, "probe"], env=environment(), capture_output=True, text=True, check=False)
    if probe.returncode != 0 or not os.path.exists(".libs/mca_coll_mtree.so"):
        print(f"skipped: {probe.stdout.strip()}")
        sys.exit(SKIP)
    unittest.main()
