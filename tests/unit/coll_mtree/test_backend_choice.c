/* SPDX-License-Identifier: BSD-3-Clause */
/* Which backend serves a call, and why it is the fallback. */
#include "coll_mtree/call/backend_choice.h"

#include <check.h>
#include <stdlib.h>

START_TEST(a_call_that_nothing_speaks_against_is_possible)
{
    const coll_mtree_call_facts_t facts = {.is_supported = true, .has_tags = true};
    coll_mtree_fallback_reason_t reason = COLL_MTREE_REASONS;

    ck_assert(coll_mtree_backend_is_possible(&facts, &reason));
    ck_assert_int_eq(reason, COLL_MTREE_REASONS);
}
END_TEST

START_TEST(the_first_obstacle_is_the_reason)
{
    coll_mtree_call_facts_t facts = {.is_unserved = true};
    coll_mtree_fallback_reason_t reason;

    ck_assert(!coll_mtree_backend_is_possible(&facts, &reason));
    ck_assert_int_eq(reason, COLL_MTREE_REASON_CALL);
    facts.is_supported = true;
    ck_assert(!coll_mtree_backend_is_possible(&facts, &reason));
    ck_assert_int_eq(reason, COLL_MTREE_REASON_GROUP);
    facts.is_unserved = false;
    ck_assert(!coll_mtree_backend_is_possible(&facts, &reason));
    ck_assert_int_eq(reason, COLL_MTREE_REASON_TAGS);
}
END_TEST

START_TEST(a_plan_that_is_not_known_is_to_be_made)
{
    const coll_mtree_plan_facts_t facts = {.confidence = MTREE_FORECAST_SLOWER,
                                           .is_autotuned = true,
                                           .selected = COLL_MTREE_FALLBACK};

    ck_assert_int_eq(coll_mtree_backend_choose(&facts), COLL_MTREE_TREES);
}
END_TEST

START_TEST(the_fallback_serves_meanwhile_where_bits_stay_and_it_is_allowed)
{
    ck_assert(coll_mtree_backend_may_leave(false, 1));
    ck_assert(!coll_mtree_backend_may_leave(true, 1));
    ck_assert(!coll_mtree_backend_may_leave(false, 0));
}
END_TEST

START_TEST(calls_look_for_their_plan_ever_more_seldom)
{
    unsigned looks = 0;

    ck_assert(coll_mtree_backend_looks(1));
    ck_assert(coll_mtree_backend_looks(2));
    ck_assert(!coll_mtree_backend_looks(3));
    for (unsigned call = 1; call <= 1024; call++) {
        looks += coll_mtree_backend_looks(call);
    }
    ck_assert_uint_eq(looks, 11);
}
END_TEST

START_TEST(the_autotuner_selects_for_autotuned_calls)
{
    for (int b = 0; b < COLL_MTREE_BACKENDS; b++) {
        const coll_mtree_plan_facts_t facts = {.is_known = true,
                                               .has_plan = true,
                                               .is_autotuned = true,
                                               .selected = (coll_mtree_backend_t)b};

        ck_assert_int_eq(coll_mtree_backend_choose(&facts), b);
    }
}
END_TEST

START_TEST(the_forecast_chooses_for_others)
{
    const struct {
        mtree_confidence_t confidence;
        coll_mtree_backend_t backend;
    } cases[] = {{MTREE_FORECAST_FASTER, COLL_MTREE_TREES},
                 {MTREE_FORECAST_MAYBE_FASTER, COLL_MTREE_TREES},
                 {MTREE_FORECAST_MAYBE_SLOWER, COLL_MTREE_FALLBACK},
                 {MTREE_FORECAST_SLOWER, COLL_MTREE_FALLBACK}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        coll_mtree_plan_facts_t facts = {
            .is_known = true, .has_plan = true, .confidence = cases[i].confidence};

        ck_assert_int_eq(coll_mtree_backend_choose(&facts), cases[i].backend);
        facts.has_plan = false;
        ck_assert_int_eq(coll_mtree_backend_choose(&facts), COLL_MTREE_FALLBACK);
    }
}
END_TEST

START_TEST(every_fallback_has_a_reason)
{
    coll_mtree_plan_facts_t facts = {.is_unserved = true,
                                     .is_known = true,
                                     .is_autotuned = true,
                                     .is_timed = true,
                                     .trials = 1};

    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_GROUP);
    facts.is_unserved = false;
    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_PLAN);
    facts.has_plan = true;
    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_TRIAL);
    facts.is_timed = false;
    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_MEASURED);
    facts.trials = 0;
    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_FORECAST);
    /* What was measured of others does not apply to calls that are not autotuned. */
    facts.trials = 1;
    facts.is_timed = true;
    facts.is_autotuned = false;
    ck_assert_int_eq(coll_mtree_backend_reason(&facts), COLL_MTREE_REASON_FORECAST);
}
END_TEST

START_TEST(who_adds_stays_the_same)
{
    const coll_mtree_plan_facts_t unknown = {0};
    const coll_mtree_plan_facts_t close = {
        .is_known = true, .has_plan = true, .confidence = MTREE_FORECAST_MAYBE_FASTER};
    coll_mtree_summation_backend_t summation = {.is_set = false};

    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &unknown, false, false),
        COLL_MTREE_TREES);
    ck_assert(!coll_mtree_summation_backend_set(&summation, COLL_MTREE_TREES, 0));
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_FALLBACK, &close, true, false),
        COLL_MTREE_TREES);
    summation.backend = COLL_MTREE_FALLBACK;
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &close, true, false),
        COLL_MTREE_FALLBACK);
    /* A nonblocking call cannot wait for what it would learn. */
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &unknown, false, false),
        COLL_MTREE_FALLBACK);
}
END_TEST

START_TEST(sums_that_changed_to_trees_stay_there_after_another_plan)
{
    coll_mtree_summation_backend_t summation = {.is_set = false};

    ck_assert(
        coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_MAYBE_FASTER));
    ck_assert(!coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_SLOWER));
    summation =
        (coll_mtree_summation_backend_t){.is_set = true, .backend = COLL_MTREE_FALLBACK};
    ck_assert(
        !coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_MAYBE_FASTER));
    ck_assert(coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_FASTER));
    summation.backend = COLL_MTREE_TREES;
    ck_assert(!coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_SLOWER));
    summation.has_changed = true;
    ck_assert(coll_mtree_backend_goes_over_trees(&summation, MTREE_FORECAST_SLOWER));
}
END_TEST

START_TEST(without_tags_no_order_is_kept)
{
    const coll_mtree_plan_facts_t spent = {.lacks_tags = true};
    coll_mtree_summation_backend_t summation = {
        .is_set = true, .backend = COLL_MTREE_TREES, .has_changed = true};

    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_FALLBACK, &spent, false, false),
        COLL_MTREE_FALLBACK);
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_FALLBACK, &spent, false, true),
        COLL_MTREE_FALLBACK);
}
END_TEST

START_TEST(trees_that_are_clearly_faster_take_over_once)
{
    const coll_mtree_plan_facts_t faster = {
        .is_known = true, .has_plan = true, .confidence = MTREE_FORECAST_FASTER};
    const coll_mtree_plan_facts_t unknown = {0};
    coll_mtree_summation_backend_t summation = {.is_set = false};

    ck_assert(!coll_mtree_summation_backend_set(&summation, COLL_MTREE_FALLBACK, 0));
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &faster, true, true),
        COLL_MTREE_FALLBACK);
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &faster, false, false),
        COLL_MTREE_TREES);
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &unknown, true, false),
        COLL_MTREE_TREES);
    ck_assert(coll_mtree_summation_backend_set(&summation, COLL_MTREE_TREES, 0));
    ck_assert(coll_mtree_summation_backend_set(&summation, COLL_MTREE_FALLBACK, 0));
    ck_assert_int_eq(
        coll_mtree_backend_keep(&summation, COLL_MTREE_TREES, &faster, true, false),
        COLL_MTREE_FALLBACK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("backend_choice");
    TCase *tcase = tcase_create("backend_choice");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, a_call_that_nothing_speaks_against_is_possible);
    tcase_add_test(tcase, the_first_obstacle_is_the_reason);
    tcase_add_test(tcase, a_plan_that_is_not_known_is_to_be_made);
    tcase_add_test(tcase,
                   the_fallback_serves_meanwhile_where_bits_stay_and_it_is_allowed);
    tcase_add_test(tcase, calls_look_for_their_plan_ever_more_seldom);
    tcase_add_test(tcase, the_autotuner_selects_for_autotuned_calls);
    tcase_add_test(tcase, who_adds_stays_the_same);
    tcase_add_test(tcase, sums_that_changed_to_trees_stay_there_after_another_plan);
    tcase_add_test(tcase, without_tags_no_order_is_kept);
    tcase_add_test(tcase, trees_that_are_clearly_faster_take_over_once);
    tcase_add_test(tcase, the_forecast_chooses_for_others);
    tcase_add_test(tcase, every_fallback_has_a_reason);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
