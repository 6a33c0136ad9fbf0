/* SPDX-License-Identifier: BSD-3-Clause */
/* What earlier jobs have found to be the fastest, and where that holds. */
#include "coll_mtree/plan/winners.h"

#include "tests/unit/captured_log.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const hosts[] = {"alpha", "beta"};
static const coll_mtree_trial_conditions_t here = {0.01, "tuned"};

static coll_mtree_call_class_t class_of(mtree_collective_t collective, int root)
{
    return coll_mtree_call_class_of(collective, root, 65536, NULL, -1);
}

/* Winners with the ring for allreduce and a base algorithm for bcast from beta. */
static void put_two(coll_mtree_winners_t *winners)
{
    coll_mtree_call_class_t allreduce = class_of(MTREE_ALLREDUCE, 0);
    coll_mtree_call_class_t bcast = class_of(MTREE_BCAST, 1);

    coll_mtree_winners_init(winners);
    ck_assert(coll_mtree_winners_is_empty(winners));
    ck_assert(coll_mtree_winners_put(winners, &allreduce, &here,
                                     (coll_mtree_winner_t){.backend = COLL_MTREE_RING}));
    ck_assert(
        coll_mtree_winners_put(winners, &bcast, &here,
                               (coll_mtree_winner_t){.backend = COLL_MTREE_BASE_ALGORITHM,
                                                     .base_algorithm = 2}));
    ck_assert(!coll_mtree_winners_is_empty(winners));
}

static void assert_two(const coll_mtree_winners_t *winners)
{
    coll_mtree_call_class_t allreduce = class_of(MTREE_ALLREDUCE, 0);
    coll_mtree_call_class_t bcast = class_of(MTREE_BCAST, 1);
    coll_mtree_winner_t winner = coll_mtree_winners_find(winners, &allreduce, &here);

    ck_assert(winner.is_known && winner.backend == COLL_MTREE_RING);
    winner = coll_mtree_winners_find(winners, &bcast, &here);
    ck_assert(winner.is_known && winner.backend == COLL_MTREE_BASE_ALGORITHM);
    ck_assert_int_eq(winner.base_algorithm, 2);
}

static bool holds(const coll_mtree_winners_t *winners, double seconds,
                  const char *fallback)
{
    coll_mtree_call_class_t call_class = class_of(MTREE_ALLREDUCE, 0);
    const coll_mtree_trial_conditions_t conditions = {seconds, fallback};

    return coll_mtree_winners_find(winners, &call_class, &conditions).is_known;
}

START_TEST(a_winner_holds_where_its_trial_would_be_the_same)
{
    coll_mtree_call_class_t alpha = class_of(MTREE_BCAST, 0);
    coll_mtree_winners_t winners;

    put_two(&winners);
    assert_two(&winners);
    ck_assert(holds(&winners, 0.0109, "tuned") && holds(&winners, 0.0092, "tuned"));
    ck_assert(!holds(&winners, 0.0112, "tuned") && !holds(&winners, 0.0089, "tuned"));
    ck_assert(!holds(&winners, 0.01, "han"));
    /* What is not compared has no winner. */
    ck_assert(!holds(&winners, 0, "tuned") && !holds(&winners, 0.01, NULL));
    ck_assert(!coll_mtree_winners_find(&winners, &alpha, &here).is_known);
    coll_mtree_winners_cleanup(&winners);
}
END_TEST

START_TEST(what_the_communicator_asks_for_is_not_kept)
{
    coll_mtree_call_class_t asked =
        coll_mtree_call_class_of(MTREE_ALLREDUCE, 0, 65536, NULL, 3);
    coll_mtree_call_class_t by_arrival = class_of(MTREE_ALLREDUCE, 0);
    coll_mtree_winners_t winners;

    by_arrival.by_arrival = true;
    coll_mtree_winners_init(&winners);
    ck_assert(!coll_mtree_winners_put(&winners, &asked, &here,
                                      (coll_mtree_winner_t){.is_known = true}));
    ck_assert(!coll_mtree_winners_put(&winners, &by_arrival, &here,
                                      (coll_mtree_winner_t){.is_known = true}));
    ck_assert(coll_mtree_winners_is_empty(&winners));
    coll_mtree_winners_cleanup(&winners);
}
END_TEST

START_TEST(written_is_read)
{
    coll_mtree_winners_t winners, read;
    char *text;

    put_two(&winners);
    text = coll_mtree_winners_write(&winners, hosts);
    ck_assert_str_eq(text, "allreduce 16 ring 0.01 tuned\n"
                           "bcast 16 openmpi:binomial 0.01 tuned beta\n");
    coll_mtree_winners_init(&read);
    ck_assert_int_eq(coll_mtree_winners_read(&read, text, "file", hosts, 2), MTREE_OK);
    assert_two(&read);
    free(text);
    coll_mtree_winners_cleanup(&read);
    coll_mtree_winners_cleanup(&winners);
}
END_TEST

START_TEST(newer_ones_replace_older_ones)
{
    coll_mtree_call_class_t call_class = class_of(MTREE_ALLREDUCE, 0);
    coll_mtree_winners_t winners, newer;

    put_two(&winners);
    coll_mtree_winners_init(&newer);
    ck_assert(
        coll_mtree_winners_put(&newer, &call_class, &here,
                               (coll_mtree_winner_t){.backend = COLL_MTREE_FALLBACK}));
    ck_assert(coll_mtree_winners_merge(&winners, &newer));
    ck_assert_int_eq(coll_mtree_winners_find(&winners, &call_class, &here).backend,
                     COLL_MTREE_FALLBACK);
    call_class = class_of(MTREE_BCAST, 1);
    ck_assert(coll_mtree_winners_find(&winners, &call_class, &here).is_known);
    coll_mtree_winners_cleanup(&newer);
    coll_mtree_winners_cleanup(&winners);
}
END_TEST

START_TEST(garbage_is_refused_with_a_line)
{
    static const char *const lines[] = {"allreduce 16 trees 1",
                                        "allreduce 63 trees 1 x",
                                        "allreduce -1 trees 1 x",
                                        "allreduce 16 tree 1 x",
                                        "allreduce 16 openmpi:binomial 1 x",
                                        "allreduce 16 trees 0 x",
                                        "allreduce 16 trees 1s x",
                                        "allreduce 16 trees 1 x beta",
                                        "bcast 16 trees 1 x",
                                        "bcast 16 trees 1 x gamma",
                                        "sort 16 trees 1 x"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        coll_mtree_winners_t winners;
        char text[128];

        coll_mtree_winners_init(&winners);
        heard_start();
        snprintf(text, sizeof(text), "// a comment\n\n%s\n", lines[i]);
        ck_assert_msg(coll_mtree_winners_read(&winners, text, "file", hosts, 2) ==
                          MTREE_ERR_INVALID,
                      "'%s' is read", lines[i]);
        ck_assert_int_eq(heard_lines(), 1);
        ck_assert_ptr_nonnull(strstr(heard_last(), "file:3: "));
        coll_mtree_winners_cleanup(&winners);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("winners");
    TCase *tcase = tcase_create("winners");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, a_winner_holds_where_its_trial_would_be_the_same);
    tcase_add_test(tcase, what_the_communicator_asks_for_is_not_kept);
    tcase_add_test(tcase, written_is_read);
    tcase_add_test(tcase, newer_ones_replace_older_ones);
    tcase_add_test(tcase, garbage_is_refused_with_a_line);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
