# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the .test scripts: a program with and without mtree, its outputs side by side.
#
# both NAME RANKS PROGRAM [ARGS...] runs it, in the folder $dir, with plain Open MPI and with mtree serving all
# it can on as many hosts, and leaves $dir/NAME.plain and $dir/NAME.mtree.  A program whose mtree served nothing
# fails, and so does one that fails.  needs COMMAND PACKAGE ends the test as skipped where there is no COMMAND.

here=$(cd "$(dirname "$0")" && pwd)
build=$(pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# The same on every machine; the sums of one thread.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

needs() {
    command -v "$1" >/dev/null && return
    echo "$(basename "$0"): no $1 (Debian's $2): skipped"
    exit 77
}

# compile NAME LIBRARIES...: here/NAME.c, to $dir/NAME; without its libraries the test is skipped.
compile() {
    name=$1
    shift
    mpicc -O1 -o "$dir/$name" "$here/$name.c" "$@" -lm >"$dir/$name.said" 2>&1 && return
    grep -q 'No such file\|cannot find -l' "$dir/$name.said" || { cat "$dir/$name.said"; exit 1; }
    echo "$(basename "$0"): $name cannot be built here: $(head -1 "$dir/$name.said"): skipped"
    exit 77
}

run_one() { # HOW NAME RANKS PROGRAM...
    how=$1 name=$2 ranks=$3
    shift 3
    MPIRUN_ARGS="--wdir $dir ${MPIRUN_ARGS:-}" "$here/../run.sh" "$how" "$ranks" "$@" >"$dir/out" 2>&1 || {
        status=$?
        cat "$dir/out"
        exit $status
    }
    grep -v '^run.sh: ' "$dir/out" >"$dir/$name.$how"
}

both() { # NAME RANKS PROGRAM...
    run_one plain "$@"
    [ -z "${BETWEEN:-}" ] || $BETWEEN
    export OMPI_MCA_coll_mtree_report="$dir/report.json"
    run_one mtree "$@"
    unset OMPI_MCA_coll_mtree_report
    python3 "$here/served.py" "$1" "$dir/report.json" || exit 1
}
