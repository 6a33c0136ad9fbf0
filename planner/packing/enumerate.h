/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every spanning tree there is, where they are few enough to be looked at one by one.
 */
#ifndef MTREE_PLANNER_PACKING_ENUMERATE_H
#define MTREE_PLANNER_PACKING_ENUMERATE_H

#include "planner/packing/columns.h"

/* Up to this many hosts spanning trees are counted; beyond, there are always too many or
 * it does not pay. */
#define MTREE_ENUMERATE_MAX_HOSTS 32

/*
 * The number of spanning trees of undirected @a candidates (Kirchhoff: a cofactor of the
 * Laplacian matrix); infinite beyond MTREE_ENUMERATE_MAX_HOSTS.
 */
double mtree_enumerate_count(const mtree_candidates_t *candidates);

/* Put them all into @a pool. */
mtree_status_t mtree_enumerate_trees(const mtree_candidates_t *candidates,
                                     mtree_columns_t *columns);

#endif
