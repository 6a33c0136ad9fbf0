/* SPDX-License-Identifier: BSD-3-Clause */
/* How the parameters that two processes have published are compared. */
#include "coll_mtree/control/settings.h"
#include "tests/unit/runner.h"

#include <string.h>

#define LINES "protocol 9\ntrees 0\nchunk 65536\n"

static void assert_difference(const char *theirs, const char *own, const char *their)
{
    coll_mtree_settings_difference_t difference;

    ck_assert(coll_mtree_settings_find_difference(LINES, theirs, &difference));
    ck_assert_int_eq(difference.own_length, (int)strlen(own));
    ck_assert_int_eq(strncmp(difference.own, own, strlen(own)), 0);
    ck_assert_int_eq(difference.their_length, (int)strlen(their));
    ck_assert_int_eq(strncmp(difference.theirs, their, strlen(their)), 0);
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
    coll_mtree_settings_difference_t difference;

    ck_assert(!coll_mtree_settings_find_difference(LINES, "", &difference));
    ck_assert(
        !coll_mtree_settings_find_difference(LINES, "protocol 9\n\n1", &difference));
    ck_assert(!coll_mtree_settings_find_difference(LINES, "protocol 9", &difference));
    ck_assert(!coll_mtree_settings_find_difference("", LINES, &difference));
}

/* Older versions published the lines alone, and say which one differs. */
UNIT_TEST(older_versions_find_the_lines)
{
    const coll_mtree_settings_t own = {LINES, {1 << 30, true}};
    coll_mtree_settings_difference_t difference;

    ck_assert(coll_mtree_settings_find_difference("protocol 8\n", (const char *)&own,
                                                  &difference));
    ck_assert_str_eq(difference.theirs, LINES);
}
