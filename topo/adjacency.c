/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/adjacency.h"

#include <string.h>

void mtree_adjacency_init(mtree_adjacency_t *adjacency, const mtree_topology_t *topology,
                          mtree_arena_t *arena)
{
    const int num_arcs = 2 * topology->num_links;
    const size_t num_firsts = (size_t)topology->num_vertices + 1;
    int *first, *next, *entering, *arcs;

    MTREE_ARENA_ARRAY(arena, first, num_firsts);
    MTREE_ARENA_ARRAY(arena, next, num_firsts);
    MTREE_ARENA_ARRAY(arena, entering, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, arcs, (size_t)num_arcs);
    for (int i = 0; i < num_arcs; ++i) {
        ++first[mtree_arc_from(topology, i) + 1];
    }
    for (int i = 0; i < topology->num_vertices; ++i) {
        first[i + 1] += first[i];
    }
    /* As many arcs enter a vertex as leave it.  Distributing them first by the vertex
     * they enter and then by that they leave sorts them by both. */
    memcpy(next, first, num_firsts * sizeof(*next));
    for (int i = 0; i < num_arcs; ++i) {
        entering[next[mtree_arc_to(topology, i)]++] = i;
    }
    memcpy(next, first, num_firsts * sizeof(*next));
    for (int i = 0; i < num_arcs; ++i) {
        arcs[next[mtree_arc_from(topology, entering[i])]++] = entering[i];
    }
    *adjacency = (mtree_adjacency_t){.first = first, .arcs = arcs};
}
