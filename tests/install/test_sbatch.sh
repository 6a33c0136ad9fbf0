#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example job script: it measures the network once for a set of nodes, then runs the program on it.
set -u
script=${srcdir:-.}/examples/mtree.sbatch
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failures=0
# Stands for mpirun: says what it was called with, and writes the map that mtree probe would.
cat >"$tmp/mpirun" <<'SH'
#!/bin/sh
echo "mpirun $* with ${OMPI_MCA_coll_mtree_topology:-no map}"
for last; do :; done
case "$*" in *"mtree probe"*) echo 'graph {}' >"$last" ;; esac
SH
chmod +x "$tmp/mpirun"
export PATH="$tmp:$PATH" HOME="$tmp"
unset MTREE_MAP MTREE_MAPS

job() {
    SLURM_JOB_ID=$1 SLURM_JOB_NODELIST=$2 bash "$script" ./app --fast >"$tmp/out" 2>&1 ||
        { echo "FAILED: status $?:"; cat "$tmp/out"; failures=1; }
}
# expect PATTERN: the job said so.
expect() {
    grep -q -e "$1" "$tmp/out" || { echo "FAILED: no '$1' in:"; cat "$tmp/out"; failures=1; }
}

job 1 'n[1-4]'
expect '^mpirun --map-by ppr:1:node .* mtree probe -o .*\.dot\.1 with no map$'
expect '^mpirun \./app --fast with .*/\.cache/mtree/maps/[0-9a-f]*\.dot$'
job 2 'n[1-4]'
[ "$(wc -l <"$tmp/out")" -eq 1 ] || { echo "FAILED: measured again:"; cat "$tmp/out"; failures=1; }
job 3 'n[5-8]'
expect 'mtree probe'
export MTREE_MAP="$tmp/mine.dot"
echo 'graph {}' >"$MTREE_MAP"
job 4 'n[9-12]'
expect "^mpirun ./app --fast with $tmp/mine.dot$"
[ "$(find "$tmp/.cache" -type f | wc -l)" -eq 2 ] ||
    { echo "FAILED: maps: $(find "$tmp/.cache" -type f)"; failures=1; }
bash "$script" >"$tmp/out" 2>&1 && { echo "FAILED: no program, no error"; failures=1; }
expect 'usage: sbatch'
exit $failures
