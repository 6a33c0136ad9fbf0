/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls may be part of a trial. */
#include "coll_mtree/select/trial_rule.h"

#include <check.h>
#include <stdlib.h>

static const coll_mtree_reduction_t sum_of_floats = {.is_intrinsic = true,
                                                     .is_predefined = true};
static const coll_mtree_reduction_t sum_of_integers = {
    .is_intrinsic = true, .is_predefined = true, .is_integer = true};
static const coll_mtree_reduction_t all_of_bools = {
    .is_intrinsic = true, .is_logical = true, .is_predefined = true};
static const coll_mtree_reduction_t users_own = {.is_predefined = true,
                                                 .is_integer = true};

START_TEST(operations_on_floats_and_the_users_have_an_order)
{
    ck_assert(coll_mtree_reduction_has_order(&sum_of_floats));
    ck_assert(coll_mtree_reduction_has_order(&users_own));
    ck_assert(!coll_mtree_reduction_has_order(&sum_of_integers));
    ck_assert(!coll_mtree_reduction_has_order(&all_of_bools));
}
END_TEST

START_TEST(only_data_of_mpis_own_is_plain)
{
    coll_mtree_reduction_t reduction = sum_of_integers;

    ck_assert(coll_mtree_reduction_is_plain(&reduction));
    ck_assert(!coll_mtree_reduction_is_plain(&users_own));
    reduction.reaches_below = true;
    ck_assert(!coll_mtree_reduction_is_plain(&reduction));
    reduction.reaches_below = reduction.is_predefined = false;
    ck_assert(!coll_mtree_reduction_is_plain(&reduction));
    ck_assert(coll_mtree_reduction_has_order(&reduction));
}
END_TEST

START_TEST(by_default_calls_that_do_not_round_are_tried)
{
    const int by_default = 0;

    ck_assert(coll_mtree_trial_is_allowed(NULL, by_default, false));
    ck_assert(coll_mtree_trial_is_allowed(&sum_of_integers, by_default, false));
    ck_assert(coll_mtree_trial_is_allowed(&all_of_bools, by_default, false));
    ck_assert(!coll_mtree_trial_is_allowed(&sum_of_floats, by_default, false));
    ck_assert(!coll_mtree_trial_is_allowed(&users_own, by_default, false));
}
END_TEST

START_TEST(calls_that_round_are_tried_where_the_user_allows_it)
{
    ck_assert(coll_mtree_trial_is_allowed(&sum_of_floats, 1, false));
    ck_assert(!coll_mtree_trial_is_allowed(&users_own, 1, false));
    ck_assert(!coll_mtree_trial_is_allowed(&sum_of_floats, 1, true));
    ck_assert(coll_mtree_trial_is_allowed(&sum_of_integers, 1, true));
}
END_TEST

START_TEST(sums_that_round_keep_their_order_unless_the_user_allows_more)
{
    ck_assert(coll_mtree_order_is_kept(&sum_of_floats, 0, false));
    ck_assert(coll_mtree_order_is_kept(&users_own, -1, false));
    ck_assert(coll_mtree_order_is_kept(&sum_of_floats, 1, true));
    ck_assert(!coll_mtree_order_is_kept(&sum_of_floats, 1, false));
    ck_assert(!coll_mtree_order_is_kept(&sum_of_integers, 0, true));
}
END_TEST

START_TEST(nothing_is_tried_where_the_user_forbids_it)
{
    ck_assert(!coll_mtree_trial_is_allowed(NULL, -1, false));
    ck_assert(!coll_mtree_trial_is_allowed(&sum_of_integers, -1, false));
    ck_assert(!coll_mtree_trial_is_allowed(&sum_of_floats, -1, false));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial_rule");
    TCase *tcase = tcase_create("trial_rule");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, operations_on_floats_and_the_users_have_an_order);
    tcase_add_test(tcase, only_data_of_mpis_own_is_plain);
    tcase_add_test(tcase, by_default_calls_that_do_not_round_are_tried);
    tcase_add_test(tcase, calls_that_round_are_tried_where_the_user_allows_it);
    tcase_add_test(tcase, sums_that_round_keep_their_order_unless_the_user_allows_more);
    tcase_add_test(tcase, nothing_is_tried_where_the_user_forbids_it);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
