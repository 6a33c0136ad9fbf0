/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan that every rank makes without a message. */
#include "coll_mtree/call/default_plan.h"
#include "tests/unit/whole_plan.h"

#include <check.h>
#include <stdlib.h>

static int depth_of(const mtree_tree_t *tree, int host)
{
    int depth = 0;

    for (; tree->parent[host] >= 0; host = tree->parent[host]) {
        ck_assert_int_lt(++depth, 32);
    }
    ck_assert_int_eq(host, 0);
    return depth;
}

START_TEST(one_binomial_tree_spans_all_ranks)
{
    for (int ranks = 1; ranks < 70; ranks++) {
        mtree_placement_t *placement;
        mtree_plan_t *plan;

        ck_assert_int_eq(coll_mtree_default_plan_create(ranks, &plan, &placement),
                         MTREE_OK);
        ck_assert_int_eq(plan->num_trees, 1);
        ck_assert_int_eq(plan->num_hosts, ranks);
        ck_assert(plan->trees[0].share == 1 && plan->trees[0].rate > 0);
        for (int rank = 0; rank < ranks; rank++) {
            ck_assert_int_eq(depth_of(&plan->trees[0], rank),
                             __builtin_popcount((unsigned)rank));
        }
        mtree_plan_destroy(plan);
        mtree_placement_destroy(placement);
    }
}
END_TEST

START_TEST(each_rank_is_a_host_of_its_own)
{
    mtree_placement_t *placement;
    mtree_plan_t *plan;

    ck_assert_int_eq(coll_mtree_default_plan_create(12, &plan, &placement), MTREE_OK);
    ck_assert_int_eq(placement->num_hosts, 12);
    for (int rank = 0; rank < 12; rank++) {
        ck_assert_int_eq(placement->host[rank], rank);
    }
    ck_assert_str_eq(plan->hosts[11], "11");
    mtree_plan_destroy(plan);
    mtree_placement_destroy(placement);
}
END_TEST

START_TEST(it_serves_every_collective_that_is_not_personalized)
{
    mtree_placement_t *placement;
    mtree_plan_t *plan;

    ck_assert_int_eq(coll_mtree_default_plan_create(5, &plan, &placement), MTREE_OK);
    for (int c = 0; c <= MTREE_REDUCE_SCATTER; c++) {
        const mtree_call_t call = {.collective = (mtree_collective_t)c,
                                   .root = 3,
                                   .units = 1000,
                                   .unit_bytes = 4};

        for (int rank = 0; rank < 5; rank++) {
            mtree_layout_t *layout;

            ck_assert_int_eq(layout_from_plan(plan, placement, &call, rank, &layout),
                             MTREE_OK);
            ck_assert_int_gt(layout->num_streams, 0);
            mtree_layout_destroy(layout);
        }
    }
    mtree_plan_destroy(plan);
    mtree_placement_destroy(placement);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("default_plan");
    TCase *tcase = tcase_create("default_plan");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, one_binomial_tree_spans_all_ranks);
    tcase_add_test(tcase, each_rank_is_a_host_of_its_own);
    tcase_add_test(tcase, it_serves_every_collective_that_is_not_personalized);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
