/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MultiTree's lockstep schedule (planner/published/multitree.h builds its trees).
 */
#ifndef MTREE_PAPERS_BASELINES_MULTITREE_SCHEDULE_H
#define MTREE_PAPERS_BASELINES_MULTITREE_SCHEDULE_H

#include "papers/baselines/rounds.h"
#include "planner/published/multitree.h"

/*
 * The trees: parent[r * num_hosts + h] is h's parent in the tree rooted at host r,
 * step[...] the all-gather time step from 1 in which h is joined to it (0 for the root),
 * path[...] the arcs from the parent to h as first[...] and num[...] in arcs.
 */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_hosts, num_steps;
    int *parent, *step;
    int *first, *num; /* of each tree edge's path in arcs */
    int *arcs;
    int num_arcs, capacity;
} mtree_multitree_t;

/* The trees over the @a num_hosts vertices @a hosts of @a topology.  Errors are those of
 * mtree_multitree_build(). */
mtree_status_t mtree_multitree_create(const mtree_topology_t *topology, const int *hosts,
                                      int num_hosts, mtree_multitree_t **multitree_p);

/* Free; NULL is allowed. */
void mtree_multitree_destroy(mtree_multitree_t *multitree);

/*
 * The lockstep allreduce of Algorithm 1, lines 15 to 18: reduce-scatter in steps tot_t -
 * t + 1, all-gather in tot_t + t; piece r belongs to the tree of root r.
 */
mtree_rounds_t *mtree_multitree_schedule(const mtree_multitree_t *multitree);

#endif
