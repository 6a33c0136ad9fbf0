#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# serving.sh [--lab FILE.dot] COMMAND...: run a command, such as the test-suite of a library, whose mpirun jobs mtree
# serves as far as it can: messages of all sizes, without a guard.  To be called in the build folder.
#
# Without a lab each rank is a host of its own in hosts.dot (eight hosts, in turns); with one, the command runs on the
# first host of it and its jobs on all (netlab(1); 4 ranks per host).  Ends with the command's status, after a line that
# counts what mtree served.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lab=
if [ "${1:-}" = --lab ]; then
    lab=${2:?--lab needs a topology}
    shift 2
fi
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(pwd)
real=$(command -v mpirun) || { echo "serving.sh: no mpirun: skipped"; exit 77; }
[ -e .libs/mca_coll_mtree.so ] || { echo "serving.sh: no .libs/mca_coll_mtree.so in $build: run make first; skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

export OMPI_MCA_mca_base_component_path="$build/.libs:SYS_DEFAULT" PMIX_MCA_mca_base_component_path=/sys
export OMPI_MCA_coll=mtree OMPI_MCA_coll_mtree_min_bytes=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# A report a job, by whatever name the command starts its jobs.
mkdir "$dir/bin" "$dir/reports"
for name in mpirun mpiexec orterun; do
    printf '#!/bin/sh\nexport OMPI_MCA_coll_mtree_report="%s/reports/$$.json"\nexec "%s" "$@"\n' "$dir" "$real" >"$dir/bin/$name"
    chmod +x "$dir/bin/$name"
done
export PATH="$dir/bin:$PATH"

if [ -n "$lab" ]; then
    MTREE=$build/mtree NETLAB_RELAY=$build/netlab_relay \
        "$here/../../../tools/netlab/netlab" run "$lab" --ranks-per-host 4 -- "$@"
else
    eight=h0,h1,h2,h3,h4,h5,h6,h7
    OMPI_MCA_coll_mtree_hosts=$eight,$eight,$eight,$eight OMPI_MCA_coll_mtree_topology="$here/../hosts.dot" "$@"
fi
status=$?
python3 "$here/served.py" "$(basename "$1")" "$dir/reports"/*.json || status=1
exit $status
