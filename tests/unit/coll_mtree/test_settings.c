/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes publish of their parameters, and how two of them are compared. */
#include "coll_mtree/control/settings.h"
#include "tests/unit/runner.h"

#include <string.h>

#define LINES "protocol 9\ntrees 0\nchunk 65536\n"

UNIT_TEST(what_is_published_is_equal_to_its_lines)
{
    char text[64];

    for (int threaded = 0; threaded < 2; threaded++) {
        const coll_mtree_abilities_t own = {4096, threaded == 1};
        coll_mtree_abilities_t abilities = {0, false};

        ck_assert(coll_mtree_settings_write(LINES, own, text, sizeof(text)));
        ck_assert(coll_mtree_settings_equal(LINES, text, &abilities));
        ck_assert_uint_eq(abilities.longest, 4096);
        ck_assert_int_eq(abilities.is_threaded, threaded);
    }
}

UNIT_TEST(what_does_not_fit_is_refused)
{
    const coll_mtree_abilities_t long_one = {4096, false}, short_one = {409, false};
    char text[sizeof(LINES) + 6];

    ck_assert(!coll_mtree_settings_write(LINES, long_one, text, sizeof(text)));
    ck_assert(coll_mtree_settings_write(LINES, short_one, text, sizeof(text)));
}

UNIT_TEST(others_are_not_equal)
{
    coll_mtree_abilities_t abilities = {1, false};

    ck_assert(!coll_mtree_settings_equal(LINES, NULL, &abilities));
    ck_assert(!coll_mtree_settings_equal("", "\n4096 0", &abilities));
    ck_assert(!coll_mtree_settings_equal(
        LINES, "protocol 9\ntrees 1\nchunk 65536\n\n4096 0", &abilities));
    /* One parameter more. */
    ck_assert(!coll_mtree_settings_equal(LINES, LINES "guard 1\n\n4096 0", &abilities));
    ck_assert(!coll_mtree_settings_equal(LINES, LINES, &abilities));
    ck_assert_uint_eq(abilities.longest, 1);
}

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

    ck_assert(!coll_mtree_settings_find_difference(LINES, NULL, &difference));
    ck_assert(!coll_mtree_settings_find_difference(LINES, "", &difference));
    ck_assert(
        !coll_mtree_settings_find_difference(LINES, "protocol 9\n\n1", &difference));
    ck_assert(!coll_mtree_settings_find_difference(LINES, "protocol 9", &difference));
    ck_assert(!coll_mtree_settings_find_difference("", LINES, &difference));
}
