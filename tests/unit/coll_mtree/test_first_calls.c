/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the first calls over a plan take the time that was expected, and if not, what then?
 */
#include "coll_mtree/adapt/first_calls.h"

#include <check.h>
#include <stdlib.h>

/* Calls that take @a ratio times what was expected, which grows, after one that was late;
 * the fallback was expected to take @a lead times that. */
static coll_mtree_first_calls_t watch_beside(double ratio, double lead)
{
    coll_mtree_first_calls_t first = {.calls = 0};

    coll_mtree_first_calls_add(&first, 100, 1, lead);
    for (int call = 1; call <= COLL_MTREE_FIRST_CALLS; call++) {
        ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_WATCH);
        coll_mtree_first_calls_add(&first, ratio * call, call, lead);
    }
    return first;
}

static coll_mtree_first_calls_t watch(double ratio)
{
    return watch_beside(ratio, 0);
}

START_TEST(calls_that_take_about_what_was_expected_stay)
{
    const double ratios[] = {0.51, 1, 1.99};

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(watch(ratios[i]).state, COLL_MTREE_FIRST_CALLS_STAY);
    }
}
END_TEST

START_TEST(calls_that_are_off_to_either_side_ask_for_the_fallback)
{
    coll_mtree_first_calls_t slow = watch(2.1), fast = watch(0.01);

    ck_assert_int_eq(slow.state, COLL_MTREE_FIRST_CALLS_OFF);
    ck_assert_int_eq(fast.state, COLL_MTREE_FIRST_CALLS_OFF);
    ck_assert_double_eq_tol(slow.took, 2.1 * COLL_MTREE_FIRST_CALLS, 1e-9);
    ck_assert_double_eq(slow.expected, COLL_MTREE_FIRST_CALLS);
}
END_TEST

/* On a network that carries less than its map says, the fallback may take minutes. */
START_TEST(slow_calls_stay_where_the_fallback_was_expected_to_be_slower)
{
    ck_assert_int_eq(watch_beside(2.5, 3).state, COLL_MTREE_FIRST_CALLS_STAY);
    ck_assert_int_eq(watch_beside(3.5, 3).state, COLL_MTREE_FIRST_CALLS_OFF);
    ck_assert_int_eq(watch_beside(2.1, 1.5).state, COLL_MTREE_FIRST_CALLS_OFF);
    ck_assert_int_eq(watch_beside(0.4, 3).state, COLL_MTREE_FIRST_CALLS_OFF);
}
END_TEST

START_TEST(one_call_that_is_disturbed_counts_little)
{
    coll_mtree_first_calls_t first = {.calls = 0};

    coll_mtree_first_calls_add(&first, 1, 1, 0);
    coll_mtree_first_calls_add(&first, 1, 1, 0);
    coll_mtree_first_calls_add(&first, 50, 1, 0);
    coll_mtree_first_calls_add(&first, 1, 1, 0);
    ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_STAY);
}
END_TEST

/* Make @a calls calls, of which @a expected seconds are expected; how often the ranks
 * agree. */
static int agreements(int calls, double expected)
{
    coll_mtree_first_calls_t first = {.calls = 0};
    int count = 0;

    for (int call = 0; call < calls; call++) {
        if (coll_mtree_first_calls_note(&first, call, call + expected, expected)) {
            for (int i = 0; i < first.times.count; i++) {
                ck_assert_double_eq(first.expecting[i], expected);
                coll_mtree_first_calls_add(&first, expected, expected, 0);
            }
            first.times.count = 0;
            count++;
        }
    }
    ck_assert_int_eq(first.times.count, 0);
    ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_STAY);
    return count;
}

START_TEST(of_long_calls_the_ranks_agree_after_the_last)
{
    ck_assert_int_eq(agreements(COLL_MTREE_FIRST_CALLS + 1, 0.5), 1);
    ck_assert_int_eq(agreements(COLL_MTREE_FIRST_CALLS + 1, 1e-3),
                     COLL_MTREE_FIRST_CALLS + 1);
}
END_TEST

/* A root may be done with its part before others have begun. */
START_TEST(calls_that_overlap_are_not_too_fast)
{
    const coll_mtree_call_time_t overlapping = {.seconds = 0.1, .elapsed = 1.1};

    ck_assert_double_eq(coll_mtree_first_calls_seconds(&overlapping, 1), 1);
    ck_assert_double_eq(coll_mtree_first_calls_seconds(&overlapping, 0.05), 0.1);
    ck_assert_double_eq(coll_mtree_first_calls_seconds(&overlapping, 3), 1.1);
}
END_TEST

START_TEST(the_fallback_is_timed_once_where_it_is_slow)
{
    double seconds[COLL_MTREE_FALLBACK_CALLS] = {0.01, 0.01, 0.2};

    ck_assert(coll_mtree_first_calls_goes_on(seconds, 0));
    ck_assert(coll_mtree_first_calls_goes_on(seconds, 1));
    ck_assert(coll_mtree_first_calls_goes_on(seconds, 2));
    ck_assert(!coll_mtree_first_calls_goes_on(seconds, 3));
    ck_assert(!coll_mtree_first_calls_goes_on(seconds, COLL_MTREE_FALLBACK_CALLS));
}
END_TEST

START_TEST(calls_leave_where_the_fallback_gains_enough)
{
    double warm[COLL_MTREE_FALLBACK_CALLS] = {9, 1, 1.1, 0.9}, slow[] = {1};
    coll_mtree_first_calls_t first = {.took = 1.2};

    coll_mtree_first_calls_judge(&first, warm, COLL_MTREE_FALLBACK_CALLS);
    ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_LEAVE);
    ck_assert_double_eq(first.fallback, 1);
    first.took = 1.19;
    coll_mtree_first_calls_judge(&first, slow, 1);
    ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_STAY);
}
END_TEST

START_TEST(without_a_time_of_the_fallback_calls_stay)
{
    coll_mtree_first_calls_t first = {.took = 5};

    coll_mtree_first_calls_judge(&first, NULL, 0);
    ck_assert_int_eq(first.state, COLL_MTREE_FIRST_CALLS_STAY);
}
END_TEST

START_TEST(the_line_names_times_and_consequence)
{
    coll_mtree_first_calls_t first = {.state = COLL_MTREE_FIRST_CALLS_LEAVE,
                                      .expected = 28.5e-3,
                                      .took = 290e-6,
                                      .fallback = 110e-6};
    char text[COLL_MTREE_FIRST_CALLS_TEXT];

    coll_mtree_first_calls_format(&first, MTREE_ALLREDUCE, 156 << 10, text);
    ck_assert_str_eq(text,
                     "allreduce of about 156 KB: 290 us over trees, not 28.5 ms as "
                     "predicted, and 110 us by Open MPI, so the topology is not the "
                     "network; from here on served by Open MPI");
}
END_TEST

/* What the plan without promises is what calls would take at best. */
START_TEST(relays_are_doubted_where_calls_take_more_than_is_promised_without)
{
    coll_mtree_first_calls_t first = watch(1.5), slow = watch(2.1);
    double took = 1.5 * COLL_MTREE_FIRST_CALLS;

    ck_assert(coll_mtree_first_calls_doubt_relays(&first, 0.99 * took));
    ck_assert(!coll_mtree_first_calls_doubt_relays(&first, 1.01 * took));
    ck_assert(!coll_mtree_first_calls_doubt_relays(&first, 0));
    /* The fallback is asked first. */
    ck_assert(!coll_mtree_first_calls_doubt_relays(&slow, 0.1));
    slow.state = COLL_MTREE_FIRST_CALLS_LEAVE;
    ck_assert(!coll_mtree_first_calls_doubt_relays(&slow, 0.1));
}
END_TEST

/* Sums that round change their order for more. */
START_TEST(relays_are_left_where_they_lose)
{
    coll_mtree_first_calls_t first = watch(1.5);
    double took = 1.5 * COLL_MTREE_FIRST_CALLS;

    ck_assert(coll_mtree_first_calls_leave_relays(&first, took / 1.04, false));
    ck_assert(!coll_mtree_first_calls_leave_relays(&first, took / 1.02, false));
    ck_assert(coll_mtree_first_calls_leave_relays(&first, took / 1.21, true));
    ck_assert(!coll_mtree_first_calls_leave_relays(&first, took / 1.19, true));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("first_calls");
    TCase *tcase = tcase_create("first_calls");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, calls_that_take_about_what_was_expected_stay);
    tcase_add_test(tcase, calls_that_are_off_to_either_side_ask_for_the_fallback);
    tcase_add_test(tcase, slow_calls_stay_where_the_fallback_was_expected_to_be_slower);
    tcase_add_test(tcase, one_call_that_is_disturbed_counts_little);
    tcase_add_test(tcase, of_long_calls_the_ranks_agree_after_the_last);
    tcase_add_test(tcase, calls_that_overlap_are_not_too_fast);
    tcase_add_test(tcase, the_fallback_is_timed_once_where_it_is_slow);
    tcase_add_test(tcase, calls_leave_where_the_fallback_gains_enough);
    tcase_add_test(tcase, without_a_time_of_the_fallback_calls_stay);
    tcase_add_test(tcase, the_line_names_times_and_consequence);
    tcase_add_test(tcase,
                   relays_are_doubted_where_calls_take_more_than_is_promised_without);
    tcase_add_test(tcase, relays_are_left_where_they_lose);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
