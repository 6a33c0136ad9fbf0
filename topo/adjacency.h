/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arcs that leave each vertex of a topology, in one array.
 */
#ifndef MTREE_TOPO_ADJACENCY_H
#define MTREE_TOPO_ADJACENCY_H

#include "base/arena.h"
#include "topo/topology.h"

typedef struct {
    int *first; /* [num_vertices + 1] the begin of a vertex's arcs in arcs */
    int *arcs;  /* [2 * num_links] arcs that leave each vertex, also those without
                 * capacity, ordered by the vertex they enter; arc ^ 1 is the reverse */
} mtree_adjacency_t;

/* Fill @a adjacency, whose arrays are the arena's, for @a topology as it is now. */
void mtree_adjacency_init(mtree_adjacency_t *adjacency, const mtree_topology_t *topology,
                          mtree_arena_t *arena);

#endif
