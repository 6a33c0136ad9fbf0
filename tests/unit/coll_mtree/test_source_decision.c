/* SPDX-License-Identifier: BSD-3-Clause */
/* What rank 0 decides while it has no topology: every branch. */
#include "coll_mtree/topology/source_decision.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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

/* @a calls of the ranks: in each, that of number @a late (-1: none; the number of ranks:
 * each in turn) comes later than the others by @a wait, and then all take @a seconds. */
static void spend(coll_mtree_source_spent_t *spent, int ranks, int calls, int late,
                  double wait, double seconds)
{
    memset(spent, 0, (size_t)ranks * sizeof(*spent));
    for (int call = 0; call < calls; call++) {
        int last = late == ranks ? call % ranks : late;

        for (int rank = 0; rank < ranks; rank++) {
            double in_call = seconds + (last >= 0 && rank != last ? wait : 0);

            spent[rank].all += in_call;
            spent[rank].recent[call % COLL_MTREE_SOURCE_RECENT] = (float)in_call;
        }
    }
}

static bool probes(const coll_mtree_source_spent_t *spent, int ranks, double payback)
{
    return coll_mtree_source_decide_again(spent, ranks, payback) ==
           COLL_MTREE_SOURCE_PROBE;
}

START_TEST(what_all_ranks_lose_together_counts)
{
    coll_mtree_source_spent_t spent[3];

    for (int calls = 15; calls < 5000; calls *= 3) {
        double lost = 0.1 * calls;

        spend(spent, 3, calls, -1, 0, 0.1);
        ck_assert(probes(spent, 3, 0.99 * lost) && !probes(spent, 3, 1.01 * lost));
        /* The root of broadcasts comes late to each, and all others wait for it. */
        spend(spent, 3, calls, 0, 30, 0.1);
        ck_assert(probes(spent, 3, 0.99 * lost) && !probes(spent, 3, 1.01 * lost));
        /* Each comes late in turn. */
        spend(spent, 3, calls, 3, 30, 0.1);
        ck_assert(probes(spent, 3, 0.98 * lost) && !probes(spent, 3, 1.02 * lost));
    }
    spend(spent, 1, 10, -1, 0, 0.1);
    ck_assert(probes(spent, 1, 0.9) && !probes(spent, 1, 1.1));
    spend(spent, 3, 0, -1, 0, 0);
    ck_assert(!probes(spent, 3, 0));
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
    tcase_add_test(tcase, what_all_ranks_lose_together_counts);
    tcase_add_test(tcase, looks_become_rarer);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
