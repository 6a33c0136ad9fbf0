#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make install, install-user and uninstall, from a copy of nothing but what they say they do: programs and
# the library work where they are installed, and nothing is left behind.
set -u
build=$(pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# check WHAT COMMAND...: the command succeeds.
check() {
    what=$1
    shift
    "$@" >"$tmp/out" 2>&1 || {
        fail "$what: $*"
        sed 's/^/    /' "$tmp/out"
    }
}

# Makefiles tell where things go.
value() {
    make -s -f - print NAME="$1" <<'MAKE'
include Makefile
print:
	@echo $($(NAME))
MAKE
}
unset MAKEFLAGS MFLAGS MAKELEVEL
prefix=$(value prefix)
[ -n "$prefix" ] || { echo "FAILED: no prefix in $build/Makefile"; exit 1; }

# What others have installed there before stays, file by file.
for folder in "$(value bindir)" "$(value componentdir)" "$(value mandir)/man1" "$(value pkgconfigdir)"; do
    mkdir -p "$root$folder"
    echo other >"$root$folder/other"
done
list() { (cd "$root" && find . ! -type d -exec cksum {} + | sort); }
list >"$tmp/before"

make -s install DESTDIR="$root" HOME="$tmp/home" >"$tmp/install.log" 2>&1 || {
    echo "FAILED: make install"
    tail -20 "$tmp/install.log"
    exit 1
}
component=$root$(value componentdir)/mca_coll_mtree.so
library=${component%/*}/coll_mtree.so
[ -e "$component" ] && [ -e "$library" ] || fail "no component in $(value componentdir)"
# Symbols are bound when they are first used: what is missing would end a job then.
missing=$(nm -D --undefined-only "$component" "$library" | grep -E ' (coll_)?mtree_')
[ -z "$missing" ] || fail "the component uses functions of mtree's that it does not have: $missing"
[ -z "$(find "$root$(value componentdir)" -name '*.la')" ] || fail "a .la file beside the component"

# Programs find their parts where they are.
bin=$root$(value bindir)
maps=$root$(value pkgdatadir)/topologies
check "mtree" "$bin/mtree" plan "$maps/b4.dot" --size 16M
check "netlab" "$bin/netlab" status
for program in mtree_bench mtree_bench_compare mtree_compare; do
    [ -x "$bin/$program" ] || fail "no $program in $bin"
done
for helper in mtree_link_probe netlab_relay; do
    [ -x "$root$(value pkglibexecdir)/$helper" ] || fail "no $helper in $(value pkglibexecdir)"
done
PYTHONDONTWRITEBYTECODE=1 "$bin/netlab" probe --json >"$tmp/probe" 2>/dev/null
grep -q "\"relay\": \"$root$(value pkglibexecdir)/netlab_relay\"" "$tmp/probe" ||
    fail "the installed netlab does not find its netlab_relay: $(grep relay "$tmp/probe")"
for page in man1/mtree.1 man1/netlab.1 man1/mtree_bench.1 man1/mtree_bench_compare.1 man1/mtree_compare.1 \
    man5/mtree-topology.5 man7/coll_mtree.7; do
    [ -e "$root$(value mandir)/$page" ] || fail "no $page in $(value mandir)"
done
[ -e "$root$(value docdir)/README.md" ] && [ -e "$root$(value docdir)/docs/design.md" ] ||
    fail "no documents in $(value docdir)"

# The library: the example, against the shared and the static one, by pkg-config alone.
lib=$root$(value libdir)
flags() {
    # .pc files name places as they will be; what is not there yet has $root before it.
    PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config "$@" mtree | sed "s|-\([IL]\)$prefix|-\1$root$prefix|g"
}
compiler=$(value CC)
# Flags and a compiler with options are several words.
# shellcheck disable=SC2046,SC2086
check "the example, shared" $compiler -Wall -Wextra -Werror $(value CFLAGS) \
    "$root$(value docdir)/examples/plan.c" -o "$tmp/shared" $(flags --cflags --libs)
expected='^packing carries 240 Mb/s of the 240 Mb/s that no plan can exceed: .* simulated$'
# run LIBRARY_PATH PROGRAM: it says what it should of B4.
run() {
    LD_LIBRARY_PATH=$1 "$2" "$maps/b4.dot" 64M >"$tmp/out" 2>&1
    grep -q "$expected" "$tmp/out" || fail "$2 says: $(cat "$tmp/out")"
}
[ ! -x "$tmp/shared" ] || run "$lib" "$tmp/shared"
# shellcheck disable=SC2046,SC2086
check "the example, static" $compiler $(value CFLAGS) "$root$(value docdir)/examples/plan.c" \
    -o "$tmp/static" $(flags --cflags) "$lib/libmtree.a" $(value HWLOC_LIBS) \
    $(value JANSSON_LIBS) -lm
[ ! -x "$tmp/static" ] || run "" "$tmp/static"
# What the headers promise is there, and nothing else is.
nm -D --defined-only "$lib/libmtree.so" | sed -n 's/.* T //p' | sort >"$tmp/has"
sort -u "$build/library/mtree.sym" | diff - "$tmp/has" >"$tmp/diff" ||
    fail "libmtree's symbols are not those of its headers: $(cat "$tmp/diff")"
ldd "$lib/libmtree.so" | grep -i -e libmpi -e libopen- && fail "libmtree needs MPI"

# A component without root, in a home of its own.
check "make install-user" make -s install-user HOME="$tmp/home"
[ "$(ls "$tmp/home/.openmpi/components" 2>&1 | tr '\n' ' ')" = "coll_mtree.so mca_coll_mtree.so " ] ||
    fail "make install-user left $(ls -R "$tmp/home")"
if command -v ompi_info >/dev/null; then
    HOME=$tmp/home ompi_info --param coll mtree --level 9 >"$tmp/out" 2>&1
    grep -q coll_mtree_topology "$tmp/out" || fail "Open MPI does not find the user's component"
fi
check "make uninstall-user" make -s uninstall-user HOME="$tmp/home"

check "make uninstall" make -s uninstall DESTDIR="$root" HOME="$tmp/home"
list >"$tmp/after"
diff "$tmp/before" "$tmp/after" >"$tmp/diff" || fail "not as it was before: $(cat "$tmp/diff")"
left=$(find "$tmp/home" ! -type d)
[ -z "$left" ] || fail "left behind: $left"
folders=$(cd "$root$prefix" && find . -type d -name '*mtree*')
[ -z "$folders" ] || fail "folders left behind: $folders"

[ $failures -eq 0 ] || exit 1
