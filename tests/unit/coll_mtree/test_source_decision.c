/* SPDX-License-Identifier: BSD-3-Clause */
/* What rank 0 decides while it has no topology: every branch. */
#include "coll_mtree/topology/source_decision.h"

#include <check.h>
#include <stdlib.h>

#define AUTO  COLL_MTREE_TOPOLOGY_AUTO
#define PROBE COLL_MTREE_TOPOLOGY_PROBE

START_TEST(the_first_decision_follows_from_the_facts)
{
    const struct {
        coll_mtree_source_facts_t facts;
        coll_mtree_source_decision_t decision;
    } cases[] = {
        {{0, AUTO, false, false}, COLL_MTREE_SOURCE_NEVER},
        {{1, AUTO, true, false}, COLL_MTREE_SOURCE_NEVER},
        {{1, PROBE, false, false}, COLL_MTREE_SOURCE_NEVER},
        {{2, AUTO, true, false}, COLL_MTREE_SOURCE_READY},
        {{2, PROBE, true, false}, COLL_MTREE_SOURCE_READY},
        {{2, PROBE, false, false}, COLL_MTREE_SOURCE_PROBE},
        {{2, AUTO, false, true}, COLL_MTREE_SOURCE_SEND},
        {{2, AUTO, false, false}, COLL_MTREE_SOURCE_WAIT},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_int_eq(coll_mtree_source_decide_first(&cases[i].facts),
                         cases[i].decision);
    }
}
END_TEST

START_TEST(a_failed_exchange_means_never)
{
    /* An exchange without memory replies 0. */
    ck_assert_int_eq(COLL_MTREE_SOURCE_NEVER, 0);
}
END_TEST

START_TEST(a_probe_pays_back_after_twenty_times_its_length)
{
    ck_assert_double_eq_tol(coll_mtree_source_payback_seconds(2, 100), 40, 1e-9);
    ck_assert_double_eq_tol(coll_mtree_source_payback_seconds(16, 100), 180, 1e-9);
    /* The budget is the most that it takes. */
    ck_assert_double_eq_tol(coll_mtree_source_payback_seconds(16, 3), 60, 1e-9);
    ck_assert_double_eq_tol(coll_mtree_source_payback_seconds(16, 0), 0, 1e-9);
}
END_TEST

START_TEST(the_least_time_of_a_rank_counts)
{
    const double spent[] = {4, 9, 30};
    /* The root of broadcasts comes late to each, and all others wait for it. */
    const double by_late_root[] = {0.01, 400, 400};

    ck_assert_int_eq(coll_mtree_source_decide_again(spent, 3, 3.9),
                     COLL_MTREE_SOURCE_PROBE);
    ck_assert_int_eq(coll_mtree_source_decide_again(spent, 3, 4), COLL_MTREE_SOURCE_WAIT);
    ck_assert_int_eq(coll_mtree_source_decide_again(spent + 1, 2, 8.9),
                     COLL_MTREE_SOURCE_PROBE);
    ck_assert_int_eq(coll_mtree_source_decide_again(spent, 1, 4), COLL_MTREE_SOURCE_WAIT);
    ck_assert_int_eq(coll_mtree_source_decide_again(by_late_root, 3, 40),
                     COLL_MTREE_SOURCE_WAIT);
}
END_TEST

START_TEST(looks_become_rarer)
{
    unsigned calls = 1;

    for (unsigned next = 16; next <= 4096; next *= 2) {
        calls = coll_mtree_source_next_look(calls);
        ck_assert_uint_eq(calls, next);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("source_decision");
    TCase *tcase = tcase_create("source_decision");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, the_first_decision_follows_from_the_facts);
    tcase_add_test(tcase, a_failed_exchange_means_never);
    tcase_add_test(tcase, a_probe_pays_back_after_twenty_times_its_length);
    tcase_add_test(tcase, the_least_time_of_a_rank_counts);
    tcase_add_test(tcase, looks_become_rarer);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
