/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What short messages are expected to cost over trees and by Open MPI's algorithms.
 */
#include "simulate/baseline/baseline.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/forecast.h"
#include "simulate/simulate.h"
#include "tests/unit/given.h"

#define WORK 20e-6 /* the simulator's, of a message, at each end */

static const mtree_openmpi_t stable = {0};

static double fallback_of(mtree_collective_t collective, double bytes, int ranks_per_host)
{
    const mtree_plan_request_t request = {.collective = collective, .bytes = bytes};

    return mtree_forecast_fallback_seconds(stable, topology, hosts, num_hosts,
                                           ranks_per_host, &request);
}

static double fallback(mtree_collective_t collective, double bytes)
{
    return fallback_of(collective, bytes, 1);
}

/* The seconds that are predicted of an allreduce planned by @a algorithm. */
static double planned(const char *algorithm, double bytes)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE,
                                    .algorithm = algorithm,
                                    .max_trees = 10,
                                    .bytes = bytes};
    OWNED(plan) *plan = NULL;

    unit_ok(mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, NULL));
    return plan->seconds;
}

UNIT_TEST(a_star_without_latency_is_left_to_open_mpi)
{
    double wire = 8 * 1024 / 1e9;

    given(map_file(TOPOLOGIES "/star-8.dot"));
    ck_assert_int_eq(num_hosts, 8);
    /* Recursive doubling: three rounds of a message's work at both ends and all bytes. */
    ck_assert_double_lt(fallback(MTREE_ALLREDUCE, 1024), 9 * (2 * WORK + wire));
    ck_assert_double_gt(fallback(MTREE_ALLREDUCE, 1024), 3 * (2 * WORK + wire));
    /* A large one goes over each link both ways, but for each host's own eighth. */
    ck_assert_double_eq_tol(fallback(MTREE_ALLREDUCE, 16e6), 2 * 7 * 16e6 / 1e9, 0.05);

    /* One tree, whose root talks to three others, both ways. */
    ck_assert_double_ge(planned("latency", 1024), 6 * WORK);
    ck_assert_double_gt(planned("latency", 1024), fallback(MTREE_ALLREDUCE, 1024));
}

/* A plan of 4,000 bytes over two trees, in chunks of @a chunk; host c is a relay above
 * each of the others in the second case. */
static mtree_plan_t *two_trees(mtree_collective_t collective, size_t chunk, bool relays)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const addresses[] = {"127.0.0.1:1"};
    mtree_plan_t *plan = mtree_plan_create(collective, "test", 3, names, 2);

    if (relays) {
        unit_ok(mtree_plan_add_relays(plan, 1, addresses));
    }
    plan->bytes = 4000;
    for (int t = 0; t < 2; t++) {
        plan->trees[t].root = t;
        plan->trees[t].share = relays ? 1 : 0.5;
        plan->trees[t].chunk_bytes = chunk;
        plan->trees[t].parent[2] = t;
        plan->trees[t].parent[1 - t] = relays ? 2 : t;
    }
    return plan;
}

UNIT_TEST(the_busiest_host_counts)
{
    OWNED(plan) *plan = two_trees(MTREE_ALLREDUCE, 1000, false);

    /* Two chunks both ways: to two neighbours in the one tree, to one in the other. */
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2 * 2 * 3);
}

UNIT_TEST(relays_contribute_no_block)
{
    OWNED(plan) *plan = two_trees(MTREE_ALLGATHER, 700, true);

    /* Two blocks of 2,000 bytes in three chunks each, in and out. */
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2 * 3 * 2);
}

UNIT_TEST(trees_serve_a_wan)
{
    given(map_file(TOPOLOGIES "/b4.dot"));
    ck_assert_int_eq(num_hosts, 12);
    for (double bytes = 8; bytes <= 128 << 10; bytes *= 2) {
        ck_assert_double_lt(planned("latency", bytes), fallback(MTREE_ALLREDUCE, bytes));
    }
}

UNIT_TEST(open_mpi_ignores_what_lies_between)
{
    given(map_file(TOPOLOGIES "/b4.dot"));
    ck_assert_double_gt(fallback(MTREE_ALLREDUCE, 16e6), 4 * planned("packing", 16e6));
}

UNIT_TEST(the_faster_one_serves)
{
    ck_assert(mtree_forecast_make(1, 1.6).pays);
    ck_assert(mtree_forecast_make(1, 1).pays);
    ck_assert(!mtree_forecast_make(1.4, 1).pays);
    /* Open MPI's messages may be lost, but not where they are few. */
    ck_assert(mtree_forecast_make(1.09, 1).pays);
    ck_assert(!mtree_forecast_make(1.11, 1).pays);
    ck_assert(!mtree_forecast_make(1.09e-3, 1e-3).pays);
    ck_assert(!mtree_forecast_make(1e-3, 1e-3).pays);
    ck_assert(mtree_forecast_make(0.9e-3, 1e-3).pays);
    /* What is not known is not left to it. */
    ck_assert(mtree_forecast_make(1, -1).pays);
    ck_assert_double_eq(mtree_forecast_make(1, -1).fallback, 0);
    ck_assert_double_eq(mtree_forecast_make(1, 5).seconds, 1);
    ck_assert_double_eq(mtree_forecast_make(1, 5).fallback, 5);
}

UNIT_TEST(some_ranks_of_a_host_stand_for_many)
{
    double few, many;

    given(map_file(TOPOLOGIES "/b4.dot"));
    few = fallback_of(MTREE_ALLREDUCE, 1e6, 50);
    many = fallback_of(MTREE_ALLREDUCE, 1e6, 500);
    ck_assert_double_gt(few, 0);
    ck_assert_double_gt(many, few / 2);
    ck_assert_double_lt(many, few * 2);
}

/* 4,096 ranks. */
UNIT_LOOP(a_torus_of_512_hosts_is_forecast, 0, unit_loops(3, MTREE_COLLECTIVE_LAST))
{
    const int collective = (MTREE_ALLTOALL + _i) % MTREE_COLLECTIVE_LAST;

    given(map_shape("torus:8x8x8", 1e9, 0));
    ck_assert_double_gt(fallback_of((mtree_collective_t)collective, 1e6, 8), 0);
}

/* Of many messages or bytes a part is simulated. */
UNIT_LOOP(a_part_tells_the_whole, 0, 4)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                                     MTREE_BCAST, MTREE_REDUCE_SCATTER};
    mtree_simulate_options_t options;
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result;

    given(map_shape("star:200", 10e9, 1e-6));
    mtree_simulate_default_options(&options);
    options.bytes = 12000000;
    unit_ok(mtree_simulate_baseline(
        topology, hosts, num_hosts,
        mtree_baseline_default(stable, collectives[_i], 200, options.bytes), &options,
        &result));
    ck_assert_double_eq_tol(fallback(collectives[_i], 12e6), result.seconds,
                            0.25 * result.seconds);
}

UNIT_FIXTURE(NULL, forget)
