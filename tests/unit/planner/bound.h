/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no plan can exceed, computed by maximum flows alone: references for the planner,
 * which finds the same by packing trees.  Bits per second.
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_BOUND_H
#define MTREE_TESTS_UNIT_PLANNER_BOUND_H

#include "topo/topology.h"

/*
 * allreduce when every vertex is a host: the least capacity of the links between the
 * parts of a partition, over the parts less one (Tutte; Nash-Williams), the lesser
 * direction of a link counting.  Dinkelbach's method; the partition by Dilworth
 * truncation, one cut a vertex.
 */
double bound_allreduce(const mtree_topology_t *topology);

/* The same by trying every partition; for up to ten vertices. */
double bound_allreduce_by_trial(const mtree_topology_t *topology);

/* bcast from a vertex: the least of the maximum flows to the hosts (Edmonds). */
double bound_bcast(const mtree_topology_t *topology, int root);

/* allgather: N x, the largest x at which a source joined to each of N hosts with x can
 * send N x to every host (ForestColl, arXiv 2402.06787). */
double bound_allgather(const mtree_topology_t *topology);

#endif
