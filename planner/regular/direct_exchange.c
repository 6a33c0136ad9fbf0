/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/direct_exchange.h"

#include "planner/solver/dense_simplex.h"

/* Messages grow with the square of the hosts, and the linear program with its cube. */
#define MOST_HOSTS 64

bool mtree_direct_exchange_fits(const mtree_problem_t *problem)
{
    if (problem->num_hosts < 3 || problem->num_hosts > MOST_HOSTS) {
        return false;
    }
    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            if (from != to && !mtree_routes_adjacent(problem->routes, from, to)) {
                return false;
            }
        }
    }
    return true;
}

/* Count in @a uses, [arcs], how often an allreduce over the tree of @a root crosses each.
 */
static void count_uses(const mtree_problem_t *problem, int root, int *uses)
{
    for (int other = 0; other < problem->num_hosts; other++) {
        for (int up = 0; up < 2; up++) {
            int num_arcs;
            const int *arcs = mtree_routes_get(problem->routes, up ? other : root,
                                               up ? root : other, &num_arcs);

            for (int a = 0; a < num_arcs; a++) {
                uses[arcs[a]]++;
            }
        }
    }
}

/* An arc without capacity gets next to none: a plan without any rate would be an error.
 */
static double least_capacity(double capacity)
{
    return capacity > 0 ? capacity : 1e-9;
}

/* The rates of the trees that together give an allreduce the most throughput. */
static mtree_status_t choose_rates(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    int num_arcs = 2 * problem->topology->num_links, num_trees = plan->num_trees;
    mtree_arena_t *arena = problem->arena;
    double *capacity, *weight;
    mtree_dense_simplex_t *simplex;
    int **use;

    MTREE_ARENA_ARRAY(arena, use, (size_t)num_trees);
    MTREE_ARENA_ARRAY(arena, capacity, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, weight, (size_t)num_trees);
    for (int t = 0; t < num_trees && arena->status == MTREE_OK; t++) {
        MTREE_ARENA_ARRAY(arena, use[t], (size_t)num_arcs);
    }
    simplex = mtree_dense_simplex_create(arena, num_arcs, capacity, num_trees, 1);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int arc = 0; arc < num_arcs; arc++) {
        capacity[arc] = least_capacity(mtree_arc_capacity(problem->topology, arc));
    }
    for (int t = 0; t < num_trees; t++) {
        weight[t] = 1;
        count_uses(problem, t, use[t]);
    }
    mtree_dense_simplex_solve(simplex, num_trees, use, weight, NULL);
    for (int t = 0; t < num_trees; t++) {
        plan->trees[t].rate = simplex->rate[t];
    }
    return MTREE_OK;
}

mtree_status_t mtree_direct_exchange_plan(const mtree_problem_t *problem,
                                          mtree_plan_t **plan_p)
{
    int num_hosts = problem->num_hosts;
    mtree_status_t status = mtree_problem_plan(problem, "direct", num_hosts, plan_p);

    if (status != MTREE_OK) {
        return status;
    }
    for (int root = 0; root < num_hosts; root++) {
        mtree_tree_t *tree = &(*plan_p)->trees[root];

        tree->root = root;
        for (int host = 0; host < num_hosts; host++) {
            tree->parent[host] = host == root ? -1 : root;
        }
    }
    return problem->request->collective == MTREE_ALLREDUCE
               ? choose_rates(problem, *plan_p)
               : MTREE_OK;
}
