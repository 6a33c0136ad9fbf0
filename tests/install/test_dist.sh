#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every file of the repository is in the tarball, so that it builds and tests as a clone does.
set -u
source=$(cd "${srcdir:-.}" && pwd)
[ -e "$source/.git" ] && command -v git >/dev/null || { echo "no clone: skipped"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s distdir distdir="$tmp/dist" >"$tmp/log" 2>&1 || {
    echo "FAILED: make distdir"
    tail -20 "$tmp/log"
    exit 1
}
# Files that are added but not committed count, files that are deleted do not.
(cd "$source" && git ls-files --cached --others --exclude-standard |
    while read -r file; do [ ! -e "$file" ] || echo "$file"; done) |
    grep -v -e '^\.gitignore$' | sort >"$tmp/has"
(cd "$tmp/dist" && find . -type f | sed 's|^\./||' | sort) >"$tmp/packed"
missing=$(comm -23 "$tmp/has" "$tmp/packed")
[ -z "$missing" ] || {
    echo "FAILED: not in the tarball (EXTRA_DIST):"
    echo "$missing"
    exit 1
}
