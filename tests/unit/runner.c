/* SPDX-License-Identifier: BSD-3-Clause */
/* run [FILE|NAME...]: run these suites of a room's unit tests, or all. */
#include "tests/unit/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test that takes longer hangs.  CK_TIMEOUT_MULTIPLIER is for slow machines. */
#define TEST_SECONDS 60
#define MAX_SUITES   64
#define MAX_NAME     64
#define SKIPPED      77 /* automake's exit status of a test that could not run */

static struct {
    char name[MAX_NAME];
    unit_add_func_t add;
} suites[MAX_SUITES];
static int num_suites;
static Suite *suite; /* the one that is being made */

/* "test_units" and "tests/unit/base/test_units.c" mean the suite "units". */
static void name_suite(const char *file, char name[MAX_NAME])
{
    const char *base = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;

    if (strncmp(base, "test_", 5) == 0) {
        base += 5;
    }
    snprintf(name, MAX_NAME, "%.*s", (int)strcspn(base, "."), base);
}

void unit_register(const char *file, unit_add_func_t add)
{
    if (num_suites == MAX_SUITES) {
        abort();
    }
    name_suite(file, suites[num_suites].name);
    suites[num_suites++].add = add;
}

TCase *unit_case(const char *name)
{
    TCase *tests = tcase_create(name);

    tcase_set_timeout(tests, TEST_SECONDS);
    suite_add_tcase(suite, tests);
    return tests;
}

static void add_suite(SRunner *runner, int s)
{
    suite = suite_create(suites[s].name);
    suites[s].add(unit_case(suites[s].name));
    srunner_add_suite(runner, suite);
}

static void add_suite_of(SRunner *runner, const char *file)
{
    char name[MAX_NAME];

    name_suite(file, name);
    for (int s = 0; s < num_suites; s++) {
        if (strcmp(name, suites[s].name) == 0) {
            add_suite(runner, s);
            return;
        }
    }
    fprintf(stderr, "there is no suite \"%s\" here, but:", name);
    for (int s = 0; s < num_suites; s++) {
        fprintf(stderr, " %s", suites[s].name);
    }
    fprintf(stderr, "\n");
    exit(2);
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    int run, failed;

    for (int i = 1; i < argc; i++) {
        add_suite_of(runner, argv[i]);
    }
    for (int s = 0; argc == 1 && s < num_suites; s++) {
        add_suite(runner, s);
    }
    srunner_run_all(runner, CK_ENV);
    run = srunner_ntests_run(runner);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (failed > 0) {
        return EXIT_FAILURE;
    }
    return run == 0 ? SKIPPED : EXIT_SUCCESS;
}
