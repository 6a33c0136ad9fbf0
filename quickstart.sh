#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# From a clone to a measured speed-up on an emulated wide-area network, in a few minutes.
set -eu
top=$(cd "$(dirname "$0")" && pwd)
. "$top/config/setup.sh"

case ${1:-} in
-h | --help)
    echo "usage: ./quickstart.sh    build in build/, show a plan, run it on an emulated B4, compare"
    exit 0
    ;;
"") ;;
*) die "unknown argument '$1'; --help tells what there is" ;;
esac

map=$top/topologies/b4.dot
scale=0.2      # links of 26 to 54 Mb/s: what two cores carry
size=2M
picture=$build/b4-allreduce.svg

install_packages
build_all
. "$build/environment.sh"

say "The network: Google's B4, 12 sites and 19 links (topologies/b4.dot)"
mtree topology "$map"

say "The plan: which trees carry a 16 MB allreduce, and how far it is from the network's limit"
mtree plan "$map" --size 16M
mtree draw "$map" --size 16M -o "$picture"
echo
echo "The trees on the map: ${picture#"$top"/}"

say "For real: 12 emulated sites at $scale of those rates, unmodified MPI calls under mpirun"
if ! netlab probe >"$build/probe.log" 2>&1; then
    cat "$build/probe.log"
    echo "The lab cannot run here, for the reason above; the plan and the picture are real."
    exit 1
fi
mtree_bench_compare "$map" --build "$build" --scale $scale --no-latency --quick \
    -t allreduce,bcast,allgather -m $size -R 2

cat <<TXT

Every result above was checked. Go on with docs/guide.md: ". build/environment.sh" lets a shell find
what was built here. On your own cluster:

  make -C build install-user                     the component, to ~/.openmpi/components
  mtree generate ring:3 > mine.dot               then edit: your hosts, links, capacities
  mtree plan mine.dot --size 64M                 what it would do, and why
  mpirun --mca coll mtree --mca coll_mtree_topology \$PWD/mine.dot ./your_program

docs/topology-file.md says how to write the file, docs/benchmarks.md how to measure.
TXT
