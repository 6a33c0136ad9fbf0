/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/direct_exchange.h"

#include "planner/packing/reweight.h"

/* Messages grow with the square of the hosts, and the linear program with its cube. */
#define MOST_HOSTS 64

/* An arc without capacity gets next to none: a plan without any rate would be an error.
 */
#define LEAST_CAPACITY 1e-9 /* bits/s */

bool mtree_direct_exchange_fits(const mtree_routes_t *routes, int num_hosts)
{
    return num_hosts >= 3 && num_hosts <= MOST_HOSTS &&
           mtree_direct_exchange_passes_nobody(routes, num_hosts);
}

bool mtree_direct_exchange_passes_nobody(const mtree_routes_t *routes, int num_hosts)
{
    for (int from = 0; from < num_hosts; from++) {
        for (int to = 0; to < num_hosts; to++) {
            if (from != to && !mtree_routes_adjacent(routes, from, to)) {
                return false;
            }
        }
    }
    return true;
}

/* Make @a tree one from @a root to every other host. */
static void fill_tree(int root, int num_hosts, mtree_tree_t *tree)
{
    tree->root = root;
    for (int host = 0; host < num_hosts; host++) {
        tree->parent[host] = host == root ? -1 : root;
    }
}

mtree_status_t mtree_direct_exchange_plan(const mtree_problem_t *problem,
                                          mtree_plan_t **plan_p)
{
    mtree_collective_t collective = problem->request->collective;
    bool has_root = mtree_collective_has_root(collective);
    int num_trees = has_root ? 1 : problem->num_hosts;
    mtree_plan_t *plan = *plan_p = mtree_problem_plan(problem, "direct", num_trees);

    for (int t = 0; t < num_trees; t++) {
        fill_tree(has_root ? problem->request->root : t, problem->num_hosts,
                  &plan->trees[t]);
    }
    /* Blocks are alike, so mtree_plan_finish() gives all trees the highest common rate.
     */
    if (collective == MTREE_ALLREDUCE) {
        const double *rate = mtree_reweight_rates(problem, plan, LEAST_CAPACITY);

        for (int t = 0; t < num_trees; t++) {
            plan->trees[t].rate = rate[t];
        }
    }
    return MTREE_OK;
}
