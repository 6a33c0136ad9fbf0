/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/optree_steps.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"

OWNED_TYPE(optree_schedule)

/* Section III-C: 16 ranks, 2 wavelengths: one stage 16 steps, 4-ary in two 12, 3-ary in
 * three 16. */
UNIT_TEST(test_motivation_example)
{
    mtree_optree_stage_t stages[3];

    ck_assert_int_eq(mtree_optree_count_steps(16, 1, 2, stages), 16);
    ck_assert_int_eq(stages[0].wavelengths, 32);
    ck_assert_int_eq(mtree_optree_count_steps(16, 2, 2, stages), 12);
    ck_assert_int_eq(stages[0].wavelengths, 8);
    ck_assert_int_eq(stages[1].wavelengths, 16);
    ck_assert_int_eq(mtree_optree_count_steps(16, 3, 2, stages), 16);
    ck_assert_int_eq(stages[0].wavelengths, 8);
    ck_assert_int_eq(stages[1].wavelengths, 12);
    ck_assert_int_eq(stages[2].wavelengths, 12);
}

/* Table I; its 128 for one stage is a slip, the formula beside it gives 2048. */
UNIT_TEST(test_table_1)
{
    ck_assert_int_eq(mtree_optree_ring_steps(1024), 1023);
    ck_assert_int_eq(mtree_optree_neighbour_steps(1024), 512);
    ck_assert_int_eq(mtree_optree_wrht_steps(1024, 64), 259);
    ck_assert_int_eq(mtree_optree_wrht_table_steps(1024, 64), 16);
    ck_assert_int_eq(mtree_optree_formula_steps(1024, 1, 64), 2048);
    ck_assert_int_eq(mtree_optree_published_stages(1024), 7);
    ck_assert_int_eq(mtree_optree_best_stages(1024, 64), 7);
    ck_assert_int_eq(mtree_optree_formula_steps(1024, 7, 64), 70);
}

/* Figure 4: no depth beats the chosen one by equation (1). */
UNIT_TEST(test_best_stages_is_minimum)
{
    static const int ranks[] = {8, 16, 100, 512, 1024, 2048, 4096};

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        int best = mtree_optree_best_stages(ranks[i], 64);
        long steps = mtree_optree_formula_steps(ranks[i], best, 64);

        for (int k = 2; k <= 12; k++) {
            ck_assert_int_le(steps, mtree_optree_formula_steps(ranks[i], k, 64));
        }
    }
    ck_assert_int_eq(mtree_optree_best_stages(2048, 64), 7);
    ck_assert_int_eq(mtree_optree_published_stages(2048), 8);
    ck_assert_int_eq(mtree_optree_best_stages(4096, 64), 8);
    ck_assert_int_eq(mtree_optree_best_stages(2, 64), 1);
}

/*
 * Carry the sends out on an array and count what goes wrong: a block sent by a rank that
 * does not have it, or received twice, or missing at the end.
 */
static int count_faults(const mtree_optree_schedule_t *schedule)
{
    int n = schedule->num_ranks;
    UNIT_FREED char *has = calloc((size_t)n * (size_t)n, 1);
    UNIT_FREED char *after = malloc((size_t)n * (size_t)n);
    int faults = 0;

    for (int i = 0; i < n; i++) {
        has[i * n + i] = 1;
    }
    for (int stage = 0; stage < schedule->num_stages; stage++) {
        memcpy(after, has, (size_t)n * (size_t)n);
        for (int i = schedule->stage_send[stage]; i < schedule->stage_send[stage + 1];
             i++) {
            const mtree_optree_send_t *send = &schedule->sends[i];
            const int *blocks = mtree_optree_blocks(schedule, send->from);

            for (int b = 0; b < send->num_blocks; b++) {
                faults +=
                    !has[send->from * n + blocks[b]] + after[send->to * n + blocks[b]];
                after[send->to * n + blocks[b]] = 1;
            }
        }
        memcpy(has, after, (size_t)n * (size_t)n);
    }
    for (int i = 0; i < n * n; i++) {
        faults += !has[i];
    }
    return faults;
}

UNIT_TEST(test_everyone_gets_everything)
{
    for (int n = 1; n <= 70; n++) {
        for (int k = 1; k <= 5; k++) {
            OWNED(optree_schedule) *schedule = NULL;

            unit_ok(mtree_optree_schedule_create(n, k, 4, &schedule));
            ck_assert_int_eq(count_faults(schedule), 0);
        }
    }
}

/* Most blocks that any fibre carries in a stage, each send going the way it says. */
static long fibre_load(const mtree_optree_schedule_t *schedule, int stage)
{
    int n = schedule->num_ranks;
    UNIT_FREED long *load = calloc(2 * (size_t)n, sizeof(*load));
    long most = 0;

    for (int i = schedule->stage_send[stage]; i < schedule->stage_send[stage + 1]; i++) {
        const mtree_optree_send_t *send = &schedule->sends[i];
        int at = send->from;

        while (at != send->to) {
            int next = send->clockwise ? (at + 1) % n : (at + n - 1) % n;
            int link = send->clockwise ? at : n + next;

            load[link] += send->num_blocks;
            most = load[link] > most ? load[link] : most;
            at = next;
        }
    }
    return most;
}

/* Where groups are even, the counted wavelengths (Lemma 1) carry the sends. */
UNIT_TEST(test_load_fits_count)
{
    static const int cases[][2] = {{16, 1}, {16, 2}, {64, 2}, {64, 3},  {256, 4},
                                   {27, 3}, {81, 4}, {36, 2}, {125, 3}, {343, 3}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        mtree_optree_stage_t counted[MTREE_OPTREE_MAX_STAGES];
        OWNED(optree_schedule) *schedule = NULL;

        mtree_optree_count_steps(cases[i][0], cases[i][1], 4, counted);
        unit_ok(mtree_optree_schedule_create(cases[i][0], cases[i][1], 4, &schedule));
        mtree_optree_measure(schedule, 4);
        for (int stage = 0; stage < schedule->num_stages; stage++) {
            ck_assert_int_le(schedule->stages[stage].wavelengths,
                             counted[stage].wavelengths);
        }
    }
}

/* What a stage says it needs is what its sends need, walked fibre by fibre. */
UNIT_TEST(test_stage_load)
{
    for (int n = 2; n <= 70; n++) {
        for (int k = 1; k <= 4; k++) {
            OWNED(optree_schedule) *schedule = NULL;
            long steps = 0;

            unit_ok(mtree_optree_schedule_create(n, k, 3, &schedule));
            mtree_optree_measure(schedule, 3);
            for (int stage = 0; stage < k; stage++) {
                long load = fibre_load(schedule, stage);

                ck_assert_int_eq(schedule->stages[stage].wavelengths, load);
                steps += (load + 2) / 3;
            }
            ck_assert_int_eq(schedule->steps, steps);
        }
    }
}

/* With whole arities 7 stages are not the best for 1024 ranks: 4-ary in 5 stages is. */
UNIT_TEST(test_least_stages)
{
    mtree_optree_stage_t stages[MTREE_OPTREE_MAX_STAGES];

    ck_assert_int_eq(mtree_optree_least_stages(1024, 64), 5);
    ck_assert_int_eq(mtree_optree_count_steps(1024, 5, 64, stages), 72);
    ck_assert_int_eq(mtree_optree_count_steps(1024, 7, 64, stages), 85);
    ck_assert_int_eq(mtree_optree_least_stages(16, 2), 2);
    ck_assert_int_eq(mtree_optree_least_stages(1, 2), 1);
}

UNIT_TEST(test_time)
{
    /* 4 MB on 40 Gb/s is 0.8 ms. */
    ck_assert_double_eq_tol(mtree_optree_time(70, 4e6, 40e9, 25e-6), 70 * 825e-6, 1e-12);
}

UNIT_TEST(test_bad_arguments)
{
    mtree_optree_schedule_t *schedule = NULL;

    unit_invalid(mtree_optree_schedule_create(0, 1, 1, &schedule));
    unit_invalid(mtree_optree_schedule_create(4, 0, 1, &schedule));
    unit_invalid(mtree_optree_schedule_create(4, 1, 0, &schedule));
    ck_assert_int_eq(mtree_optree_schedule_create(1 << 20, 2, 1, &schedule),
                     MTREE_ERR_LIMIT);
    ck_assert_ptr_null(schedule);
}
