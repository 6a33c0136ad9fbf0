/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/default_plan.h"

#include "coll_mtree/base/tuning.h"

#include "base/memory.h"

#include <stdlib.h>

/* A plan with @a num_trees trees whose edges are not set.  Nobody asks for the names of
 * its hosts. */
static mtree_plan_t *plan_create(mtree_collective_t collective, int num_ranks,
                                 int num_trees)
{
    const char **names = mtree_calloc((size_t)num_ranks, sizeof(*names));
    mtree_plan_t *plan;

    for (int rank = 0; rank < num_ranks; rank++) {
        names[rank] = "";
    }
    plan = mtree_plan_create(collective, "plain", num_ranks, names, num_trees);
    free(names);
    return plan;
}

/* All other hosts are below @a root. */
static void make_star(mtree_tree_t *tree, int num_hosts, int root)
{
    for (int host = 0; host < num_hosts; host++) {
        tree->parent[host] = host == root ? -1 : root;
    }
    tree->root = root;
}

static void make_binomial(mtree_tree_t *tree, int num_hosts)
{
    /* The number without its lowest bit.  The root, 0, keeps its -1. */
    for (int host = 1; host < num_hosts; host++) {
        tree->parent[host] = host & (host - 1);
    }
}

mtree_plan_t *coll_mtree_default_plan_create(mtree_collective_t collective, int root,
                                             int num_ranks)
{
    const bool has_demands = mtree_collective_has_demands(collective);
    const bool has_root = mtree_collective_has_root(collective);
    mtree_plan_t *plan = plan_create(has_demands ? collective : MTREE_ALLREDUCE,
                                     num_ranks, has_demands && !has_root ? num_ranks : 1);

    for (int t = 0; t < plan->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        if (has_demands) {
            make_star(tree, num_ranks, has_root ? root : t);
        } else {
            make_binomial(tree, num_ranks);
        }
        tree->rate = COLL_MTREE_ASSUMED_RATE;
        tree->share = 1;
    }
    if (has_demands && has_root) {
        plan->root = root;
    }
    plan->throughput = COLL_MTREE_ASSUMED_RATE;
    return plan;
}

mtree_placement_t *coll_mtree_default_placement_create(int num_ranks)
{
    int *host = mtree_malloc((size_t)num_ranks * sizeof(*host));
    mtree_placement_t *placement;

    for (int rank = 0; rank < num_ranks; rank++) {
        host[rank] = rank;
    }
    mtree_require(mtree_placement_create(num_ranks, num_ranks, host, NULL, &placement));
    free(host);
    return placement;
}
