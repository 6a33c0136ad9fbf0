/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who came when, from what ranks tell of each other, and when the order of arrival is
 * chosen and given up.
 */
#include "schedule/arrival_times.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define MOST_RANKS 64

/* What the ranks of the tree @a parent tell when they came at @a came: a chunk passes an
 * edge when both ends are there and the edge above it has passed. */
static void tell(int num_ranks, const int *parent, const double *came, double latency,
                 mtree_arrival_time_t *entries)
{
    double passed[MOST_RANKS];

    for (int rank = 0; rank < num_ranks; rank++) {
        int up = parent[rank] < 0 ? rank : parent[rank];
        double ready = parent[rank] < 0 ? came[rank] : passed[up] + latency;

        passed[rank] = fmax(ready, came[rank]);
        mtree_arrival_time_init(&entries[rank], rank, up, passed[rank] - came[rank]);
        if (up != rank) {
            mtree_arrival_time_add(&entries[up], rank, passed[rank] - came[up]);
        }
    }
}

static void expect(int num_ranks, const double *came, const double *seconds)
{
    double first = came[0];

    for (int rank = 0; rank < num_ranks; rank++) {
        first = fmin(first, came[rank]);
    }
    for (int rank = 0; rank < num_ranks; rank++) {
        ck_assert_double_eq_tol(seconds[rank], came[rank] - first, 1e-5);
    }
}

START_TEST(differences_add_up_along_a_tree)
{
    static const int parent[] = {-1, 0, 0, 1, 2, 4};
    static const double came[] = {3, 2.5, 9, 1, 3.5, 3.25};
    mtree_arrival_time_t entries[6];
    double seconds[6];

    tell(6, parent, came, 0, entries);
    ck_assert(mtree_arrival_times_solve(entries, 6, NULL, seconds));
    expect(6, came, seconds);
}
END_TEST

START_TEST(a_latency_is_no_lateness)
{
    static const double latency[] = {0, 0.25, 0.25, 0.25};
    mtree_arrival_time_t entries[4];
    double seconds[4];

    /* All came at once; each hears a latency after the one before it, and each sender a
     * latency after that. */
    for (int rank = 0; rank < 4; rank++) {
        mtree_arrival_time_init(&entries[rank], rank, rank == 0 ? 0 : rank - 1,
                                0.25 * rank);
        mtree_arrival_time_add(&entries[rank], rank + 1, 0.25 * (rank + 1) + 0.25);
    }
    ck_assert(mtree_arrival_times_solve(entries, 4, latency, seconds));
    for (int rank = 0; rank < 4; rank++) {
        ck_assert_double_eq_tol(seconds[rank], 0, 1e-6);
    }
}
END_TEST

START_TEST(the_latest_of_many_are_named)
{
    int parent[40];
    double came[40], seconds[40];
    mtree_arrival_time_t entries[40];

    for (int rank = 0; rank < 40; rank++) {
        parent[rank] = rank == 0 ? -1 : 0;
        came[rank] = rank % 4 == 3 ? 1 + (rank * 7 % 40) / 8.0 : 1;
    }
    tell(40, parent, came, 0, entries);
    ck_assert(mtree_arrival_times_solve(entries, 40, NULL, seconds));
    expect(40, came, seconds);
}
END_TEST

START_TEST(what_is_not_connected_is_not_told)
{
    static const int parent[] = {-1, 0, 1};
    static const double came[] = {0, 0, 0};
    double seconds[3] = {-1, -1, -1};
    mtree_arrival_time_t entries[3];

    tell(3, parent, came, 0, entries);
    entries[1].parent = -1;
    ck_assert(!mtree_arrival_times_solve(entries, 3, NULL, seconds));
    tell(3, parent, came, 0, entries);
    entries[1].parent = 1; /* a second root */
    ck_assert(!mtree_arrival_times_solve(entries, 3, NULL, seconds));
    tell(3, parent, came, 0, entries);
    entries[2].parent = 77;
    ck_assert(!mtree_arrival_times_solve(entries, 3, NULL, seconds));
    mtree_arrival_time_init(&entries[2], 2, 0, 0); /* whom it does not name */
    entries[0].contacts[MTREE_ARRIVAL_CONTACTS - 1].rank = -1;
    ck_assert(!mtree_arrival_times_solve(entries, 3, NULL, seconds));
    ck_assert_double_eq(seconds[0], -1);
}
END_TEST

static const mtree_outcome_t brief = {1, 2}, lengthy = {1.5, 2}, alike = {1.05, 2},
                             tardy = {1.5, 1.5};

/* Hearings of the same until it changes, at most 100. */
static int hearings(mtree_arrival_choice_t *choice, const mtree_outcome_t *trees)
{
    bool before = choice->by_arrival;
    int heard = 0;

    while (heard < 100 && choice->by_arrival == before) {
        (void)mtree_arrival_choice_update(choice, trees, &brief);
        heard++;
    }
    return heard;
}

START_TEST(it_takes_several_in_a_row)
{
    mtree_arrival_choice_t choice;

    mtree_arrival_choice_init(&choice);
    for (int i = 0; i < 20; i++) {
        ck_assert(!mtree_arrival_choice_update(&choice, i % 3 == 2 ? &alike : &lengthy,
                                               &brief));
    }
    mtree_arrival_choice_init(&choice);
    ck_assert_int_eq(hearings(&choice, &lengthy), 3);
    ck_assert(choice.by_arrival);
}
END_TEST

START_TEST(the_end_must_not_be_later)
{
    mtree_arrival_choice_t choice;

    mtree_arrival_choice_init(&choice);
    ck_assert_int_eq(hearings(&choice, &tardy), 100);
    ck_assert_int_eq(hearings(&choice, &lengthy), 3);
    ck_assert_int_eq(hearings(&choice, &tardy), 6);
    ck_assert(!choice.by_arrival);
}
END_TEST

START_TEST(changes_become_rare)
{
    static const int expected[] = {3, 6, 12, 24, 48, 48};
    mtree_arrival_choice_t choice;

    mtree_arrival_choice_init(&choice);
    for (int i = 0; i < 6; i++) {
        /* Hearings in a row count; the longer rows bring quiet with them. */
        choice.since_change = -100;
        ck_assert_int_eq(hearings(&choice, choice.by_arrival ? &alike : &lengthy),
                         expected[i]);
    }
    choice.since_change = 0;
    for (int i = 0; i < 5 * 32; i++) {
        (void)mtree_arrival_choice_update(&choice, choice.by_arrival ? &lengthy : &alike,
                                          &brief);
    }
    ck_assert_int_eq(hearings(&choice, choice.by_arrival ? &alike : &lengthy), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("entries");
    TCase *tcase = tcase_create("entries");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, differences_add_up_along_a_tree);
    tcase_add_test(tcase, a_latency_is_no_lateness);
    tcase_add_test(tcase, the_latest_of_many_are_named);
    tcase_add_test(tcase, what_is_not_connected_is_not_told);
    tcase_add_test(tcase, it_takes_several_in_a_row);
    tcase_add_test(tcase, the_end_must_not_be_later);
    tcase_add_test(tcase, changes_become_rare);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
