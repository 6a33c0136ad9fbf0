/* SPDX-License-Identifier: BSD-3-Clause */
/* How the parameters that two processes have published are compared. */
#include "coll_mtree/control/settings.h"
#include "tests/unit/runner.h"

#include <string.h>

#define LINES "protocol 9\ntrees 0\nchunk 65536\n"

static void assert_line(const char *line, const char *expected)
{
    ck_assert_uint_eq(strcspn(line, "\n"), strlen(expected));
    ck_assert_int_eq(strncmp(line, expected, strlen(expected)), 0);
}

UNIT_TEST(the_first_line_that_differs_is_named)
{
    static const struct {
        const char *theirs, *own, *their; /* NULL: none; which versions do not have */
    } cases[] = {
        {"protocol 8\ntrees 1\n\n1", "protocol 9", "protocol 8"},
        {"protocol 9\ntrees 1\nchunk 1\n\n1", "trees 0", "trees 1"},
        {"protocol 9\ntrees 0\nchunk 6553\n\n1", "chunk 65536", "chunk 6553"},
        {"protocol 9\ntrees 0\nchunk 655361\n\n1", "chunk 65536", "chunk 655361"},
        {"", NULL, NULL},
        {"protocol 9\n\n1", NULL, NULL},
        {"protocol 9", NULL, NULL}};
    const char *own = "", *theirs = LINES;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *line = LINES, *their_line = cases[i].theirs;

        ck_assert_int_eq(coll_mtree_settings_find_difference(&line, &their_line),
                         cases[i].own != NULL);
        if (cases[i].own != NULL) {
            assert_line(line, cases[i].own);
            assert_line(their_line, cases[i].their);
        }
    }
    ck_assert(!coll_mtree_settings_find_difference(&own, &theirs));
}

/* Older versions published the lines alone, and say which one differs. */
UNIT_TEST(older_versions_find_the_lines)
{
    const coll_mtree_settings_t own = {LINES, {1 << 30, true}};
    const char *older = "protocol 8\n", *newer = (const char *)&own;

    ck_assert(coll_mtree_settings_find_difference(&older, &newer));
    ck_assert_str_eq(newer, LINES);
}
