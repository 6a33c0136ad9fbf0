/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names are of the same host. */
#include "base/host_name.h"
#include "tests/unit/runner.h"

static const char *const same[][2] = {
    {"node01", "Node01"},
    {"n1.site-a.org", "n1.Site-A.ORG."},
    {"2001:db8::1", "2001:0DB8:0:0:0:0:0:1"},
    {"::ffff:10.0.0.1", "::FFFF:a00:1"},
    {"10.0.0.1", "10.0.0.1"},
    {".", "."},
    {"\xc3\xa4.x", "\xc3\xa4.X"},
};

UNIT_EACH(names_have_no_case_and_may_end_with_a_dot, same)
{
    ck_assert_int_eq(mtree_host_name_compare(same[_i][0], same[_i][1]), 0);
    ck_assert_int_eq(mtree_host_name_compare(same[_i][1], same[_i][0]), 0);
}

UNIT_TEST(other_names_are_ordered)
{
    static const char *const rising[] = {"10.0.0.1", "10.0.0.2", "2001:db8::1",
                                         "1.2.3",    "A",        "a.b",
                                         "B",        "b1",       "z\xc3\x84"};
    const int count = sizeof(rising) / sizeof(rising[0]);

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            const int order = mtree_host_name_compare(rising[i], rising[j]);

            ck_assert_int_eq((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    ck_assert_int_ne(mtree_host_name_compare("10.0.0.1", "10.0.0.1."), 0);
    ck_assert_int_ne(mtree_host_name_compare("a", "a.."), 0);
}

UNIT_TEST(labels_are_compared_up_to_the_first_dot)
{
    ck_assert(mtree_host_name_same_label("n1", "N1.site"));
    ck_assert(mtree_host_name_same_label("n1.a", "n1.b"));
    ck_assert(mtree_host_name_same_label("n1.", "n1"));
    ck_assert(!mtree_host_name_same_label("n1", "n11.site"));
    ck_assert(!mtree_host_name_same_label("10.0.0.1", "10.0.0.2"));
    ck_assert(!mtree_host_name_same_label("10", "10.0.0.2"));
    ck_assert(!mtree_host_name_same_label("fd00::1", "fd00::1"));
}

UNIT_TEST(a_label_ends_before_the_first_dot)
{
    ck_assert_uint_eq(mtree_host_name_label("n1.site.org"), 2);
    ck_assert_uint_eq(mtree_host_name_label("n1"), 2);
    ck_assert_uint_eq(mtree_host_name_label("10.0.0.1"), 8);
    ck_assert_uint_eq(mtree_host_name_label("fd00::1"), 7);
}
