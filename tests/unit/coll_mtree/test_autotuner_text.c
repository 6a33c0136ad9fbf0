/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of an autotuner, and which times it reports. */
#include "coll_mtree/select/autotuner_text.h"

#include "tests/unit/coll_mtree/trial.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(the_verdict_names_all_that_was_measured)
{
    char text[COLL_MTREE_AUTOTUNER_TEXT];
    const trial_times_t times = {0.3, 0.6, 0.45, 0.15};
    double seconds[COLL_MTREE_BACKENDS];
    coll_mtree_autotuner_t autotuner;

    (void)trial_init(&autotuner, MTREE_FORECAST_MAYBE_FASTER, 1u << 3);
    ck_assert_int_eq(trial_run(&autotuner, times), 4);
    coll_mtree_autotuner_text_verdict(&autotuner, text);
    ck_assert_str_eq(text,
                     "allreduce of about 1 MB: 300 ms over trees, 600 ms around a "
                     "ring, 450 ms by Open MPI, 150 ms by Open MPI's rabenseifner, as "
                     "measured in 4 calls; served by Open MPI's rabenseifner");
    coll_mtree_autotuner_times(&autotuner, seconds);
    for (int b = 0; b < COLL_MTREE_BACKENDS; b++) {
        ck_assert(seconds[b] == times[b]);
    }
}
END_TEST

START_TEST(of_the_base_algorithms_the_fastest_is_reported)
{
    double seconds[COLL_MTREE_BACKENDS];
    coll_mtree_autotuner_t autotuner;
    char text[COLL_MTREE_AUTOTUNER_TEXT];

    (void)trial_init(&autotuner, MTREE_FORECAST_FASTER, 1u << 1 | 1u << 3);
    for (int i = 0; autotuner.trying; i++) {
        coll_mtree_selection_t selection = coll_mtree_autotuner_select(&autotuner);

        (void)coll_mtree_autotuner_record(&autotuner,
                                          selection.base_algorithm == 3 ? 0.3 : 0.4, 1);
    }
    autotuner.candidates[0].typical = INFINITY;
    coll_mtree_autotuner_times(&autotuner, seconds);
    ck_assert(seconds[COLL_MTREE_BASE_ALGORITHM] == 0.3);
    ck_assert(seconds[COLL_MTREE_TREES] == 0 && seconds[COLL_MTREE_FALLBACK] == 0);
    coll_mtree_autotuner_text_verdict(&autotuner, text);
    ck_assert_ptr_null(strstr(text, "trees"));
}
END_TEST

START_TEST(what_was_learned_names_the_size_that_showed_it)
{
    const trial_times_t times = {0.05, 0.5, 0.5, 0};
    const coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, 4 * MB);
    char text[COLL_MTREE_AUTOTUNER_TEXT];
    coll_mtree_autotuner_t shorter, longer;

    (void)trial_init(&shorter, MTREE_FORECAST_MAYBE_FASTER, 0);
    (void)trial_run(&shorter, times);
    (void)coll_mtree_autotuner_init(
        &longer, &call_class,
        (mtree_forecast_t){.confidence = MTREE_FORECAST_MAYBE_FASTER}, true);
    ck_assert(coll_mtree_autotuner_learn(&longer, &shorter));
    coll_mtree_autotuner_text_learned(&longer, &shorter, text);
    ck_assert_str_eq(text, "allreduce of about 4 MB: served over trees, since all "
                           "others were slower at 1 MB");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("autotuner_text");
    TCase *tcase = tcase_create("autotuner_text");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, the_verdict_names_all_that_was_measured);
    tcase_add_test(tcase, of_the_base_algorithms_the_fastest_is_reported);
    tcase_add_test(tcase, what_was_learned_names_the_size_that_showed_it);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
