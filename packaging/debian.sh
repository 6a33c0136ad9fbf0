# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced: a Debian in a folder, and commands in it.

# Why there can be none here, if there is a reason.
debian_obstacle() {
    if [ "$(id -u)" != 0 ]; then
        echo "needs root, to unpack a Debian and to mount what runs there"
    elif ! command -v debootstrap >/dev/null; then
        echo "debootstrap is missing; on Debian: apt-get install debootstrap"
    fi
}

# debian_make SUITE FOLDER: a minimal one, from debootstrap's default mirror or MTREE_DEBIAN_MIRROR.
debian_make() {
    # shellcheck disable=SC2086 # no mirror is no argument
    debootstrap --variant=minbase "$1" "$2" ${MTREE_DEBIAN_MIRROR:-} >"$2.log" 2>&1 ||
        { tail -5 "$2.log" >&2; return 1; }
    rm -f "$2.log"
    chmod 755 "$2" # apt fetches as a user of its own
    cp /etc/resolv.conf "$2/etc/resolv.conf"
}

# debian_run FOLDER COMMAND: what runs in the Debian, and its mounts, end with the command.
debian_run() {
    # shellcheck disable=SC2016 # expanded there
    unshare --mount --propagation private --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$2"' bash "$1" "$2"
}
