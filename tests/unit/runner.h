/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit tests of a room are one program.  Each file of tests adds a suite to it, which
 * has the file's name without "test_".
 *
 *     UNIT_TEST(what_is_tested)
 *     {
 *         ck_assert(true);
 *     }
 *
 * Of the C library it brings what most files of tests use.
 */
#ifndef MTREE_TESTS_UNIT_RUNNER_H
#define MTREE_TESTS_UNIT_RUNNER_H

#include "base/status.h"
#include "tests/unit/captured_log.h"

#include <check.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Check writes each assertion that holds into a file, to name the last one before a
 * crash. In loops that took a third of the time, so each place writes the first time
 * alone. */
#define _mark_point(file, line)                                                          \
    ({                                                                                   \
        static atomic_bool marked;                                                       \
        if (!atomic_load_explicit(&marked, memory_order_relaxed)) {                      \
            atomic_store_explicit(&marked, true, memory_order_relaxed);                  \
            (_mark_point)(file, line);                                                   \
        }                                                                                \
    })

/* @a call returns MTREE_OK. */
#define unit_ok(call)                                                                    \
    do {                                                                                 \
        const int unit_status = (int)(call);                                             \
                                                                                         \
        ck_assert_msg(unit_status == MTREE_OK, "%s: %d", #call, unit_status);            \
    } while (0)

/* @a call returns MTREE_ERR_INVALID. */
#define unit_invalid(call) ck_assert_int_eq(call, MTREE_ERR_INVALID)

/* @a text has @a part in it. */
#define unit_has(text, part)                                                             \
    ck_assert_msg(strstr(text, part) != NULL, "no '%s' in '%s'", part, text)

/* The numbers are equal but for rounding. */
#define unit_near(number, expected) ck_assert_double_eq_tol(number, expected, 1e-9)

/* Of a variable that @a destroy is given at the end of its block; of a pointer that is
 * freed then. */
#define UNIT_OWNED(destroy) __attribute__((cleanup(destroy)))
#define UNIT_FREED          UNIT_OWNED(unit_free)

static inline void unit_free(void *pointer_p)
{
    free(*(void **)pointer_p);
}

typedef void (*unit_add_func_t)(TCase *tests);

/* Have @a add called when the suite of a source @a file is made. */
void unit_register(const char *file, unit_add_func_t add);

/* Is the suite that is being made complete as it is? */
void unit_end_suite_unless(bool goes_on);

/* Begin another case of the suite that is being made, for tests with their own fixture.
 */
TCase *unit_case(const char *name);

/* How often a loop test runs: @a few times, or @a many in `make check-thorough`. */
int unit_loops(int few, int many);

#define UNIT_REGISTER(name, tests)                                                       \
    static void name##_add(TCase *tests);                                                \
    __attribute__((constructor)) static void name##_register(void)                       \
    {                                                                                    \
        unit_register(__FILE__, name##_add);                                             \
    }                                                                                    \
    static void name##_add(TCase *tests)

/* The head of a test, which is run for each value of _i from @a from to below @a to.  It
 * is forked, and fails after a minute unless tcase_set_timeout() gives it more. */
#define UNIT_LOOP(name, from, to) UNIT_ADDED_LOOP(tcase_add_loop_test, name, from, to)
#define UNIT_TEST(name)           UNIT_LOOP(name, 0, 1)

/* The same in one process, where a fork takes longer than the test. */
#define UNIT_SHORT_LOOP(name, from, to)                                                  \
    static void name##_one(int _i);                                                      \
    UNIT_TEST(name)                                                                      \
    {                                                                                    \
        for (int i = from; i < to; i++) {                                                \
            name##_one(i);                                                               \
        }                                                                                \
    }                                                                                    \
    static void name##_one(int _i)

/* For each of an array's @a rows. */
#define UNIT_EACH(name, rows) UNIT_LOOP(name, 0, (int)(sizeof(rows) / sizeof((rows)[0])))

/* UNIT_LOOP, added to the suite by @a add(case, name, from, to). */
#define UNIT_ADDED_LOOP(add, name, from, to)                                             \
    static void name##_body(int _i);                                                     \
    START_TEST(name)                                                                     \
    {                                                                                    \
        name##_body(_i);                                                                 \
    }                                                                                    \
    END_TEST                                                                             \
    UNIT_REGISTER(name, tests)                                                           \
    {                                                                                    \
        add(tests, name, from, to);                                                      \
    }                                                                                    \
    static void name##_body(int _i CK_ATTRIBUTE_UNUSED)

/* The tests below it in the file are for builds that meet a condition. */
#define UNIT_NEEDS(condition)                                                            \
    UNIT_REGISTER(needs, tests)                                                          \
    {                                                                                    \
        (void)tests;                                                                     \
        unit_end_suite_unless(condition);                                                \
    }

/* Each test of the file is run between @a setup and @a teardown, of which one may be
 * NULL; or has so many seconds. */
#define UNIT_FIXTURE(setup, teardown)                                                    \
    UNIT_REGISTER(setup##_and_##teardown, tests)                                         \
    {                                                                                    \
        tcase_add_checked_fixture(tests, setup, teardown);                               \
    }
#define UNIT_SECONDS(seconds)                                                            \
    UNIT_REGISTER(timeout, tests)                                                        \
    {                                                                                    \
        tcase_set_timeout(tests, seconds);                                               \
    }

#endif
