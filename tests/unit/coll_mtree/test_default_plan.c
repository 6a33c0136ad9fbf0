/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan that every rank makes without a message. */
#include "coll_mtree/call/default_plan.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "tests/unit/whole_plan.h"

static int depth_of(const mtree_tree_t *tree, int host)
{
    int depth = 0;

    for (; tree->parent[host] >= 0; host = tree->parent[host]) {
        ck_assert_int_lt(++depth, 32);
    }
    ck_assert_int_eq(host, 0);
    return depth;
}

static mtree_plan_t *plan_of(mtree_collective_t collective, int root, int ranks)
{
    mtree_plan_t *plan = coll_mtree_default_plan_create(collective, root, ranks);

    ck_assert_int_eq(plan->num_hosts, ranks);
    return plan;
}

UNIT_TEST(one_binomial_tree_spans_all_ranks)
{
    for (int ranks = 1; ranks < 70; ranks++) {
        OWNED(plan) *plan = plan_of(MTREE_BCAST, 0, ranks);

        ck_assert_int_eq(plan->num_trees, 1);
        ck_assert(plan->trees[0].share == 1 && plan->trees[0].rate > 0);
        for (int rank = 0; rank < ranks; rank++) {
            ck_assert_int_eq(depth_of(&plan->trees[0], rank),
                             __builtin_popcount((unsigned)rank));
        }
    }
}

/* Blocks take no detour. */
UNIT_TEST(personalized_ones_have_a_star_per_root)
{
    OWNED(plan) *one = plan_of(MTREE_GATHER, 3, 5);
    OWNED(plan) *all = plan_of(MTREE_ALLTOALL, -1, 5);

    ck_assert_int_eq(one->num_trees, 1);
    ck_assert_int_eq(all->num_trees, 5);
    for (int host = 0; host < 5; host++) {
        ck_assert_int_eq(one->trees[0].parent[host], host == 3 ? -1 : 3);
        ck_assert_int_eq(all->trees[3].parent[host], host == 3 ? -1 : 3);
    }
    ck_assert_int_eq(all->trees[4].root, 4);
}

UNIT_TEST(each_rank_is_a_host_of_its_own)
{
    OWNED(placement) *placement = coll_mtree_default_placement_create(12);

    ck_assert_int_eq(placement->num_hosts, 12);
    for (int rank = 0; rank < 12; rank++) {
        ck_assert_int_eq(placement->host[rank], rank);
    }
}

UNIT_TEST(there_is_one_for_every_collective)
{
    OWNED(placement) *placement = coll_mtree_default_placement_create(5);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        const mtree_call_t call = {.collective = (mtree_collective_t)c,
                                   .root = 3,
                                   .units = 1000,
                                   .unit_bytes = 4};
        OWNED(plan) *plan = plan_of(call.collective, 3, 5);

        for (int rank = 0; rank < 5; rank++) {
            OWNED(layout) *layout = NULL;

            unit_ok(layout_from_plan(plan, placement, &call, rank, &layout));
            ck_assert_int_gt(layout->num_streams, 0);
        }
    }
}
