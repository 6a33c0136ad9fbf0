#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Build, then run every test.  The last line counts them.
set -eu
top=$(cd "$(dirname "$0")" && pwd)
. "$top/config/setup.sh"

case ${1:-} in
-h | --help)
    echo "usage: ./runtests.sh              build in build/, run every test, count them in the last line"
    echo "       ./runtests.sh --openmpi 5  the same with Open MPI 5.0.7 in a Debian 13 (docs/openmpi.md)"
    exit 0
    ;;
--openmpi)
    [ "${2:-}" = 5 ] || die "--openmpi takes 5; without it the Open MPI of this machine is tested"
    exec "$top/config/openmpi5.sh"
    ;;
"") ;;
*) die "unknown argument '$1'; --help tells what there is" ;;
esac

install_packages
build_all

say "Testing (logs in build/)"
cd "$build"
status=0
make -j2 check >make-check.log 2>&1 || status=$?
grep -E '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): ' make-check.log || true
if [ $status -ne 0 ]; then
    for result in $(grep -lE '^:test-result: (FAIL|ERROR)' $(find . -name '*.trs') 2>/dev/null); do
        say "${result%.trs}"
        tail -25 "${result%.trs}.log"
    done
fi
[ -s test-suite.log ] || { tail -20 make-check.log; die "make check ran no test"; }

# Check counts the cases of a program; a script counts as one.
python3 "$top/tests/count.py" . || exit 1
[ $status -eq 0 ] || exit 1
