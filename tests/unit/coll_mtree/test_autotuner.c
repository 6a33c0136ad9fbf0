/* SPDX-License-Identifier: BSD-3-Clause */
/* Which backend the autotuner of a call class selects, by what calls take. */
#include "tests/unit/coll_mtree/trial.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static void assert_candidates(const coll_mtree_autotuner_t *autotuner, int count,
                              const coll_mtree_backend_t *backends)
{
    ck_assert_int_eq(autotuner->num_candidates, count);
    for (int c = 0; c < count; c++) {
        ck_assert_int_eq(autotuner->candidates[c].backend, backends[c]);
    }
}

/* Make one timed call for each candidate that is left. */
static void run_round(coll_mtree_autotuner_t *autotuner, const trial_times_t times)
{
    coll_mtree_selection_t selection;
    int round = autotuner->round;

    while (autotuner->trying && autotuner->round == round) {
        (void)trial_call(autotuner, times, &selection);
    }
}

static int left_in(const coll_mtree_autotuner_t *autotuner)
{
    int left = 0;

    for (int c = 0; c < autotuner->num_candidates; c++) {
        left += !autotuner->candidates[c].out;
    }
    return left;
}

START_TEST(a_clear_forecast_decides_alone)
{
    coll_mtree_autotuner_t autotuner;
    coll_mtree_selection_t selection;

    ck_assert(!trial_init(&autotuner, MTREE_FORECAST_FASTER, 0));
    assert_candidates(&autotuner, 1, (coll_mtree_backend_t[]){COLL_MTREE_TREES});
    for (int i = 0; i < 3000; i++) {
        selection = coll_mtree_autotuner_select(&autotuner);
        ck_assert(selection.backend == COLL_MTREE_TREES && !selection.timed &&
                  selection.base_algorithm == 0);
    }
    ck_assert(!trial_init(&autotuner, MTREE_FORECAST_SLOWER, 0));
    assert_candidates(&autotuner, 1, (coll_mtree_backend_t[]){COLL_MTREE_FALLBACK});
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_FALLBACK);
    ck_assert(!coll_mtree_autotuner_select(&autotuner).timed);
}
END_TEST

START_TEST(what_is_expected_to_be_fastest_comes_first)
{
    coll_mtree_autotuner_t autotuner;

    ck_assert(trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 1u << 1 | 1u << 3));
    assert_candidates(
        &autotuner, 5,
        (coll_mtree_backend_t[]){COLL_MTREE_TREES, COLL_MTREE_RING, COLL_MTREE_FALLBACK,
                                 COLL_MTREE_BASE_ALGORITHM, COLL_MTREE_BASE_ALGORITHM});
    ck_assert_int_eq(autotuner.candidates[3].base_algorithm, 1);
    ck_assert_int_eq(autotuner.candidates[4].base_algorithm, 3);
    ck_assert(trial_init(&autotuner, MTREE_FORECAST_MAYBE_SLOWER, 0));
    assert_candidates(
        &autotuner, 3,
        (coll_mtree_backend_t[]){COLL_MTREE_FALLBACK, COLL_MTREE_TREES, COLL_MTREE_RING});
    ck_assert(!trial_init(&autotuner, MTREE_FORECAST_FASTER, 1u << 1));
    assert_candidates(
        &autotuner, 2,
        (coll_mtree_backend_t[]){COLL_MTREE_TREES, COLL_MTREE_BASE_ALGORITHM});
    ck_assert(autotuner.trying);
}
END_TEST

START_TEST(a_ring_is_for_long_messages_without_a_root_and_without_open_mpis_ring)
{
    const mtree_forecast_t open = {.confidence = MTREE_FORECAST_MAYBE_FASTER,
                                   .base_algorithms = 0};
    mtree_forecast_t with_ring = open;
    coll_mtree_autotuner_t autotuner;
    coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, 4096);

    ck_assert(coll_mtree_autotuner_init(&autotuner, &call_class, open, true));
    call_class = trial_class(MTREE_ALLREDUCE, 4095);
    ck_assert(!coll_mtree_autotuner_init(&autotuner, &call_class, open, true));
    call_class = trial_class(MTREE_BCAST, MB);
    ck_assert(!coll_mtree_autotuner_init(&autotuner, &call_class, open, true));
    call_class = trial_class(MTREE_ALLREDUCE, MB);
    for (int a = 1; a <= MTREE_BASE_ALGORITHMS; a++) {
        const char *name = mtree_base_algorithm_name(MTREE_ALLREDUCE, a);

        if (name != NULL && strcmp(name, "ring") == 0) {
            with_ring.base_algorithms = 1u << a;
        }
    }
    ck_assert_uint_ne(with_ring.base_algorithms, 0);
    ck_assert(!coll_mtree_autotuner_init(&autotuner, &call_class, with_ring, true));
}
END_TEST

START_TEST(one_that_is_not_enabled_goes_by_the_forecast)
{
    coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, MB);
    coll_mtree_autotuner_t autotuner;

    ck_assert(!coll_mtree_autotuner_init(
        &autotuner, &call_class,
        (mtree_forecast_t){.confidence = MTREE_FORECAST_MAYBE_SLOWER,
                           .base_algorithms = 6},
        false));
    assert_candidates(&autotuner, 2,
                      (coll_mtree_backend_t[]){COLL_MTREE_FALLBACK, COLL_MTREE_TREES});
    ck_assert(!autotuner.open && !autotuner.trying);
    ck_assert_int_eq(coll_mtree_autotuner_select(&autotuner).backend,
                     COLL_MTREE_FALLBACK);
}
END_TEST

START_TEST(where_the_fallback_is_clearly_faster_the_first_calls_are_its)
{
    const trial_times_t times = {
        [COLL_MTREE_FALLBACK] = 2e-3, [COLL_MTREE_BASE_ALGORITHM] = 1e-3};
    coll_mtree_selection_t selection;
    coll_mtree_autotuner_t autotuner;

    ck_assert(!trial_init(&autotuner, MTREE_FORECAST_SLOWER, 1u << 2));
    for (int i = 0; i < COLL_MTREE_AUTOTUNER_DELAY; i++) {
        ck_assert(!trial_call(&autotuner, times, &selection));
        ck_assert(selection.backend == COLL_MTREE_FALLBACK && !selection.timed);
    }
    (void)trial_call(&autotuner, times, &selection);
    ck_assert(selection.timed);
    (void)trial_run(&autotuner, times);
    selection = coll_mtree_autotuner_select(&autotuner);
    ck_assert_int_eq(selection.backend, COLL_MTREE_BASE_ALGORITHM);
    ck_assert_int_eq(selection.base_algorithm, 2);
}
END_TEST

START_TEST(trees_that_are_expected_to_be_as_fast_serve_before_the_first_trial)
{
    const struct {
        mtree_forecast_t forecast;
        int trusted;
    } cases[] = {
        {{.confidence = MTREE_FORECAST_MAYBE_FASTER, .seconds = 1, .fallback = 1.2},
         COLL_MTREE_AUTOTUNER_TRUST},
        {{.confidence = MTREE_FORECAST_FASTER,
          .base_algorithms = 2,
          .seconds = 1,
          .fallback = 3},
         COLL_MTREE_AUTOTUNER_TRUST},
        {{.confidence = MTREE_FORECAST_MAYBE_FASTER, .seconds = 1}, 0},
        {{.confidence = MTREE_FORECAST_MAYBE_SLOWER, .seconds = 1, .fallback = 0.7}, 0},
    };
    coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, MB);
    coll_mtree_autotuner_t autotuner;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)coll_mtree_autotuner_init(&autotuner, &call_class, cases[i].forecast, true);
        for (int call = 0; call < cases[i].trusted; call++) {
            coll_mtree_selection_t selection = coll_mtree_autotuner_select(&autotuner);

            ck_assert(selection.backend == COLL_MTREE_TREES && !selection.timed);
        }
        ck_assert(coll_mtree_autotuner_select(&autotuner).timed);
    }
}
END_TEST

START_TEST(short_calls_are_preceded_by_an_untimed_one_after_the_warm_up)
{
    const trial_times_t times = {1e-4, 1e-4, 1e-4, 1e-4};
    coll_mtree_selection_t selection;
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    for (int c = 0; c < 3; c++) {
        (void)trial_call(&autotuner, times, &selection);
        ck_assert(selection.timed);
    }
    for (int c = 0; c < 3; c++) {
        coll_mtree_backend_t backend = autotuner.candidates[c].backend;

        (void)trial_call(&autotuner, times, &selection);
        ck_assert(!selection.timed && selection.backend == backend);
        (void)trial_call(&autotuner, times, &selection);
        ck_assert(selection.timed && selection.backend == backend);
    }
    /* A warm-up, and eight rounds of two calls each. */
    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    ck_assert_int_eq(trial_run(&autotuner, times), 3 + 8 * 2 * 3);
    ck_assert_int_eq(autotuner.measured, 3 + 8 * 2 * 3);
    ck_assert_int_eq(autotuner.calls, 0);
    ck_assert_int_eq(autotuner.trials, 1);
}
END_TEST

START_TEST(calls_that_are_not_short_are_all_timed)
{
    const trial_times_t times = {0.011, 0.011, 0.011, 0.011};
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    /* Nine calls of 11 ms are the first that take 100 ms, after at least three rounds. */
    ck_assert_int_eq(trial_run(&autotuner, times), 3 + 4 * 3);
}
END_TEST

START_TEST(clearly_slower_candidates_leave_after_three_rounds_slower_ones_after_five)
{
    const trial_times_t times = {
        [COLL_MTREE_TREES] = 1e-4, [COLL_MTREE_RING] = 1.3e-4, [COLL_MTREE_FALLBACK] = 1};
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    /* What they take says nothing before. */
    for (int round = 0; round < 3; round++) {
        run_round(&autotuner, times);
        ck_assert_int_eq(left_in(&autotuner), 3);
    }
    run_round(&autotuner, times);
    ck_assert(!autotuner.trying);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_TREES);
}
END_TEST

START_TEST(a_candidate_that_is_a_little_slower_leaves_after_five_rounds)
{
    const trial_times_t times = {[COLL_MTREE_TREES] = 1.3e-4,
                                 [COLL_MTREE_RING] = 1e-4,
                                 [COLL_MTREE_FALLBACK] = 1.6e-4};
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    for (int round = 0; round <= 3; round++) {
        run_round(&autotuner, times);
    }
    ck_assert_int_eq(left_in(&autotuner), 2);
    run_round(&autotuner, times);
    ck_assert_int_eq(left_in(&autotuner), 2);
    run_round(&autotuner, times);
    ck_assert(!autotuner.trying);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_RING);
}
END_TEST

START_TEST(the_warm_up_counts_for_long_calls_alone)
{
    struct {
        trial_times_t times;
        int left; /* after the warm-up */
    } cases[] = {
        {{0.015, 0.03, 0.06, 0}, 3}, {{0.03, 0.06, 0.08, 0}, 3},
        {{0.03, 0.06, 0.1, 0}, 2},   {{0.2, 0.28, 0.32, 0}, 2},
        {{0.2, 0.32, 0.32, 0}, 1},   {{2, 2.5, 2.3, 0}, 2},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        coll_mtree_autotuner_t autotuner;

        (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
        run_round(&autotuner, cases[i].times);
        ck_assert_int_eq(left_in(&autotuner), cases[i].left);
        ck_assert_int_eq(autotuner.trying, cases[i].left > 1);
    }
}
END_TEST

START_TEST(the_longer_calls_are_the_fewer_rounds_do)
{
    const trial_times_t middle = {0.05, 0.055, 0.055, 0}, lengthy = {0.2, 0.22, 0.22, 0};
    const trial_times_t slower = {0.05, 0.07, 0.08, 0};
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    ck_assert_int_eq(trial_run(&autotuner, middle), 3 * 3);
    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    ck_assert_int_eq(trial_run(&autotuner, lengthy), 2 * 3);
    /* After one round 1.5 times is too slow, after two 1.2 times. */
    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    run_round(&autotuner, slower);
    run_round(&autotuner, slower);
    ck_assert_int_eq(left_in(&autotuner), 2);
    run_round(&autotuner, slower);
    ck_assert_int_eq(left_in(&autotuner), 1);
}
END_TEST

START_TEST(the_median_of_the_rounds_decides_without_the_warm_up)
{
    const trial_times_t warm_up = {9e-4, 1e-4, 1e-4, 0}, usual = {1e-4, 2e-4, 2e-4, 0},
                        disturbed = {9e-4, 2e-4, 2e-4, 0};
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    run_round(&autotuner, warm_up);
    run_round(&autotuner, usual);
    run_round(&autotuner, disturbed);
    run_round(&autotuner, usual);
    ck_assert(!autotuner.trying);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_TREES);
    ck_assert(autotuner.candidates[0].typical == 1e-4);
}
END_TEST

START_TEST(another_trial_of_all_candidates_follows_after_many_calls)
{
    const trial_times_t before = {1e-4, 3e-4, 3e-4, 0}, after = {9e-4, 3e-4, 9e-4, 0};
    coll_mtree_selection_t selection;
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&autotuner, before);
    for (int i = 0; i < COLL_MTREE_AUTOTUNER_INTERVAL; i++) {
        (void)trial_call(&autotuner, after, &selection);
        ck_assert(selection.backend == COLL_MTREE_TREES && !selection.timed);
    }
    (void)trial_call(&autotuner, after, &selection);
    ck_assert(selection.timed && autotuner.trying);
    ck_assert_int_eq(left_in(&autotuner), 3);
    (void)trial_run(&autotuner, after);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_RING);
    ck_assert_int_eq(autotuner.trials, 2);
}
END_TEST

START_TEST(the_moment_of_the_agreement_is_kept_within_a_trial)
{
    const trial_times_t times = {0.2, 0.2, 0.2, 0};
    coll_mtree_selection_t selection;
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 0);
    ck_assert(autotuner.agreed == 0);
    (void)trial_call(&autotuner, times, &selection);
    ck_assert(autotuner.agreed == 1);
    (void)trial_run(&autotuner, times);
    for (int i = 0; i < COLL_MTREE_AUTOTUNER_INTERVAL; i++) {
        (void)coll_mtree_autotuner_select(&autotuner);
    }
    (void)coll_mtree_autotuner_select(&autotuner);
    ck_assert(autotuner.trying && autotuner.agreed == 0);
}
END_TEST

START_TEST(longer_calls_learn_what_was_slower)
{
    const trial_times_t times = {0.05, 0.5, 0.06, 0};
    coll_mtree_autotuner_t shorter, longer;

    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_init(&longer, MTREE_FORECAST_MAYBE_FASTER, 0);
    /* Nothing was measured, then only the warm-up, after which the ring is out. */
    ck_assert(!coll_mtree_autotuner_learn(&longer, &shorter));
    run_round(&shorter, times);
    ck_assert(coll_mtree_autotuner_learn(&longer, &shorter));
    ck_assert_int_eq(left_in(&longer), 2);
    ck_assert(longer.candidates[1].out && isinf(longer.candidates[1].typical));
    ck_assert(longer.trying);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&longer), COLL_MTREE_TREES);
}
END_TEST

START_TEST(nothing_is_learned_from_calls_that_are_not_long_or_after_the_trial)
{
    const trial_times_t quick = {0.01, 0.5, 0.5, 0}, times = {0.05, 0.5, 0.5, 0};
    coll_mtree_autotuner_t shorter, longer;

    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_init(&longer, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&shorter, quick);
    ck_assert(!coll_mtree_autotuner_learn(&longer, &shorter));
    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&shorter, times);
    (void)trial_run(&longer, times);
    ck_assert(!coll_mtree_autotuner_learn(&longer, &shorter));
}
END_TEST

START_TEST(one_that_is_left_by_what_was_learned_serves_at_once)
{
    const trial_times_t times = {0.05, 0.5, 0.5, 0};
    coll_mtree_autotuner_t shorter, longer, longest;
    coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, 4 * MB);

    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&shorter, times);
    (void)coll_mtree_autotuner_init(
        &longer, &call_class,
        (mtree_forecast_t){.confidence = MTREE_FORECAST_MAYBE_FASTER,
                           .base_algorithms = 0},
        true);
    ck_assert(coll_mtree_autotuner_learn(&longer, &shorter));
    ck_assert(!longer.trying);
    ck_assert(!coll_mtree_autotuner_select(&longer).timed);
    /* It measured nothing itself, so it shows nothing to longer ones. */
    (void)trial_init(&longest, MTREE_FORECAST_MAYBE_FASTER, 0);
    ck_assert(!coll_mtree_autotuner_learn(&longest, &longer));
}
END_TEST

START_TEST(trees_stay_and_so_do_candidates_that_the_shorter_calls_did_not_have)
{
    const trial_times_t times = {0.5, 0.05, 0.5, 0.5};
    coll_mtree_autotuner_t shorter, longer;

    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&shorter, times);
    (void)trial_init(&longer, MTREE_FORECAST_MAYBE_FASTER, 1u << 1);
    ck_assert(coll_mtree_autotuner_learn(&longer, &shorter));
    ck_assert_int_eq(left_in(&longer), 3);
    ck_assert(!longer.candidates[0].out);
    ck_assert(!longer.candidates[1].out);
    ck_assert(longer.candidates[2].out);
    ck_assert(!longer.candidates[3].out);
}
END_TEST

START_TEST(what_an_earlier_trial_left_out_stays_out_only_where_trees_were_fastest)
{
    const trial_times_t trees = {0.05, 0.5, 0.06, 0}, fallback = {0.06, 0.5, 0.04, 0};

    for (int i = 0; i < 2; i++) {
        coll_mtree_autotuner_t shortest, shorter, longer;

        (void)trial_init(&shortest, MTREE_FORECAST_MAYBE_FASTER, 0);
        (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
        (void)trial_init(&longer, MTREE_FORECAST_MAYBE_FASTER, 0);
        (void)trial_run(&shortest, trees);
        ck_assert(coll_mtree_autotuner_learn(&shorter, &shortest));
        (void)trial_run(&shorter, i == 0 ? trees : fallback);
        ck_assert(isinf(shorter.candidates[1].typical));
        ck_assert(coll_mtree_autotuner_learn(&longer, &shorter));
        ck_assert_int_eq(longer.candidates[1].out, i == 0);
    }
}
END_TEST

START_TEST(without_base_algorithms_the_others_have_a_trial)
{
    const trial_times_t times = {0.001, 0.002, 0.002, 0.0001};
    coll_mtree_autotuner_t autotuner;
    coll_mtree_selection_t selection;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 2);
    (void)trial_call(&autotuner, times, &selection);
    ck_assert(coll_mtree_autotuner_exclude_base_algorithms(&autotuner));
    ck_assert(!coll_mtree_autotuner_has(&autotuner, COLL_MTREE_BASE_ALGORITHM));
    (void)trial_run(&autotuner, times);
    ck_assert_int_eq(coll_mtree_autotuner_backend(&autotuner), COLL_MTREE_TREES);
    ck_assert(!coll_mtree_autotuner_exclude_base_algorithms(&autotuner));
}
END_TEST

START_TEST(one_that_is_left_serves_without_a_trial)
{
    coll_mtree_autotuner_t autotuner;
    coll_mtree_selection_t selection;

    (void)trial_init(&autotuner, MTREE_FORECAST_SLOWER, 2);
    ck_assert(coll_mtree_autotuner_exclude_base_algorithms(&autotuner));
    for (int i = 0; i < 3000; i++) {
        selection = coll_mtree_autotuner_select(&autotuner);
        ck_assert_int_eq(selection.backend, COLL_MTREE_FALLBACK);
        ck_assert(!selection.timed);
    }
}
END_TEST

START_TEST(every_reason_has_a_name_and_a_text)
{
    for (int r = 0; r < COLL_MTREE_REASONS; r++) {
        coll_mtree_fallback_reason_t reason = (coll_mtree_fallback_reason_t)r;

        ck_assert_ptr_nonnull(coll_mtree_reason_name(reason));
        ck_assert_ptr_nonnull(coll_mtree_reason_text(reason));
    }
    ck_assert_str_eq(coll_mtree_reason_name(COLL_MTREE_REASON_TRIAL), "trial");
    ck_assert_str_eq(coll_mtree_reason_text(COLL_MTREE_REASON_TRIAL),
                     "it was Open MPI's turn in a trial");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("autotuner");
    TCase *tcase = tcase_create("autotuner");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, a_clear_forecast_decides_alone);
    tcase_add_test(tcase, without_base_algorithms_the_others_have_a_trial);
    tcase_add_test(tcase, one_that_is_left_serves_without_a_trial);
    tcase_add_test(tcase, what_is_expected_to_be_fastest_comes_first);
    tcase_add_test(tcase,
                   a_ring_is_for_long_messages_without_a_root_and_without_open_mpis_ring);
    tcase_add_test(tcase, one_that_is_not_enabled_goes_by_the_forecast);
    tcase_add_test(tcase, where_the_fallback_is_clearly_faster_the_first_calls_are_its);
    tcase_add_test(tcase,
                   trees_that_are_expected_to_be_as_fast_serve_before_the_first_trial);
    tcase_add_test(tcase, short_calls_are_preceded_by_an_untimed_one_after_the_warm_up);
    tcase_add_test(tcase, calls_that_are_not_short_are_all_timed);
    tcase_add_test(
        tcase, clearly_slower_candidates_leave_after_three_rounds_slower_ones_after_five);
    tcase_add_test(tcase, a_candidate_that_is_a_little_slower_leaves_after_five_rounds);
    tcase_add_test(tcase, the_warm_up_counts_for_long_calls_alone);
    tcase_add_test(tcase, the_longer_calls_are_the_fewer_rounds_do);
    tcase_add_test(tcase, the_median_of_the_rounds_decides_without_the_warm_up);
    tcase_add_test(tcase, another_trial_of_all_candidates_follows_after_many_calls);
    tcase_add_test(tcase, the_moment_of_the_agreement_is_kept_within_a_trial);
    tcase_add_test(tcase, longer_calls_learn_what_was_slower);
    tcase_add_test(tcase,
                   nothing_is_learned_from_calls_that_are_not_long_or_after_the_trial);
    tcase_add_test(tcase, one_that_is_left_by_what_was_learned_serves_at_once);
    tcase_add_test(tcase,
                   trees_stay_and_so_do_candidates_that_the_shorter_calls_did_not_have);
    tcase_add_test(
        tcase, what_an_earlier_trial_left_out_stays_out_only_where_trees_were_fastest);
    tcase_add_test(tcase, every_reason_has_a_name_and_a_text);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
