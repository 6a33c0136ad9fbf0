#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh HOW RANKS PROGRAM [ARGS...]: run a program of the build folder we are in under mpirun.
#
#   plain   Open MPI without mtree
#   mtree   mtree serves all it can, each rank on a host of its own in hosts.dot
#   shared  the same with two ranks per host
#   installed  mtree as it is after make install, set up by the environment
#   bare    mtree alone on the list, set up by OMPI_MCA_coll_mtree_* alone
#
# With mtree and shared it is a failure when mtree served nothing.  TIMEOUT (seconds, 120) ends a run that hangs;
# MPIRUN and MPIRUN_ARGS may be set, and RUN_UNDER, a command like valgrind that runs the program; SAID names
# a file for what mtree said; COMPONENTS a folder with components for the test, COMPONENT that with mtree; status 77, "skipped", when there is no mpirun or no mtree here.
set -u
if [ $# -lt 3 ]; then
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
how=$1 ranks=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mpirun=${MPIRUN:-mpirun}
command -v "$mpirun" >/dev/null || { echo "run.sh: no $mpirun: skipped"; exit 77; }

# The names of the hosts of as many ranks, with so many ranks each.
host_names() {
    rank=0 names=
    while [ $rank -lt "$ranks" ]; do
        names=$names${names:+,}h$((rank / $1 % 8))
        rank=$((rank + 1))
    done
    echo "$names"
}

case $how in
plain) selection="--mca coll ^mtree" ;;
mtree) selection="--mca coll mtree --mca coll_mtree_hosts $(host_names 1)" ;;
shared) selection="--mca coll mtree --mca coll_mtree_hosts $(host_names 2)" ;;
bare) selection="--mca coll mtree" ;;
installed) selection= ;;
*) echo "run.sh: '$how' is none of plain, mtree, shared, bare, installed" >&2; exit 2 ;;
esac
case $how in
mtree | shared | bare | installed)
    if [ ! -e .libs/mca_coll_mtree.so ]; then
        echo "run.sh: no .libs/mca_coll_mtree.so in $(pwd): run make first; skipped"
        exit 77
    fi
    build=$(pwd)
    export OMPI_MCA_mca_base_component_path="${COMPONENT:-$build/.libs}:${COMPONENTS:+$COMPONENTS:}SYS_DEFAULT"
    # Open MPI 5 would have PMIx look there for its own components, and complain; here are none.
    export PMIX_MCA_mca_base_component_path=/sys
    ;;
esac
case $how in
mtree | shared)
    export OMPI_MCA_coll_mtree_topology="$here/hosts.dot"
    export OMPI_MCA_coll_mtree_min_bytes=0 OMPI_MCA_coll_mtree_verbose=2
    ;;
esac
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# More ranks than processors must yield, or they wait for each other's time slices.
export OMPI_MCA_mpi_yield_when_idle=1
# To Open MPI 5 by default a host's own address is out of reach where the kernel routes it over lo.
export OMPI_MCA_reachable=weighted

output=$(mktemp) || exit 1
cache=$(mktemp -d) || exit 1
trap 'rm -rf "$output" "$cache"' EXIT
# What one job learns is for the next one only where a test says so.
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$cache}"
# Word splitting of the options is meant.
# shellcheck disable=SC2086
timeout "${TIMEOUT:-120}" "$mpirun" -n "$ranks" --oversubscribe --bind-to none ${MPIRUN_ARGS:-} \
    $selection ${RUN_UNDER:-} "$@" >"$output" 2>&1 </dev/null
status=$?
served=$(grep -ac 'coll:mtree: .* of about .*: mtree ' "$output")
if [ $status -ne 0 ]; then
    cat "$output"
    echo "run.sh: FAILED: $how, $ranks ranks, status $status: $*"
    exit 1
fi
grep -av 'coll:mtree:' "$output"
if [ -n "${SAID:-}" ]; then
    grep -a 'coll:mtree:' "$output" >"$SAID"
fi
case $how in
mtree | shared)
    # Ranks of one host are left to the fallback.
    alone=$([ "$how" = mtree ] && echo 1 || echo 2)
    if [ "$served" -eq 0 ] && [ "$ranks" -gt "$alone" ]; then
        grep -a 'coll:mtree:' "$output"
        echo "run.sh: FAILED: mtree served nothing: $how, $ranks ranks: $*"
        exit 1
    fi
    echo "run.sh: $how, $ranks ranks: mtree made $served plans"
    ;;
esac
