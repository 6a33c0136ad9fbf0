#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a command (default: ./runtests.sh) on a copy of this checkout in a Debian 13, which has
# Open MPI 5.0.7.
#
# The Debian is made once, in MTREE_TRIXIE or ~/.cache/mtree/trixie (about 1.2 GB; remove it with
# rm -r), from debootstrap's default mirror or MTREE_DEBIAN_MIRROR.  All that is mounted and all that
# runs there lives in namespaces that end with this script, however it ends.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/config/setup.sh"
root=${MTREE_TRIXIE:-${XDG_CACHE_HOME:-$HOME/.cache}/mtree/trixie}

# Processes and mounts of a command end with it, and it with this script.
contained() {
    local status=0
    setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child \
        "$@" <&0 &
    trap 'kill -KILL $! 2>/dev/null; exit 130' INT TERM HUP
    wait $! || status=$?
    trap - INT TERM HUP
    return $status
}

# A folder without its last name is one that was not finished.
make_debian() {
    say "Making a Debian 13 in $root (about 1.2 GB; remove it with rm -r)"
    # shellcheck disable=SC2119 # the list is all
    packages=debootstrap install_packages
    rm -rf --one-file-system "$root.partial"
    mkdir -p "$root.partial"
    # shellcheck disable=SC2086 # no mirror is no argument
    contained debootstrap --variant=minbase trixie "$root.partial" ${MTREE_DEBIAN_MIRROR:-} \
        >"$root.log" 2>&1 || { tail -5 "$root.log" >&2; die "debootstrap failed, see $root.log"; }
    mv "$root.partial" "$root"
}

# The files that git has or would add, as they are now: nothing that this machine's tools made.
copy_checkout() {
    rm -rf "$root/srv/mtree"
    mkdir "$root/srv/mtree"
    git -C "$top" ls-files -z --cached --others --exclude-standard |
        tar -C "$top" -c --ignore-failed-read --null -T - | tar -C "$root/srv/mtree" -x
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# The first process of the namespaces: its root is the Debian, and nothing else is in reach.
# shellcheck disable=SC2016 # expanded there
enter='
    set -e
    mount --bind "$1" "$1"
    cd "$1"
    shift
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    for folder in dev/shm run tmp; do mount -t tmpfs tmpfs $folder; done
    pivot_root . .
    umount -l .
    exec chroot . sh -c '\''cd /srv/mtree && "$@"'\'' sh "$@"'

[ "$(id -u)" = 0 ] ||
    die "needs root, to unpack a Debian in $root and to mount what runs there"
mkdir -p "$(dirname "$root")"
exec 9>"$root.lock"
flock -n 9 || die "$root is in use by another run"
[ -d "$root" ] || make_debian
copy_checkout
[ $# -gt 0 ] || set -- ./runtests.sh
export HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
status=0
contained bash -c "$enter" bash "$root" "$@" || status=$?
rm -f "$root"/var/cache/apt/archives/*.deb
[ $status -eq 0 ] || say "Failed with Open MPI 5; logs are in $root/srv/mtree/build"
exit $status
