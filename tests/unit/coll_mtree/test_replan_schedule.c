/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When replan queries begin, when their replies apply, and what follows from a reply.
 */
#include "coll_mtree/adapt/replan_schedule.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"

static coll_mtree_call_class_t class_of(mtree_collective_t collective, double bytes)
{
    return coll_mtree_call_class_of(collective, 0, (size_t)bytes);
}

UNIT_TEST(long_calls_are_monitored_where_the_user_wants_it)
{
    coll_mtree_call_class_t allreduce = class_of(MTREE_ALLREDUCE, 262144);
    coll_mtree_call_class_t shorter = class_of(MTREE_ALLREDUCE, 262143);

    ck_assert(coll_mtree_replan_is_monitored(&allreduce, true, false));
    ck_assert(!coll_mtree_replan_is_monitored(&allreduce, false, false));
    ck_assert(!coll_mtree_replan_is_monitored(&shorter, true, false));
}

UNIT_TEST(calls_of_few_round_trips_show_no_rates)
{
    mtree_part_tree_t trees[] = {{.latency = 0.02}, {.latency = 0.1}};
    mtree_plan_part_t part = {.num_trees = 2, .trees = trees, .throughput = 8e6};

    ck_assert(!coll_mtree_replan_shows_rates(&part, 0.59e6));
    ck_assert(coll_mtree_replan_shows_rates(&part, 0.61e6));
    part.seconds = 0.59;
    ck_assert(!coll_mtree_replan_shows_rates(&part, 1e9));
    part.seconds = 0.61;
    ck_assert(coll_mtree_replan_shows_rates(&part, 1e3));
}

UNIT_TEST(deterministic_sums_keep_their_plan)
{
    coll_mtree_call_class_t allreduce = class_of(MTREE_ALLREDUCE, 1 << 20);
    coll_mtree_call_class_t bcast = class_of(MTREE_BCAST, 1 << 20);

    ck_assert(!coll_mtree_replan_is_monitored(&allreduce, true, true));
    ck_assert(coll_mtree_replan_is_monitored(&bcast, true, true));
}

/* Calls one after another, and whether a query is due after each. */
UNIT_LOOP(a_query_is_due_after_enough_bytes_per_rank_and_seconds, 0, 3)
{
    static const struct {
        int ranks;
        double least_seconds;
        struct {
            double bytes, seconds;
            bool is_due;
        } calls[3];
    } cases[] = {
        {10,
         0,
         {{0, 0, false}, {10.0 * COLL_MTREE_BYTES_PER_RANK - 1, 9, false}, {1, 0, true}}},
        {2, 0.5, {{1e9, 0.25, false}, {0, 0.25, true}, {0, 0, true}}},
        {1, 0.5, {{1e9, 0.25, false}, {-1e9, 1, false}, {1e9, 0, true}}},
    };
    coll_mtree_replan_sequence_t sequence = {.calls = 0};

    for (int call = 0; call < 3; call++) {
        sequence.bytes += cases[_i].calls[call].bytes;
        sequence.seconds += cases[_i].calls[call].seconds;
        ck_assert_int_eq(coll_mtree_replan_query_is_due(&sequence, cases[_i].ranks,
                                                        cases[_i].least_seconds),
                         cases[_i].calls[call].is_due);
    }
}

UNIT_TEST(a_query_takes_less_than_a_hundredth_of_the_bytes)
{
    ck_assert_uint_lt(100 * sizeof(coll_mtree_rank_sample_t), COLL_MTREE_BYTES_PER_RANK);
}

UNIT_TEST(a_reply_applies_two_calls_after_its_query)
{
    coll_mtree_replan_sequence_t sequence = {.calls = 7};
    struct coll_mtree_plan_entry **asked = coll_mtree_replan_asked(&sequence, 7);

    ck_assert_ptr_ne(coll_mtree_replan_asked(&sequence, 8), asked);
    ck_assert_ptr_eq(coll_mtree_replan_asked(&sequence, 9), asked);
}

static mtree_plan_t *some_plan(void)
{
    static const char *const hosts[] = {"a", "b"};
    mtree_plan_t *plan;

    unit_ok(mtree_plan_create(MTREE_BCAST, "packing", 2, hosts, 1, &plan));
    return plan;
}

UNIT_TEST(one_rank_that_computes_spoils_the_samples)
{
    coll_mtree_rank_sample_t samples[3] = {0};
    OWNED(plan) *plan = some_plan();

    for (int rank = 0; rank < 3; rank++) {
        samples[rank].seconds = 2;
    }
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 3),
                     COLL_MTREE_SAMPLES_USABLE);
    samples[2].unattended = 0.125F;
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 3),
                     COLL_MTREE_SAMPLES_USABLE);
    samples[2].unattended = 0.25F;
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 3),
                     COLL_MTREE_SAMPLES_UNATTENDED);
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 2),
                     COLL_MTREE_SAMPLES_USABLE);
    samples[0].unattended = 1;
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 2),
                     COLL_MTREE_SAMPLES_UNATTENDED);
}

UNIT_TEST(little_time_is_measured_on)
{
    coll_mtree_rank_sample_t samples[2] = {0};
    OWNED(plan) *plan = some_plan();

    samples[0].seconds = 0.0625F;
    samples[0].unattended = 0.0625F;
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 2),
                     COLL_MTREE_SAMPLES_TOO_SHORT);
}

UNIT_TEST(a_plan_in_lockstep_or_none_does_not_change)
{
    coll_mtree_rank_sample_t samples[2] = {0};
    OWNED(plan) *plan = some_plan();

    samples[0].seconds = samples[1].seconds = 2;
    ck_assert_int_eq(coll_mtree_replan_samples_use(NULL, samples, 2),
                     COLL_MTREE_SAMPLES_NOTHING);
    plan->trees[0].step[1] = 1;
    ck_assert_int_eq(coll_mtree_replan_samples_use(plan, samples, 2),
                     COLL_MTREE_SAMPLES_NOTHING);
}

UNIT_TEST(sums_that_round_change_once_for_a_fifth)
{
    ck_assert(coll_mtree_replan_least_gain(false, false) <= 0);
    ck_assert(coll_mtree_replan_least_gain(false, true) <= 0);
    ck_assert_double_eq(coll_mtree_replan_least_gain(true, false), 1.2);
    ck_assert(coll_mtree_replan_least_gain(true, true) > 1e9);
}
