/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/trees.h"

#include "planner/packing/reweight.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* Messages grow with the square of the hosts, and the linear program with its cube. */
#define MOST_DIRECT_HOSTS 64

/* An arc without capacity gets next to none: a plan without any rate would be an error.
 */
#define LEAST_CAPACITY 1e-9 /* bits/s */

/* Double trees. */
#define NUM_TREES 2

/* mtree_plan_finish() gives all trees the highest common rate. */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const bool lockstep = strcmp(problem->algorithm, "ring") == 0;
    const bool has_blocks = mtree_collective_has_blocks(problem->request->collective);
    const int n = problem->num_hosts;

    *plan_p = mtree_problem_plan(problem, problem->algorithm, n);
    for (int root = 0; root < n; root++) {
        mtree_tree_t *tree = &(*plan_p)->trees[root];

        tree->share = has_blocks ? 1.0 : 1.0 / n;
        tree->root = root;
        for (int step = 1; step < n; step++) {
            int host = (root + step) % n;

            tree->parent[host] = (root + step - 1) % n;
            tree->step[host] = lockstep ? step : 0;
        }
    }
    return MTREE_OK;
}

bool mtree_direct_exchange_fits(const mtree_routes_t *routes, int num_hosts)
{
    return num_hosts >= 3 && num_hosts <= MOST_DIRECT_HOSTS &&
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
    if (collective == MTREE_ALLREDUCE &&
        2.0 * problem->topology->num_links * num_trees <= MTREE_TUNED_STEP_WORK) {
        const double *rate = mtree_reweight_rates(problem, plan, LEAST_CAPACITY);

        for (int t = 0; t < num_trees; t++) {
            plan->trees[t].rate = rate[t];
        }
    }
    return MTREE_OK;
}

/* The parent of `rank` in the binary tree in which a rank's height is the number of
 * trailing zeros of its number. */
static int in_order_parent(int rank, int num_hosts)
{
    int bit = rank & -rank;
    int parent;

    if (rank == 0) {
        return -1;
    }
    parent = (rank ^ bit) | (bit << 1);
    return parent < num_hosts ? parent : rank ^ bit;
}

void mtree_double_tree_parents(int num_hosts, int *parent)
{
    for (int host = 0; host < num_hosts; host++) {
        int up = in_order_parent(host, num_hosts);
        int second, second_up;

        parent[host] = up;
        /* Mirrored, leaves (odd) and inner ranks (even) change places when the number is
         * even; shifted by one when odd. */
        if (num_hosts % 2 == 0) {
            second = num_hosts - 1 - host;
            second_up = up < 0 ? -1 : num_hosts - 1 - up;
        } else {
            second = (host + 1) % num_hosts;
            second_up = up < 0 ? -1 : (up + 1) % num_hosts;
        }
        parent[num_hosts + second] = second_up;
    }
}

/* Two trees over the hosts from number @a above of @a order on; with 1 the first host of
 * it stands above both, else a root is one of the hosts. */
static void fill_trees(const mtree_problem_t *problem, const int *order, int above,
                       int *parent, mtree_plan_t *plan)
{
    int num_below = problem->num_hosts - above;

    mtree_double_tree_parents(num_below, parent);
    for (int t = 0; t < NUM_TREES; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = order[0];
        tree->parent[order[0]] = -1;
        for (int i = 0; i < num_below; i++) {
            int up = parent[t * num_below + i];
            int host = order[i + above];

            tree->parent[host] = up >= 0 ? order[up + above] : above ? order[0] : -1;
            tree->root = tree->parent[host] < 0 ? host : tree->root;
        }
        if (mtree_collective_has_root(plan->collective)) {
            mtree_tree_turn(tree, order[0]);
        }
    }
}

/* The seconds that the trees of @a plan take, about. */
static double estimate(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    double *load;
    int hops = 0;

    MTREE_ARENA_ARRAY(problem->arena, load, 2 * (size_t)problem->topology->num_links);
    for (int t = 0; t < NUM_TREES; t++) {
        int height = mtree_tree_height(&plan->trees[t], plan->num_hosts);

        hops = height > hops ? height : hops;
        mtree_plan_tree_load(plan, t, problem->routes, 8.0 / NUM_TREES, load);
    }
    return hops * mtree_problem_hop(problem) +
           fmax(problem->request->bytes, 1.0) *
               mtree_plan_busiest(problem->topology, load);
}

mtree_status_t mtree_double_tree_plan(const mtree_problem_t *problem,
                                      mtree_plan_t **plan_p)
{
    bool rooted = mtree_collective_has_root(problem->request->collective);
    size_t num_hosts = (size_t)problem->num_hosts;
    int *order, *parent;

    MTREE_ARENA_ARRAY(problem->arena, order, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, parent, NUM_TREES * num_hosts);
    *plan_p = mtree_problem_plan(problem, "doubletree", NUM_TREES);
    mtree_routes_order(problem->routes, rooted ? problem->request->root : 0, order);
    fill_trees(problem, order, rooted, parent, *plan_p);
    if (rooted) {
        double seconds = estimate(problem, *plan_p);

        fill_trees(problem, order, 0, parent, *plan_p);
        if (!(estimate(problem, *plan_p) < seconds)) {
            fill_trees(problem, order, 1, parent, *plan_p);
        }
    }
    return MTREE_OK;
}
