/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tags calls and persistent requests take. */
#include "coll_mtree/base/tag_range.h"

#include <check.h>
#include <stdlib.h>

#define LIMIT 1000

START_TEST(tags_go_down_from_the_middle)
{
    coll_mtree_tag_range_t range = {{0, 0}};

    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 3, false), -500);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 10, false), -503);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 1, false), -513);
}
END_TEST

START_TEST(persistent_requests_have_tags_of_their_own)
{
    coll_mtree_tag_range_t range = {{0, 0}};

    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 3, true), -750);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 3, false), -500);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 3, true), -753);
}
END_TEST

START_TEST(a_range_is_used_again_when_the_tags_do_not_fit_and_never_left)
{
    coll_mtree_tag_range_t range = {{0, 0}};
    int most = coll_mtree_tag_range_most(LIMIT);

    ck_assert_int_eq(most, 250);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, most, false), -500);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, most, false), -500);
    ck_assert_int_eq(coll_mtree_tag_range_take(&range, LIMIT, 1, false), -500);
    for (int i = 0; i < 10000; i++) {
        int count = 1 + i % 37, persistent = i % 3 == 0;
        int first = coll_mtree_tag_range_take(&range, LIMIT, count, persistent);

        ck_assert_int_le(first, persistent ? -750 : -500);
        ck_assert_int_gt(first - count, persistent ? -1001 : -751);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tag_range");
    TCase *tcase = tcase_create("tag_range");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, tags_go_down_from_the_middle);
    tcase_add_test(tcase, persistent_requests_have_tags_of_their_own);
    tcase_add_test(tcase, a_range_is_used_again_when_the_tags_do_not_fit_and_never_left);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
