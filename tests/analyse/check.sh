#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check.sh KIND [CONFIGURE-ARGS...]: build the tree another way in ./KIND, and run the unit and MPI tests there.
#
#   address   AddressSanitizer and UBSan; leaks are looked for in the unit tests (under mpirun Open MPI's own
#             drown them: valgrind is for those)
#   thread    ThreadSanitizer: the unit tests, and an MPI program whose threads call collectives at once
#   valgrind  memcheck: unit tests and MPI programs, leaks too
#   without   no library that configure can do without: unit tests, messages
#   coverage  gcov, then the part of each room's lines that ran
#
# Run by make check-address and so on, in the build folder.  TESTS="..." runs these tests only.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
kind=${1:?what to check: address, thread, valgrind, without or coverage}
shift
jobs=${JOBS:-$(nproc)}
supp=$top/tests/analyse

case $kind in
address) set -- --enable-sanitizers=address,undefined CFLAGS="-g -O1" "$@" ;;
thread) set -- --enable-sanitizers=thread CFLAGS="-g -O1" "$@" ;;
valgrind) set -- CFLAGS="-g -O1" "$@" ;;
without) set -- --without-glpk --without-mpich "$@" ;;
coverage) set -- CFLAGS="-g -O0 --coverage" "$@" ;;
*) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

mkdir -p "$kind"
cd "$kind"
[ -e Makefile ] || "$top/configure" -q "$@"
make -s -j"$jobs" all

unit=$(make -s print-unit-tests)
unit_programs=$(make -s print-unit-programs)
mpi="tests/mpi/every_collective.test tests/mpi/semantics.test
    tests/mpi/random_cases.test tests/mpi/during_idup.test tests/mpi/messages.test tests/mpi/freed_early.test
    tests/mpi/rules.test tests/mpi/errors.test tests/mpi/spawned.test tests/mpi/threads.test tests/mpi/arrival.test
    tests/mpi/replan.test tests/mpi/locality.test tests/mpi/unplanned.test
    tests/mpi/perturb.test tests/mpi/report.test tests/mpi/trace.test tests/mpi/outputs.test"

# run alone|mpi|all TEST...: these, or of those that TESTS names the ones that run by themselves, the others, or all.
# NEEDS names the programs that these need, where they are few: those of all tests take long to build.
run() {
    which=$1 chosen=
    shift
    for test in ${TESTS:-$*}; do
        case $which:$test in
        all:* | alone:tests/unit/* | alone:tests/fuzz/*) chosen="$chosen $test" ;;
        alone:* | mpi:tests/unit/* | mpi:tests/fuzz/*) ;;
        mpi:*) chosen="$chosen $test" ;;
        esac
    done
    [ -n "$chosen" ] || return 0
    if [ -z "${NEEDS:-}" ] || [ -n "${TESTS:-}" ]; then
        make -s -j"$jobs" check TEST_LIMIT=7200 TESTS="$chosen" >check.log 2>&1 && ok=yes || ok=no
    else
        # shellcheck disable=SC2086 # a list
        { make -s -j"$jobs" $NEEDS && make -s -j"$jobs" check-TESTS check_PROGRAMS= TEST_LIMIT=7200 TESTS="$chosen"; } >check.log 2>&1 &&
            ok=yes || ok=no
    fi
    grep -E '^(PASS|FAIL|ERROR|SKIP):|^# (PASS|FAIL|ERROR|SKIP):' check.log || tail -5 check.log
    [ $ok = yes ] || { echo "check.sh: $kind: see $PWD/check.log and the tests' logs" >&2; exit 1; }
}

export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
case $kind in
address)
    # Some tests ask for more memory than there is.
    ASAN_OPTIONS=allocator_may_return_null=1 run alone $unit
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 run mpi $mpi
    ;;
thread)
    # Some tests ask for more memory than there is.
    export TSAN_OPTIONS=suppressions=$supp/thread.supp:ignore_noninstrumented_modules=1:history_size=7
    TSAN_OPTIONS=$TSAN_OPTIONS:allocator_may_return_null=1
    NEEDS=$unit_programs run alone $unit
    NEEDS=tests/mpi/threads run mpi tests/mpi/threads.test
    ;;
valgrind)
    # Stacks in full: some suppressions name what is far out.  One line: make's LOG_COMPILER takes no more.
    RUN_UNDER="valgrind -q --keep-debuginfo=yes --leak-check=full --num-callers=60 --error-exitcode=9"
    export RUN_UNDER="$RUN_UNDER --errors-for-leak-kinds=definite --suppressions=$supp/valgrind.supp"
    for file in /usr/share/openmpi/openmpi-valgrind.supp; do
        [ ! -e $file ] || RUN_UNDER="$RUN_UNDER --suppressions=$file"
    done
    NEEDS="tests/mpi/every_collective tests/mpi/few_calls tests/mpi/rules" TIMEOUT=600 \
        run mpi tests/mpi/during_idup.test tests/mpi/messages.test tests/mpi/freed_early.test
    NEEDS=tests/unit/schedule/test_windows CK_FORK=no LOG_COMPILER=$RUN_UNDER run alone tests/unit/schedule/test_windows
    ;;
without)
    NEEDS="$unit_programs tests/mpi/few_calls" run all $unit tests/mpi/messages.test tests/tools/test_mtree.sh
    ;;
coverage)
    find . -name '*.gcda' -delete
    # What the tests are not about, times, may fail in a build that is so slow: the table comes all the same.
    (run all $unit $(make -s print-mpi-tests) tests/tools/test_mtree.sh tests/lab/test_probe.py tests/lab/test_replan.py) || failed=1
    python3 "$supp/coverage.py" --least 90 "$top" . || failed=1
    exit ${failed:-0}
    ;;
esac
