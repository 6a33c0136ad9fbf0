/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans of scatter, gather and all-to-all: each edge carries the blocks below it.
 */
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

#include "planner/algorithms.h"

static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                 MTREE_ALLTOALL};

#define NUM_COLLECTIVES ((int)(sizeof(collectives) / sizeof(collectives[0])))

/* Put what @a plan carries on each arc by following every host's block alone. */
static void follow_blocks(const mtree_plan_t *plan, double *load)
{
    bool up = plan->collective == MTREE_GATHER;

    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];

        for (int host = 0; host < plan->num_hosts; host++) {
            for (int at = host; tree->parent[at] >= 0; at = tree->parent[at]) {
                int parent = tree->parent[at];

                MTREE_ROUTE_ARCS (arc, routes, up ? at : parent, up ? parent : at) {
                    load[arc] += tree->rate / plan->num_hosts;
                }
            }
        }
    }
}

/* Of every algorithm: what the plan is said to load is what its blocks load, and some arc
 * is full. */
UNIT_LOOP(edges_carry_the_blocks_below_them, 0, NUM_COLLECTIVES)
{
    int num_done = 0;

    given_routes(network_b4(1));
    for (const char *const *name = mtree_algorithms_names(); *name != NULL; name++) {
        mtree_plan_request_t request = {.collective = collectives[_i],
                                        .algorithm = *name,
                                        .root = 5,
                                        .max_trees = 10,
                                        .bytes = 12e6};
        double said[64] = {0}, followed[64] = {0};
        OWNED(plan) *plan = NULL;

        if (!mtree_algorithms_fit(*name, topology, num_hosts, &request)) {
            continue;
        }
        plan = network_plan(topology, &request);
        mtree_plan_load(plan, routes, said);
        follow_blocks(plan, followed);
        for (int arc = 0; arc < 2 * topology->num_links; arc++) {
            ck_assert_double_eq_tol(said[arc], followed[arc], 1e-6 * plan->throughput);
        }
        ck_assert_double_ge(plan->seconds, 8 * plan->bytes *
                                               mtree_plan_busiest(topology, said) /
                                               plan->throughput * 0.999);
        num_done++;
    }
    ck_assert_int_gt(num_done, 0);
}

/* A chain a - b - c from a: b's edge carries two blocks of three. */
UNIT_TEST(parts_of_a_chain)
{
    static const char *const names[] = {"a", "b", "c"};
    double part[3];
    OWNED(plan) *plan = mtree_plan_create(MTREE_SCATTER, "test", 3, names, 1);

    plan->trees[0].root = 0;
    plan->trees[0].parent[1] = 0;
    plan->trees[0].parent[2] = 1;
    mtree_tree_parts(&plan->trees[0], 3, MTREE_SCATTER, part);
    ck_assert_double_eq(part[0], 0);
    ck_assert_double_eq_tol(part[1], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(part[2], 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(mtree_tree_widest(&plan->trees[0], 3, MTREE_GATHER), 2.0 / 3,
                            1e-12);
    mtree_tree_parts(&plan->trees[0], 3, MTREE_BCAST, part);
    ck_assert_double_eq(part[0], 0);
    ck_assert_double_eq(part[1], 1);
    ck_assert_double_eq(part[2], 1);
}

UNIT_LOOP(files_keep_them, 0, NUM_COLLECTIVES)
{
    mtree_plan_request_t request = {.collective = collectives[_i], .bytes = 12e6};
    OWNED(plan) *plan = NULL, *read = NULL;

    given(network_b4(1));
    plan = network_plan(topology, &request);
    read = network_plan_again(plan);
    ck_assert_int_eq(read->collective, collectives[_i]);
    ck_assert_int_eq(read->root, plan->root);
    ck_assert_int_eq(read->num_trees, plan->num_trees);
}

UNIT_FIXTURE(NULL, forget)
