/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/shallow_tree.h"

#include "planner/graph/candidates.h"

#include <math.h>
#include <stdlib.h>

/* The other end of an edge. */
typedef struct {
    int host;
    double latency;
} end_t;

/* The edges at each host, the nearest first, and the state of one tree in the making. */
typedef struct {
    const mtree_candidates_t *candidates;
    end_t *ends;   /* the other hosts of a host's edges, from candidates->out_first on */
    int *next;     /* [num_hosts] the first end of a host that may not be reached yet */
    double *ready; /* [num_hosts] when a host can send the next time; infinite: not
                      reached */
    double hop;    /* seconds that a message costs */
} grower_t;

static int end_compare(const void *left, const void *right)
{
    const end_t *a = left, *b = right;

    if (a->latency != b->latency) {
        return a->latency < b->latency ? -1 : 1;
    }
    return (a->host > b->host) - (a->host < b->host);
}

static mtree_status_t grower_init(grower_t *grower, const mtree_problem_t *problem)
{
    mtree_candidates_t *candidates;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);
    size_t num_hosts = (size_t)problem->num_hosts;
    const int *first;

    if (status != MTREE_OK) {
        return status;
    }
    grower->candidates = candidates;
    grower->hop = mtree_problem_hop(problem);
    first = candidates->out_first;
    MTREE_ARENA_ARRAY(problem->arena, grower->ends, (size_t)first[num_hosts]);
    MTREE_ARENA_ARRAY(problem->arena, grower->next, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, grower->ready, num_hosts);
    for (int i = 0; i < candidates->num_hosts; ++i) {
        for (int o = first[i]; o < first[i + 1]; ++o) {
            int edge = candidates->out[o];

            grower->ends[o] = (end_t){mtree_candidates_other(candidates, edge, i),
                                      candidates->latency[edge]};
        }
        qsort(grower->ends + first[i], (size_t)(first[i + 1] - first[i]),
              sizeof(*grower->ends), end_compare);
    }
    return MTREE_OK;
}

/*
 * Grow a tree from @a root: the next host is always the one that can have the message
 * soonest, when every host that has it sends it on to one after the other,
 * `hop` apart.  Where latencies are large this is the tree of least
 * latencies; where they are small it is binomial.
 */
static void grow_tree(grower_t *grower, int root, mtree_tree_t *tree)
{
    const int *first = grower->candidates->out_first;
    int num_hosts = grower->candidates->num_hosts;

    for (int i = 0; i < num_hosts; ++i) {
        grower->next[i] = first[i];
        grower->ready[i] = INFINITY;
        tree->parent[i] = -1;
    }
    tree->root = root;
    grower->ready[root] = 0.0;
    for (int reached = 1; reached < num_hosts; ++reached) {
        double soonest = INFINITY;
        int parent = -1;

        for (int i = 0; i < num_hosts; ++i) {
            if (!isfinite(grower->ready[i])) {
                continue;
            }
            while (grower->next[i] < first[i + 1] &&
                   isfinite(grower->ready[grower->ends[grower->next[i]].host])) {
                ++grower->next[i];
            }
            if (grower->next[i] < first[i + 1] &&
                grower->ready[i] + grower->ends[grower->next[i]].latency < soonest) {
                soonest = grower->ready[i] + grower->ends[grower->next[i]].latency;
                parent = i;
            }
        }
        if (parent < 0) {
            return; /* not reached: the candidates connect all hosts */
        }
        int child = grower->ends[grower->next[parent]].host;

        tree->parent[child] = parent;
        grower->ready[child] = soonest + grower->hop;
        grower->ready[parent] += grower->hop;
    }
}

int mtree_shallow_tree_center(const mtree_problem_t *problem)
{
    double least = INFINITY;
    int center = 0;

    for (int from = 0; from < problem->num_hosts; ++from) {
        double farthest = 0.0;

        for (int to = 0; to < problem->num_hosts; ++to) {
            farthest = fmax(farthest, mtree_routes_latency(problem->routes, from, to));
        }
        if (farthest < least) {
            least = farthest;
            center = from;
        }
    }
    return center;
}

mtree_status_t mtree_shallow_tree_plan(const mtree_problem_t *problem,
                                       mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    bool gathering = mtree_collective_has_blocks(request->collective);
    int num_trees = gathering ? problem->num_hosts : 1;
    grower_t grower;
    mtree_status_t status = grower_init(&grower, problem);

    if (status != MTREE_OK) {
        return status;
    }
    *plan_p = mtree_problem_plan(problem, "latency", num_trees);
    for (int t = 0; t < num_trees; ++t) {
        int root = gathering ? t
                   : mtree_collective_has_root(request->collective)
                       ? request->root
                       : mtree_shallow_tree_center(problem);

        grow_tree(&grower, root, &(*plan_p)->trees[t]);
    }
    return MTREE_OK;
}
