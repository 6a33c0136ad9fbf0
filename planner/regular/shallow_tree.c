/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/shallow_tree.h"

#include "base/arena.h"

#include "planner/graph/candidates.h"
#include "planner/plan/finish.h"

#include <math.h>
#include <stdlib.h>

/* The edges at each host, the nearest first, and the state of one tree in the making. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    const mtree_candidates_t *candidates;
    int *first; /* [num_hosts + 1] where a host's ends start in `ends` */
    struct end {
        int host;
        double latency;
    } * ends;  /* the other hosts of a host's edges */
    int *next; /* [num_hosts] the first end of a host that may not be reached yet */
    double *
        ready; /* [num_hosts] when a host can send the next time; infinite: not reached */
} grower_t;

static int end_compare(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->latency != b->latency) {
        return a->latency < b->latency ? -1 : 1;
    }
    return (a->host > b->host) - (a->host < b->host);
}

static void grower_fill(grower_t *grower)
{
    const mtree_candidates_t *candidates = grower->candidates;
    int num_hosts = candidates->num_hosts;
    int *place = grower->next;

    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        ++grower->first[candidates->from[edge] + 1];
        grower->first[candidates->to[edge] + 1] += !candidates->directed;
    }
    for (int i = 0; i < num_hosts; ++i) {
        grower->first[i + 1] += grower->first[i];
        place[i] = grower->first[i];
    }
    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        int from = candidates->from[edge], to = candidates->to[edge];

        grower->ends[place[from]++] = (struct end){to, candidates->latency[edge]};
        if (!candidates->directed) {
            grower->ends[place[to]++] = (struct end){from, candidates->latency[edge]};
        }
    }
    for (int i = 0; i < num_hosts; ++i) {
        qsort(grower->ends + grower->first[i],
              (size_t)(grower->first[i + 1] - grower->first[i]), sizeof(*grower->ends),
              end_compare);
    }
}

static void grower_free(grower_t *grower)
{
    mtree_arena_cleanup(&grower->arena);
}

static mtree_status_t grower_init(grower_t *grower, const mtree_candidates_t *candidates)
{
    size_t num_hosts = (size_t)candidates->num_hosts;

    grower->candidates = candidates;
    MTREE_ARENA_ARRAY(&grower->arena, grower->first, num_hosts + 1);
    MTREE_ARENA_ARRAY(&grower->arena, grower->ends,
                      2 * (size_t)candidates->num_edges + 1);
    MTREE_ARENA_ARRAY(&grower->arena, grower->next, num_hosts);
    MTREE_ARENA_ARRAY(&grower->arena, grower->ready, num_hosts);
    if (grower->arena.status != MTREE_OK) {
        grower_free(grower);
        return MTREE_ERR_NO_MEMORY;
    }
    grower_fill(grower);
    return MTREE_OK;
}

/*
 * Grow a tree from @a root: the next host is always the one that can have the message
 * soonest, when every host that has it sends it on to one after the other,
 * MTREE_CHUNK_OVERHEAD apart.  Where latencies are large this is the tree of least
 * latencies; where they are small it is binomial.
 */
static void grow_tree(grower_t *grower, int root, mtree_tree_t *tree)
{
    int num_hosts = grower->candidates->num_hosts;

    for (int i = 0; i < num_hosts; ++i) {
        grower->next[i] = grower->first[i];
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
            while (grower->next[i] < grower->first[i + 1] &&
                   isfinite(grower->ready[grower->ends[grower->next[i]].host])) {
                ++grower->next[i];
            }
            if (grower->next[i] < grower->first[i + 1] &&
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
        grower->ready[child] = soonest + MTREE_CHUNK_OVERHEAD;
        grower->ready[parent] += MTREE_CHUNK_OVERHEAD;
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
    mtree_candidates_t *candidates = NULL;
    mtree_plan_t *plan = NULL;
    grower_t grower = {0};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status != MTREE_OK) {
        return status;
    }
    status = grower_init(&grower, candidates);
    if (status != MTREE_OK) {
        goto destroy_candidates;
    }
    status = mtree_plan_create(request->collective, "latency", problem->num_hosts,
                               problem->names, num_trees, &plan);
    if (status == MTREE_OK) {
        for (int t = 0; t < num_trees; ++t) {
            int root = gathering ? t
                       : mtree_collective_has_root(request->collective)
                           ? request->root
                           : mtree_shallow_tree_center(problem);

            grow_tree(&grower, root, &plan->trees[t]);
        }
        *plan_p = plan;
    }
    grower_free(&grower);

destroy_candidates:
    mtree_candidates_destroy(candidates);
    return status;
}
