#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Install the packages into a throwaway Debian, use them there, purge them, and see what is left.
#
#     dpkg-buildpackage -us -uc -b && packaging/try-packages.sh ../*.deb
#
# Needs root and debootstrap.  The Debian (that of DEBIAN_SUITE, bookworm) is made in a folder of its own,
# from debootstrap's default mirror or MTREE_DEBIAN_MIRROR, and removed with all that ran in it.
set -euo pipefail

die() { echo "try-packages.sh: $*" >&2; exit 1; }

[ $# -gt 0 ] || die "usage: try-packages.sh FILE.deb..."
. "$(dirname "$0")/debian.sh"
obstacle=$(debian_obstacle)
[ -z "$obstacle" ] || die "$obstacle"
suite=${DEBIAN_SUITE:-bookworm}
root=$(mktemp -d --suffix=-mtree-packages)
trap 'rm -rf --one-file-system "$root"' EXIT

inside() { debian_run "$root" "$1"; }

files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./run -o -path ./packages -o -path ./sys -o -path ./dev -o -path ./tmp \
    -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt \) -prune -o -print | sort); }

echo "A $suite in $root"
debian_make "$suite" "$root" || die "debootstrap failed"
mkdir "$root/packages"
for package in "$@"; do
    case $package in *-dbgsym_*) ;; *) cp "$package" "$root/packages/" ;; esac
done

# Open MPI and a compiler first: they are the machine that the packages come to.
inside 'apt-get update -qq; apt-get install -y -qq --no-install-recommends openmpi-bin libopenmpi-dev gcc pkg-config \
    graphviz libglpk-dev libhwloc-dev libjansson-dev python3 python3-yaml iproute2 nftables >/dev/null 2>&1'
files >"$root/packages/before"

echo "Installing"
inside 'apt-get install -y -qq --no-install-recommends /packages/*.deb >/dev/null 2>/packages/apt.log ||
    { cat /packages/apt.log; exit 1; }'

echo "Using"
inside '
    export XDG_CACHE_HOME=/tmp # plans are the property of a user, and stay
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_coll_mtree_verbose=2
    mtree --version
    cd /tmp
    maps=/usr/share/mtree/topologies
    mtree plan $maps/b4.dot --size 16M >/dev/null
    mtree draw $maps/b4.dot --size 16M -o b4.svg
    netlab status >/dev/null
    ompi_info --param coll mtree --level 9 | grep -q coll_mtree_topology
    mpirun -n 4 --oversubscribe --mca coll mtree --mca coll_mtree_topology $maps/star-8.dot \
        --mca coll_mtree_hosts h0,h1,h2,h3 --mca coll_mtree_min_bytes 0 mtree_bench -m 64k:64k -i 3 -c 2>&1 | tee run
    grep -q "allreduce of about 64 KB: mtree " run
    grep -q "Pass" run
    cc -Wall -Werror /usr/share/doc/libmtree-dev/examples/plan.c -o plan $(pkg-config --cflags --libs mtree)
    ./plan $maps/b4.dot 64M
'

echo "Purging"
inside 'apt-get purge -y -qq openmpi-coll-mtree mtree-tools libmtree-dev libmtree0 >/dev/null 2>&1
    mpirun --allow-run-as-root -n 2 --oversubscribe true'
files >"$root/packages/after"
diff "$root/packages/before" "$root/packages/after" >"$root/packages/left" ||
    { head -20 "$root/packages/left" >&2; die "the packages left this behind"; }
echo "Installed, worked, gone without a trace"
