/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When replan queries begin, when their replies apply, and what follows from a reply.
 */
#include "coll_mtree/call/replan_schedule.h"
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
        struct {
            double bytes, seconds;
            bool is_due;
        } calls[3];
    } cases[] = {
        {10,
         {{0, 1, false}, {10.0 * COLL_MTREE_BYTES_PER_RANK - 1, 9, false}, {1, 0, true}}},
        {2, {{1e9, 0.05, false}, {0, 0.05, true}, {0, 0, true}}},
        {1, {{1e9, 0.05, false}, {-1e9, 1, false}, {1e9, 0, true}}},
    };
    double bytes = 0, seconds = 0;

    for (int call = 0; call < 3; call++) {
        bytes += cases[_i].calls[call].bytes;
        seconds += cases[_i].calls[call].seconds;
        ck_assert_int_eq(coll_mtree_replan_query_is_due(bytes, seconds, cases[_i].ranks),
                         cases[_i].calls[call].is_due);
    }
}

UNIT_TEST(a_query_takes_less_than_a_hundredth_of_the_bytes)
{
    ck_assert_uint_lt(100 * COLL_MTREE_MOST_PATHS * sizeof(mtree_path_sample_t),
                      COLL_MTREE_BYTES_PER_RANK);
}

UNIT_TEST(sums_that_round_change_once_for_a_fifth)
{
    ck_assert(coll_mtree_replan_least_gain(false, false) <= 0);
    ck_assert(coll_mtree_replan_least_gain(false, true) <= 0);
    ck_assert_double_eq(coll_mtree_replan_least_gain(true, false), 1.2);
    ck_assert(coll_mtree_replan_least_gain(true, true) > 1e9);
}
