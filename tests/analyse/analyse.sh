#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# analyse.sh FLAGS... -- FILE.c...: gcc's and clang's static analysers over the files (make analyse).
#
# Fails when they find what tests/analyse/accepted.txt does not hold.  Left out are gcc 12's checks for leaks and
# for uninitialised memory: they lose track of memory that a caller's struct holds and of arrays filled in a
# loop; clang's are on, and LeakSanitizer and valgrind look at what runs (docs/testing.md).
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
accepted=$top/tests/analyse/accepted.txt
flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do flags+=("$1"); shift; done
shift
found=$(mktemp -d) || exit 1
trap 'rm -r "$found"' EXIT

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "analyse.sh: no $compiler; install it" >&2; exit 1; }
done

printf '%s\n' "$@" | xargs -P "$(nproc)" -I FILE gcc "${flags[@]}" -O1 -fanalyzer \
    -Wno-analyzer-malloc-leak -Wno-analyzer-file-leak -Wno-analyzer-use-of-uninitialized-value \
    -fdiagnostics-plain-output -c -o /dev/null FILE 2>"$found/gcc" || exit_code=1
printf '%s\n' "$@" | xargs -P "$(nproc)" -I FILE clang "${flags[@]}" -Wno-unknown-warning-option \
    --analyze -Xclang -analyzer-output=text -fno-caret-diagnostics FILE 2>"$found/clang" || exit_code=1
if [ "${exit_code:-0}" -ne 0 ]; then
    grep -h 'error:' "$found/gcc" "$found/clang" >&2
    echo "analyse.sh: a file does not compile" >&2
    exit 1
fi

# FILE: MESSAGE [check], without the line, which moves.
grep -h ': warning: ' "$found/gcc" "$found/clang" | sed "s|^$top/||; s|^[^ :]*/\.\./||" | sort -u >"$found/lines"
status=0
while IFS= read -r line; do
    plain=$(sed 's/:[0-9]*:[0-9]*: warning:/:/' <<<"$line")
    grep -qxF -- "$plain" "$accepted" && continue
    echo "$line"
    status=1
done <"$found/lines"
sed 's/:[0-9]*:[0-9]*: warning:/:/' "$found/lines" >"$found/plain"
grep -v '^#\|^$' "$accepted" | while IFS= read -r line; do
    grep -qxF -- "$line" "$found/plain" || echo "analyse.sh: accepted, and not found any more: $line"
done
echo "analyse.sh: $# files, $(wc -l <"$found/lines") findings, $([ $status = 0 ] && echo none || echo some) new"
exit $status
