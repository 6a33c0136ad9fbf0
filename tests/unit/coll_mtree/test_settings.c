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

static bool differ(const char *own, const char *theirs)
{
    return coll_mtree_settings_find_difference(&own, &theirs);
}

static void assert_difference(const char *theirs, const char *own, const char *their)
{
    const char *line = LINES;

    ck_assert(coll_mtree_settings_find_difference(&line, &theirs));
    assert_line(line, own);
    assert_line(theirs, their);
}

UNIT_TEST(the_first_line_that_differs_is_named)
{
    assert_difference("protocol 8\ntrees 1\n\n1", "protocol 9", "protocol 8");
    assert_difference("protocol 9\ntrees 1\nchunk 1\n\n1", "trees 0", "trees 1");
    assert_difference("protocol 9\ntrees 0\nchunk 6553\n\n1", "chunk 65536",
                      "chunk 6553");
    assert_difference("protocol 9\ntrees 0\nchunk 655361\n\n1", "chunk 65536",
                      "chunk 655361");
}

UNIT_TEST(other_versions_have_no_line_that_differs)
{
    ck_assert(!differ(LINES, ""));
    ck_assert(!differ(LINES, "protocol 9\n\n1"));
    ck_assert(!differ(LINES, "protocol 9"));
    ck_assert(!differ("", LINES));
}

/* Older versions published the lines alone, and say which one differs. */
UNIT_TEST(older_versions_find_the_lines)
{
    const coll_mtree_settings_t own = {LINES, {1 << 30, true}};
    const char *older = "protocol 8\n", *newer = (const char *)&own;

    ck_assert(coll_mtree_settings_find_difference(&older, &newer));
    ck_assert_str_eq(newer, LINES);
}
