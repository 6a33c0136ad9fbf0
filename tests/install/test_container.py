#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of a container in docs/administration.md: its steps run in a Debian of their own.

The Debian is made once, in MTREE_BOOKWORM or ~/.cache/mtree/bookworm (250 MB; remove it with rm -r), and
each run works on a copy: about a minute, and two more for the first.  Skipped where there is no
debootstrap or no root."""

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
BASE = os.environ.get("MTREE_BOOKWORM") or os.path.join(CACHE, "mtree", "bookworm")
SECONDS_A_STEP = 600
SKIP = 77


def debian(function, *arguments):
    """A function of packaging/debian.sh; its output and exit status."""
    script = '. "$1/packaging/debian.sh"; shift; "$@"'
    done = subprocess.run(["bash", "-c", script, "bash", SOURCE, function, *arguments], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_A_STEP)
    return done.stdout, done.returncode


def make_base():
    os.makedirs(os.path.dirname(BASE), exist_ok=True)
    with open(f"{BASE}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isdir(BASE):
            return
        shutil.rmtree(f"{BASE}.partial", ignore_errors=True)
        output, status = debian("debian_make", "bookworm", f"{BASE}.partial")
        if status:
            print(f"skipped, no Debian came: {output}")
            sys.exit(SKIP)
        os.rename(f"{BASE}.partial", BASE)


def blocks():
    """The lines of the Dockerfile, with those that a backslash continues, and the commands after it."""
    with open(os.path.join(SOURCE, "docs", "administration.md"), encoding="utf-8") as file:
        found = re.search(r"```dockerfile\n(.*?)```.*?```sh\n(.*?)```", file.read(), re.DOTALL)
    return [part.replace("\\\n", " ").splitlines() for part in found.groups()]


def run(root, user, command):
    print(f"+ {command}")
    output, status = debian("debian_run", root, f"runuser -u {user} -- bash -c {shlex.quote(command)}")
    print(output[-2000:])
    if status:
        sys.exit(f"FAILED: {command}")
    return output


def build(root, image, lines):
    """What docker build does; the user of the image."""
    user = "root"
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "RUN":
            run(root, user, rest)
        elif word == "COPY" and rest == "image /":
            subprocess.run(["cp", "-a", f"{image}/.", root], check=True)
        elif word == "USER":
            user = rest.strip()
        elif word not in ("#", "FROM"):
            sys.exit(f"FAILED: no step of this test: {line}")
    return user


def main():
    obstacle, _ = debian("debian_obstacle")
    if obstacle:
        print(f"skipped: {obstacle}")
        sys.exit(SKIP)
    make_base()
    dockerfile, commands = blocks()
    install, _, start = commands
    with tempfile.TemporaryDirectory(suffix="-mtree-container") as folder:
        root, image = os.path.join(folder, "root"), os.path.join(folder, "image")
        subprocess.run(["cp", "-a", BASE, root], check=True)
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc"))
        # The build folder is the one of this run, the folder of the image is ours.
        assert install == "make -C build install DESTDIR=$PWD/image", install
        subprocess.run(["make", "install", f"DESTDIR={image}"], check=True, stdout=subprocess.DEVNULL)
        user = build(root, image, dockerfile)
        output = run(root, user, start.replace("docker run --rm mtree ", "cd; "))
        if "Pass" not in output or user == "root":
            sys.exit("FAILED: the job in the container did not check its results, or ran as root")


main()
