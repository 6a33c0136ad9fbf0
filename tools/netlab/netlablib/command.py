# SPDX-License-Identifier: BSD-3-Clause
"""The system's programs that netlab runs, such as ip, tc, mount and nft."""

import subprocess

from .errors import NetlabError

PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables"}  # Debian's


def run(command, lines=()):
    """The output of a command with LINES as its input; its first lines are the error when it fails."""
    try:
        done = subprocess.run(
            command,
            input="".join(line + "\n" for line in lines),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except FileNotFoundError:
        package = PACKAGES.get(command[0], "util-linux")
        raise NetlabError(f"the {command[0]} program is missing (Debian: apt-get install {package})") from None
    if done.returncode != 0:
        output = done.stdout.strip().splitlines() or ["no reason given"]
        raise NetlabError(f"'{' '.join(command)}' failed: {'; '.join(output[:2])}")
    return done.stdout
