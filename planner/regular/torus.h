/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tori: hosts at the points of a grid that closes upon itself, whatever their numbers.
 */
#ifndef MTREE_PLANNER_REGULAR_TORUS_H
#define MTREE_PLANNER_REGULAR_TORUS_H

#include "planner/plan/algorithm.h"

#define MTREE_TORUS_DIMENSIONS MTREE_SHAPE_DIMENSIONS

typedef struct {
    int num_dimensions;               /* 0: the network is no torus */
    int size[MTREE_TORUS_DIMENSIONS]; /* 0 behind the last one */
    int *host; /* [num_hosts] at each point, the last coordinate fastest */
} mtree_torus_t;

/* The torus that the problem's hosts (NULL: the vertices in their order) are, in its
 * arena: every vertex is one of the hosts, and links join neighbours alone. */
mtree_torus_t mtree_torus_find(const mtree_problem_t *problem);

/*
 * All hosts into @a order, [num_hosts], so that those whose places differ in a low bit
 * are near: along each ring places have the bits of Gray's code, and the bits of the
 * dimensions take turns.  In a ring of eight partners are then 1, 3 or 1 and 1 or 3 hops
 * from each other, and no chain of three rounds takes more than 5, as in De Sensi et
 * al., Swing: Short-cutting Rings for Higher Bandwidth Allreduce (NSDI 2024), section
 * 3.1.
 */
void mtree_torus_order(const mtree_problem_t *problem, const mtree_torus_t *torus,
                       int *order);

#endif
