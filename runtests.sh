#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Build, then run every test.  The last line counts them.
set -eu
top=$(cd "$(dirname "$0")" && pwd)
. "$top/config/setup.sh"

# Build with and run the Open MPI of major version $1 in folder $2, which has its developer headers.
use_openmpi() {
    local info=${2:-PREFIX}/bin/ompi_info version
    [ -x "$info" ] || die "--openmpi $1 takes the folder of an Open MPI $1; there is no $info"
    version=$("$info" --version | sed -n '1s/.* v//p')
    [ "${version%%.*}" = "$1" ] || die "--openmpi $1: $2 has Open MPI ${version:-of no version}"
    build=$top/build-openmpi$1
    configure_options=("--with-openmpi=$(cd "$2" && pwd)")
    PATH=$(cd "$2" && pwd)/bin:$PATH
    export PATH
}

case ${1:-} in
-h | --help)
    echo "usage: ./runtests.sh              build in build/, run every test, count them in the last line"
    echo "       ./runtests.sh --openmpi 5  the same with Open MPI 5.0.7 in a Debian 13 (docs/openmpi.md)"
    echo "       ./runtests.sh --openmpi 6 PREFIX  the same in build-openmpi6/ with the Open MPI 6 in PREFIX"
    exit 0
    ;;
--openmpi)
    case ${2:-} in
    5) exec "$top/config/openmpi5.sh" ;;
    6) use_openmpi 6 "${3:-}" ;;
    *) die "--openmpi takes 5, or 6 and a folder; without it the Open MPI of this machine is tested" ;;
    esac
    ;;
"") ;;
*) die "unknown argument '$1'; --help tells what there is" ;;
esac

install_packages
build_all

say "Testing (logs in $(basename "$build")/)"
cd "$build"
# Results as they come: of a run that is ended from outside they tell how far it was.
set +e
make -j2 check </dev/null 2>&1 | tee make-check.log | grep --line-buffered -E '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): '
status=${PIPESTATUS[0]}
set -e
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
