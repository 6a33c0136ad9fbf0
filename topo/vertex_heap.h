/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vertices of a search for shortest paths that wait to be expanded, the nearest
 * first.
 *
 * Latencies are whole picoseconds, because rounding of doubles would break ties; the sum
 * of 16384 links of 100 s fits.
 */
#ifndef MTREE_TOPO_VERTEX_HEAP_H
#define MTREE_TOPO_VERTEX_HEAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* How far a vertex is: by latency, and where that is equal by links. */
typedef struct {
    int64_t latency; /* picoseconds */
    int links;
} mtree_distance_t;

typedef struct {
    mtree_distance_t *distance; /* [num_vertices] the owner's; may fall while a vertex
                                   waits, if mtree_vertex_heap_offer() follows */
    int *vertices;
    int *place; /* [num_vertices] of a vertex in `vertices`, or -1 */
    int length;
} mtree_vertex_heap_t;

/* The picoseconds of @a seconds. */
int64_t mtree_distance_picoseconds(double seconds);

static inline int mtree_distance_compare(mtree_distance_t a, mtree_distance_t b)
{
    if (a.latency != b.latency) {
        return (a.latency < b.latency) ? -1 : 1;
    }
    return (a.links > b.links) - (a.links < b.links);
}

/* An empty heap for @a num_vertices vertices, whose arrays are the arena's. */
void mtree_vertex_heap_init(mtree_vertex_heap_t *heap, mtree_distance_t *distance,
                            int num_vertices, mtree_arena_t *arena);

/* Forget all that wait. */
void mtree_vertex_heap_clear(mtree_vertex_heap_t *heap);

/* Vertex @a vertex waits; its distance is new or has fallen. */
void mtree_vertex_heap_offer(mtree_vertex_heap_t *heap, int vertex);

/* Take the nearest.  The heap is not empty. */
int mtree_vertex_heap_pop(mtree_vertex_heap_t *heap);

#endif
