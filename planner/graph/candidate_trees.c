/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/candidate_trees.h"

#include "base/log.h"
#include "planner/plan/plan.h"

#include <math.h>
#include <string.h>

const int *mtree_candidates_carried(const mtree_candidates_t *candidates,
                                    const int *edges)
{
    int num_hosts = candidates->num_hosts;

    if (!candidates->is_personalized) {
        return NULL;
    }
    for (int i = 0; i < num_hosts; ++i) {
        candidates->parent[i] = -1;
        candidates->below[i] = 1;
    }
    for (int e = 0; e + 1 < num_hosts; ++e) {
        candidates->parent[candidates->to[edges[e]]] = candidates->from[edges[e]];
    }
    if (candidates->blocks != NULL) {
        int root = 0;

        while (candidates->parent[root] >= 0) {
            ++root;
        }
        memcpy(candidates->below, candidates->blocks + (size_t)root * (size_t)num_hosts,
               (size_t)num_hosts * sizeof(*candidates->below));
    }
    mtree_tree_add_up(candidates->parent, num_hosts, candidates->waiting,
                      candidates->below);
    for (int e = 0; e + 1 < num_hosts; ++e) {
        candidates->carried[e] = candidates->below[candidates->to[edges[e]]];
    }
    return candidates->carried;
}

double mtree_candidates_tree_price(const mtree_candidates_t *candidates,
                                   const double *price, const int *edges)
{
    const int *carried = mtree_candidates_carried(candidates, edges);
    double sum = 0.0;

    for (int e = 0; e + 1 < candidates->num_hosts && edges[e] >= 0; ++e) {
        sum += carried == NULL ? price[edges[e]] : price[edges[e]] * carried[e];
    }
    return sum;
}

void mtree_candidates_count(const mtree_candidates_t *candidates, const int *edges,
                            int *uses)
{
    const int *carried = mtree_candidates_carried(candidates, edges);

    memset(uses, 0, (size_t)candidates->num_constraints * sizeof(*uses));
    for (int e = 0; e + 1 < candidates->num_hosts && edges[e] >= 0; ++e) {
        for (int use = candidates->first[edges[e]]; use < candidates->first[edges[e] + 1];
             ++use) {
            uses[candidates->constraints[use]] += carried == NULL ? 1 : carried[e];
        }
    }
}

double mtree_candidates_max_rate(const mtree_candidates_t *candidates, const int *uses,
                                 const double *left)
{
    double rate = INFINITY;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        if (uses[c] > 0) {
            rate = fmin(rate, left[c] / uses[c]);
        }
    }
    return rate;
}

/* The directed edge from one host to another, -1: no candidate.  Those that leave a host
 * are in the order of the hosts that they enter. */
static int find_edge(const mtree_candidates_t *candidates, int from, int to)
{
    int first = candidates->out_first[from], end = candidates->out_first[from + 1];

    while (first < end) {
        int middle = first + (end - first) / 2;
        int other = candidates->to[candidates->out[middle]];

        if (other == to) {
            return candidates->out[middle];
        }
        if (other < to) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return -1;
}

mtree_status_t mtree_candidates_reroot(const mtree_candidates_t *candidates, int root,
                                       int *edges, int *into)
{
    int num_edges = candidates->num_hosts - 1;
    int count = 0, at = root;

    memset(into, -1, (size_t)candidates->num_hosts * sizeof(*into));
    for (int e = 0; e < num_edges; ++e) {
        into[candidates->to[edges[e]]] = edges[e];
    }
    /* Only the edges between the old root and the new lead in the wrong direction. */
    for (int edge = into[root], up = -1; edge >= 0; edge = up) {
        int parent = candidates->from[edge];

        up = into[parent];
        into[parent] = find_edge(candidates, at, parent);
        if (into[parent] < 0) {
            mtree_error(
                "planner: there is a route from host %d to host %d but none back; "
                "plan with another algorithm",
                parent, at);
            return MTREE_ERR_UNREACHABLE;
        }
        at = parent;
    }
    into[root] = -1;
    for (int i = 0; i < candidates->num_hosts; ++i) {
        if (into[i] >= 0) {
            edges[count++] = into[i];
        }
    }
    return MTREE_OK;
}
