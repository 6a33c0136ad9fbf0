/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/psld_plink.h"

#include "planner/plan/finish.h"
#include "planner/regular/shallow_tree.h"

#include <math.h>

double mtree_psld_bandwidth(const mtree_problem_t *problem, int from, int to)
{
    double sum = 0;

    MTREE_ROUTE_ARCS (arc, problem->routes, from, to) {
        sum += mtree_arc_capacity(problem->topology, arc);
    }
    return from == to ? 0 : sum / mtree_routes_links(problem->routes, from, to);
}

/* The mean bandwidth to `host` from the others. */
static double mean_bandwidth(const mtree_problem_t *problem, int host)
{
    double sum = 0;

    for (int other = 0; other < problem->num_hosts; other++) {
        sum += mtree_psld_bandwidth(problem, other, host);
    }
    return sum / (problem->num_hosts - 1);
}

/* The unused host of the largest bandwidth; it becomes used. */
static int take_best(double *bandwidth, int num_hosts)
{
    int best = 0;

    for (int host = 1; host < num_hosts; host++) {
        best = bandwidth[host] > bandwidth[best] ? host : best;
    }
    bandwidth[best] = -1;
    return best;
}

mtree_status_t mtree_psld_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    int n = problem->num_hosts, max_trees = problem->request->max_trees;
    int num_servers = max_trees > 0 && max_trees < n ? max_trees : n;
    double *bandwidth;

    *plan_p = mtree_problem_plan(problem, "psld", num_servers);
    MTREE_ARENA_ARRAY(problem->arena, bandwidth, (size_t)n);
    for (int host = 0; host < n; host++) {
        bandwidth[host] = mean_bandwidth(problem, host);
    }
    for (int t = 0; t < num_servers; t++) {
        mtree_tree_t *tree = &(*plan_p)->trees[t];

        tree->root = take_best(bandwidth, n);
        tree->rate = mean_bandwidth(problem, tree->root);
        for (int host = 0; host < n; host++) {
            tree->parent[host] = host == tree->root ? -1 : tree->root;
        }
    }
    /* The rates are proportions so far. */
    mtree_plan_scale_rates(problem, *plan_p);
    return MTREE_OK;
}

/*
 * Leaders: the latency centre, then always the host that is farthest from its nearest
 * leader.  leader[h] becomes the nearest leader of h.
 */
static void choose_leaders(const mtree_problem_t *problem, int num_leaders, int *leader)
{
    int n = problem->num_hosts, next = mtree_shallow_tree_center(problem);

    for (int host = 0; host < n; host++) {
        leader[host] = next;
    }
    for (int made = 1; made <= num_leaders; made++) {
        double far = -1;
        int newest = next;

        for (int host = 0; host < n; host++) {
            double distance = mtree_routes_latency(problem->routes, host, leader[host]);

            if (mtree_routes_latency(problem->routes, host, newest) < distance) {
                leader[host] = newest;
                distance = mtree_routes_latency(problem->routes, host, newest);
            }
            if (distance > far) {
                far = distance;
                next = host;
            }
        }
    }
}

/* The leader with the largest mean bandwidth to the others. */
static int choose_root(const mtree_problem_t *problem, const int *leader)
{
    double best = -1;
    int root = leader[0];

    for (int host = 0; host < problem->num_hosts; host++) {
        double sum = 0;

        for (int other = 0; other < problem->num_hosts; other++) {
            sum +=
                leader[other] == other ? mtree_psld_bandwidth(problem, other, host) : 0;
        }
        if (leader[host] == host && sum > best) {
            best = sum;
            root = host;
        }
    }
    return root;
}

mtree_status_t mtree_plink_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    int n = problem->num_hosts, root, *leader;

    *plan_p = mtree_problem_plan(problem, "plink", 1);
    MTREE_ARENA_ARRAY(problem->arena, leader, (size_t)n);
    choose_leaders(problem, (int)ceil(sqrt(n)), leader);
    root = choose_root(problem, leader);
    for (int host = 0; host < n; host++) {
        (*plan_p)->trees[0].parent[host] = leader[host] != host ? leader[host] : root;
    }
    (*plan_p)->trees[0].parent[root] = -1;
    (*plan_p)->trees[0].root = root;
    return MTREE_OK;
}
