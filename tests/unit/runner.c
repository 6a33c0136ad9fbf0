/* SPDX-License-Identifier: BSD-3-Clause */
/* run [FILE|NAME...]: run these suites of a room's unit tests, or all. */
#include "tests/unit/runner.h"

/* A test that takes longer hangs.  CK_TIMEOUT_MULTIPLIER is for slow machines. */
#define TEST_SECONDS 60
#define MAX_PARTS    1024
#define MAX_NAME     64
#define SKIPPED      77 /* automake's exit status of a test that could not run */

static struct {
    char name[MAX_NAME];
    unit_add_func_t add;
} parts[MAX_PARTS]; /* of suites, those of a suite one after the other */
static int num_parts;
static Suite *suite;  /* the one that is being made */
static bool is_whole; /* it */

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
    if (num_parts == MAX_PARTS) {
        abort();
    }
    name_suite(file, parts[num_parts].name);
    parts[num_parts++].add = add;
}

void unit_end_suite_unless(bool goes_on)
{
    is_whole = !goes_on;
}

TCase *unit_case(const char *name)
{
    TCase *tests = tcase_create(name);

    tcase_set_timeout(tests, TEST_SECONDS);
    tcase_add_checked_fixture(tests, heard_start, NULL);
    suite_add_tcase(suite, tests);
    return tests;
}

int unit_loops(int few, int many)
{
    return getenv("MTREE_THOROUGH") != NULL ? many : few;
}

/* Add the suite that begins with a part, and return where the next one begins. */
static int add_suite(SRunner *runner, int first)
{
    const char *name = parts[first].name;
    TCase *tests;
    int p;

    is_whole = false;
    suite = suite_create(name);
    tests = unit_case(name);
    for (p = first; p < num_parts && strcmp(parts[p].name, name) == 0; p++) {
        if (!is_whole) {
            parts[p].add(tests);
        }
    }
    srunner_add_suite(runner, suite);
    return p;
}

static void add_suite_of(SRunner *runner, const char *file)
{
    char name[MAX_NAME];

    name_suite(file, name);
    for (int p = 0; p < num_parts; p++) {
        if (strcmp(name, parts[p].name) == 0) {
            (void)add_suite(runner, p);
            return;
        }
    }
    fprintf(stderr, "there is no suite \"%s\" here, but:", name);
    for (int p = 0; p < num_parts; p++) {
        if (p == 0 || strcmp(parts[p].name, parts[p - 1].name) != 0) {
            fprintf(stderr, " %s", parts[p].name);
        }
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
    for (int p = 0; argc == 1 && p < num_parts;) {
        p = add_suite(runner, p);
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
