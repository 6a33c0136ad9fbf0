/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cheapest arborescence: a tree of directed edges that leads from a root to every
 * other vertex (Chu and Liu, Edmonds).
 */
#ifndef MTREE_PLANNER_GRAPH_ARBORESCENCE_H
#define MTREE_PLANNER_GRAPH_ARBORESCENCE_H

#include "base/status.h"

/*
 * Edge e leads from from[e] to to[e] at price[e], any finite number.  edge_p[v] becomes
 * the edge into vertex v, -1 for the root.  Of equally cheap edges into a vertex the
 * first is taken.  MTREE_ERR_UNREACHABLE (not logged) when a vertex cannot be reached.
 */
mtree_status_t mtree_arborescence_find(int num_vertices, int root, int num_edges,
                                       const int *from, const int *to,
                                       const double *price, int *edge_p);

#endif
