/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/multitree_schedule.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

OWNED_TYPE(rounds)

static mtree_multitree_t *trees;

static void teardown(void)
{
    mtree_multitree_destroy(trees);
    trees = NULL;
    forget();
}

/* The schedule on the network @a map, which is the test's. */
static mtree_rounds_t *make_schedule(mtree_topology_t *map)
{
    mtree_rounds_t *schedule;

    teardown();
    given_routes(map);
    unit_ok(mtree_multitree_create(topology, hosts, num_hosts, &trees));
    schedule = mtree_multitree_schedule(trees);
    unit_ok(mtree_rounds_check(schedule));
    return schedule;
}

/* Fig. 3, and the schedule tables of Fig. 5: every tree in two steps, step by step. */
UNIT_TEST(test_2x2_mesh_of_figure_3)
{
    static const int parent[4][4] = {
        {-1, 0, 0, 2}, {1, -1, 3, 1}, {2, 0, -1, 2}, {1, 3, 3, -1}};
    static const int step[4][4] = {
        {0, 1, 1, 2}, {1, 0, 2, 1}, {1, 2, 0, 1}, {2, 1, 1, 0}};
    OWNED(rounds) *schedule = make_schedule(map_shape("mesh:2x2", 1e9, 1e-6));

    ck_assert_int_eq(trees->num_steps, 2);
    for (int i = 0; i < 16; i++) {
        ck_assert_int_eq(trees->parent[i], parent[i / 4][i % 4]);
        ck_assert_int_eq(trees->step[i], step[i / 4][i % 4]);
    }
    ck_assert_int_eq(schedule->num_steps, 4);
    ck_assert_int_eq(schedule->num_transfers, 24);
    ck_assert_double_eq(mtree_rounds_contention(schedule, topology, routes), 1);
}

/* Accelerator 0's table in Fig. 5: (reduce, tree, to whom, step). */
UNIT_TEST(test_schedule_table_of_figure_5)
{
    static const mtree_transfer_t table[] = {
        {1, 0, 1, 3, true, 0, 0},  {2, 0, 1, 1, true, 0, 0},  {2, 0, 2, 2, true, 0, 0},
        {3, 0, 1, 0, false, 0, 0}, {3, 0, 2, 0, false, 0, 0}, {4, 0, 1, 2, false, 0, 0}};
    OWNED(rounds) *schedule = make_schedule(map_shape("mesh:2x2", 1e9, 1e-6));
    int sent = 0;

    for (int i = 0; i < schedule->num_transfers; i++) {
        const mtree_transfer_t *transfer = &schedule->transfers[i];
        bool found = false;

        if (transfer->from != 0) {
            continue;
        }
        sent++;
        for (size_t entry = 0; entry < sizeof(table) / sizeof(table[0]); entry++) {
            found = found || (table[entry].step == transfer->step &&
                              table[entry].to == transfer->to &&
                              table[entry].piece == transfer->piece &&
                              table[entry].reduce == transfer->reduce);
        }
        ck_assert(found);
    }
    ck_assert_int_eq(sent, 6);
}

/* On a torus one step more than n (n - 1) transfers need over the arcs that there are;
 * the 4x4 one's five steps are the 25 GB/s of Fig. 9a.  A mesh's corners take more. */
static const struct {
    const char *shape;
    int steps;
} grids[] = {{"torus:4x4", 5}, {"torus:8x8", 17}, {"mesh:4x4", 9}, {"mesh:8x8", 32}};

UNIT_EACH(test_grids_are_free_of_contention, grids)
{
    OWNED(rounds) *schedule = make_schedule(map_shape(grids[_i].shape, 1e9, 1e-6));

    ck_assert_int_eq(trees->num_steps, grids[_i].steps);
    ck_assert_double_eq(mtree_rounds_contention(schedule, topology, routes), 1);
}

/* Two switches of two hosts each, joined by one link: each host's link carries 3 blocks
 * in, the middle one 4. */
UNIT_TEST(test_children_are_found_through_switches)
{
    OWNED(rounds) *schedule = make_schedule(map_text(
        "graph { node [kind=host] n0 n1 n2 n3; node [kind=switch] s0 s1\n"
        "edge [capacity=\"1Gbps\" latency=\"1us\"]\n"
        "n0 -- s0; n1 -- s0; n2 -- s1; n3 -- s1; s0 -- s1 [capacity=\"2Gbps\"]}"));

    /* The neighbour at the same switch comes first in every tree. */
    for (int root = 0; root < 4; root++) {
        ck_assert_int_eq(trees->parent[root * 4 + (root ^ 1)], root);
        ck_assert_int_eq(trees->step[root * 4 + (root ^ 1)], 1);
        ck_assert_int_eq(trees->num[root * 4 + (root ^ 1)], 2);
    }
    ck_assert_int_eq(trees->num_steps, 3);
    ck_assert_double_le(mtree_rounds_contention(schedule, topology, routes), 1);
}

UNIT_TEST(test_the_plan_keeps_the_capacities)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                                     MTREE_REDUCE_SCATTER};

    given(map_shape("torus:4x4", 1e9, 1e-6));
    for (int i = 0; i < 3; i++) {
        OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = collectives[i],
                                         .algorithm = "multitree");

        ck_assert_int_eq(plan->num_trees, 16);
        ck_assert_double_gt(plan->throughput, 0);
    }
}

UNIT_FIXTURE(NULL, teardown)
