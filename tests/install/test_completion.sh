#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What bash offers after a Tab, for mtree and netlab.
set -u
completions=/usr/share/bash-completion/bash_completion
[ -e $completions ] || { echo "no bash-completion here: skipped"; exit 77; }
source=$(cd "${srcdir:-.}" && pwd)
mkdir -p "${TMPDIR:-/tmp}"
bin=$(mktemp -d) || exit 99
trap 'rm -rf "$bin"' EXIT
ln -s "$(pwd)/mtree" "$bin/mtree"
ln -s "$source/tools/netlab/netlab" "$bin/netlab"
PATH=$bin:$PATH
failures=0
# shellcheck disable=SC1090
. $completions
. "$source/packaging/completion/mtree"
. "$source/packaging/completion/netlab"
cd "$source/topologies" || exit 99

# offered WORD...: what is offered for the last word of the line, sorted, in one line.
offered() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
    COMP_POINT=${#COMP_LINE} COMPREPLY=()
    "_$1" 2>/dev/null # compopt wants to be called by readline
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}

# expect WANTED WORD...
expect() {
    local wanted=$1 got
    shift
    got=$(offered "$@")
    if [ "$got" != "$wanted${wanted:+ }" ] && { [ -n "$wanted" ] || [ "$got" != " " ]; }; then
        echo "FAILED: '$*' offers '$got', wanted '$wanted'"
        failures=$((failures + 1))
    fi
}

commands=$(mtree --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort | tr '\n' ' ')
expect "--help --version ${commands% }" mtree ""
expect "--min-rate" mtree plan --mi
expect "multitree" mtree plan -a mu
expect "allgather allreduce alltoall" mtree simulate --collective a
expect "" mtree plan --trees ""
expect "b4.dot" mtree draw b
expect "fattree:" mtree generate f
expect "msccl simgrid" mtree export --format ""
expect "down" netlab d
expect "--no-latency" netlab up --no
expect "geant.dot" netlab run ge
expect "reno" netlab up --congestion-control ren
expect "--json" netlab status --j
expect "ports-high" netlab run --fault ports-h
expect "gml" mtree import --format gm
expect "--facts" mtree doctor --fa
# mpirun's own completions, whatever they are, begin after --.
[ -n "$(offered netlab run b4.dot -- mtre)" ] || {
    echo "FAILED: no commands after --"
    failures=$((failures + 1))
}
[ $failures -eq 0 ]
