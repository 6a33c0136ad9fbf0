/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit tests of a room are one program.  Each file of tests adds a suite to it, which
 * has the file's name without "test_".
 *
 *     UNIT_SUITE(tests)
 *     {
 *         tcase_add_test(tests, what_is_tested);
 *     }
 */
#ifndef MTREE_TESTS_UNIT_RUNNER_H
#define MTREE_TESTS_UNIT_RUNNER_H

#include <check.h>

typedef void (*unit_add_func_t)(TCase *tests);

/* Add the suite of a source @a file, whose tests @a add names; none: it is skipped. */
void unit_register(const char *file, unit_add_func_t add);

/* Begin another case of the suite that is being made, for tests with their own fixture.
 */
TCase *unit_case(const char *name);

/* The head of the function that names a file's tests.  Each of them is forked, and fails
 * after a minute unless tcase_set_timeout() gives them more. */
#define UNIT_SUITE(tests)                                                                \
    static void add_tests(TCase *tests);                                                 \
    __attribute__((constructor)) static void register_tests(void)                        \
    {                                                                                    \
        unit_register(__FILE__, add_tests);                                              \
    }                                                                                    \
    static void add_tests(TCase *tests)

#endif
