/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/vertex_heap.h"

#include <math.h>

#define NONE (-1)

int64_t mtree_distance_picoseconds(double seconds)
{
    return llround(seconds * 1e12);
}

void mtree_vertex_heap_init(mtree_vertex_heap_t *heap, mtree_distance_t *distance,
                            int num_vertices, mtree_arena_t *arena)
{
    *heap = (mtree_vertex_heap_t){.distance = distance};
    MTREE_ARENA_ARRAY(arena, heap->vertices, (size_t)num_vertices);
    MTREE_ARENA_ARRAY(arena, heap->place, (size_t)num_vertices);
    for (int i = 0; i < num_vertices; ++i) {
        heap->place[i] = NONE;
    }
}

void mtree_vertex_heap_clear(mtree_vertex_heap_t *heap)
{
    while (heap->length > 0) {
        heap->place[heap->vertices[--heap->length]] = NONE;
    }
}

static bool is_nearer(const mtree_vertex_heap_t *heap, int a, int b)
{
    return mtree_distance_compare(heap->distance[a], heap->distance[b]) < 0;
}

static void put(mtree_vertex_heap_t *heap, int place, int vertex)
{
    heap->vertices[place] = vertex;
    heap->place[vertex] = place;
}

void mtree_vertex_heap_offer(mtree_vertex_heap_t *heap, int vertex)
{
    int place = heap->place[vertex] == NONE ? heap->length++ : heap->place[vertex];

    while (place > 0 && is_nearer(heap, vertex, heap->vertices[(place - 1) / 2])) {
        put(heap, place, heap->vertices[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(heap, place, vertex);
}

int mtree_vertex_heap_pop(mtree_vertex_heap_t *heap)
{
    int top = heap->vertices[0], moved = heap->vertices[--heap->length];
    int place = 0, child;

    heap->place[top] = NONE;
    while ((child = 2 * place + 1) < heap->length) {
        if (child + 1 < heap->length &&
            is_nearer(heap, heap->vertices[child + 1], heap->vertices[child])) {
            ++child;
        }
        if (!is_nearer(heap, heap->vertices[child], moved)) {
            break;
        }
        put(heap, place, heap->vertices[child]);
        place = child;
    }
    if (heap->length > 0) {
        put(heap, place, moved);
    }
    return top;
}
