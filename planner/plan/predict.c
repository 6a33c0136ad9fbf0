/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/predict.h"

#include "planner/plan/finish.h"

#include <math.h>

double mtree_plan_message_bits(const mtree_plan_t *plan)
{
    return 8.0 * mtree_collective_root_bytes(plan->collective, plan->bytes,
                                             mtree_plan_num_active(plan));
}

/* Seconds that a message of @a bits takes over the edge above @a host, in its direction
 * or (for allreduce) in the slower one. */
static double hop_time(const mtree_problem_t *problem, const mtree_tree_t *tree, int host,
                       double bits)
{
    mtree_collective_t collective = problem->request->collective;
    double rate = INFINITY;

    if (mtree_collective_goes_down(collective)) {
        rate =
            fmin(rate, mtree_routes_capacity(problem->routes, tree->parent[host], host));
    }
    if (mtree_collective_goes_up(collective)) {
        rate =
            fmin(rate, mtree_routes_capacity(problem->routes, host, tree->parent[host]));
    }
    return tree->latency[host] + mtree_problem_hop(problem) + bits / rate;
}

/* Of a prediction, [num_hosts] each. */
typedef struct {
    double *time; /* when a host has the first chunk */
    double *part; /* of the chunk, that crosses the edge above a host */
    int *chain;
} first_chunk_t;

/*
 * Seconds until the first chunk, of @a bits, has been everywhere.  On its path it has
 * each link to itself, whatever rate the tree has there on average.
 */
static double first_chunk_time(const mtree_problem_t *problem, const mtree_plan_t *plan,
                               const mtree_tree_t *tree, double bits,
                               const first_chunk_t *first)
{
    double latest = 0.0, *time = first->time;
    int *chain = first->chain;
    bool is_prefix = mtree_collective_is_prefix(plan->collective);

    mtree_tree_parts(tree, plan->num_hosts, plan->collective, first->part);
    for (int i = 0; i < plan->num_hosts; ++i) {
        time[i] = -1.0;
    }
    time[tree->root] = 0.0;
    for (int i = 0; i < plan->num_hosts; ++i) {
        int length = 0;

        if (is_prefix && first->part[i] == 0.0) {
            continue;
        }
        for (int at = i; !mtree_tree_is_outside(tree, at) && time[at] < 0.0;
             at = tree->parent[at]) {
            chain[length++] = at;
        }
        while (length-- > 0) {
            int host = chain[length];

            time[host] = time[tree->parent[host]] +
                         hop_time(problem, tree, host, bits * first->part[host]);
            latest = fmax(latest, time[host]);
        }
    }
    return mtree_collective_passes(plan->collective) * latest;
}

/* The seconds for which the busiest arc is busy. */
static double busiest_time(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    int num_arcs = 2 * problem->topology->num_links;
    double *load, seconds;

    MTREE_ARENA_ARRAY(problem->arena, load, (size_t)num_arcs);
    mtree_plan_call_load(plan, problem->routes, 8.0 * plan->bytes, load);
    seconds = mtree_plan_busiest(problem->topology, load);
    /* Nothing is predicted where nothing gets through. */
    return isfinite(seconds) ? seconds : 0.0;
}

/* What the trees of one root take: the longest path of a first chunk, and the longest
 * that a tree takes after it. */
typedef struct {
    double head, rest, both; /* seconds; `both` of the slowest tree */
} root_time_t;

static root_time_t root_time(const mtree_problem_t *problem, const mtree_plan_t *plan,
                             int root, const first_chunk_t *first)
{
    root_time_t most = {0.0, 0.0, 0.0};

    for (int t = 0; t < plan->num_trees; ++t) {
        const mtree_tree_t *tree = &plan->trees[t];
        double bits = tree->share * mtree_plan_message_bits(plan), widest, chunk, head,
               rest;

        if (tree->root != root || bits <= 0.0 || tree->rate <= 0.0) {
            continue;
        }
        widest = mtree_tree_widest(tree, plan->num_hosts, plan->collective);
        if (widest <= 0.0) {
            continue;
        }
        chunk = fmin(8.0 * (double)tree->chunk_bytes / widest, bits);
        head = first_chunk_time(problem, plan, tree, chunk, first);
        rest = (bits - chunk) / (tree->rate * MTREE_PLAN_YIELD);
        most.head = fmax(most.head, head);
        most.rest = fmax(most.rest, rest);
        most.both = fmax(most.both, head + rest);
    }
    return most;
}

void mtree_plan_predict(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double heads = 0.0, rest = 0.0, slowest = 0.0;
    first_chunk_t first;

    MTREE_ARENA_ARRAY(problem->arena, first.time, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, first.part, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, first.chain, (size_t)plan->num_hosts);
    for (int root = 0; root < plan->num_hosts; ++root) {
        root_time_t time = root_time(problem, plan, root, &first);

        heads += time.head;
        rest = fmax(rest, time.rest);
        slowest = fmax(slowest, time.both);
    }
    plan->seconds =
        fmax(busiest_time(problem, plan),
             mtree_collective_is_prefix(plan->collective) ? heads + rest : slowest);
}
