/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of streams that run together in a round.
 */
#ifndef MTREE_TOPO_PROBE_STREAM_PICKER_H
#define MTREE_TOPO_PROBE_STREAM_PICKER_H

#include "base/arena.h"
#include "topo/probe/graph.h"

typedef struct {
    const mtree_probe_graph_t *graph;
    int *streams; /* [2 num_links] that cross an arc, of all tests */
    int *limit;   /* [2 num_links] how many may, so that the tests are valid */
    int *overlap; /* [2 num_links] streams of the current test alone */
    int num_paths, path_capacity;
    int *paths;           /* the streams chosen, positions in graph->paths */
    mtree_arena_t *arena; /* of the arrays */
} mtree_probe_picker_t;

/* Start with an empty round.  All memory is that of @a arena. */
void mtree_probe_picker_init(mtree_probe_picker_t *picker,
                             const mtree_probe_graph_t *graph, mtree_arena_t *arena);

/*
 * Add a test: streams across @a arc, @a count of them or as many as exist, that share as
 * few other arcs as possible.  No other arc that they cross carries more than half as
 * many streams of this and of earlier tests, so that @a arc limits them unless another
 * link is much slower; nor do they spoil earlier tests that way.  No link carries streams
 * in both directions, because the acknowledgements of one would wait in the queue of the
 * other.  Returns their number: 0 (and nothing changes) when earlier tests leave fewer
 * than an empty round would.
 */
int mtree_probe_picker_cross(mtree_probe_picker_t *picker, int arc, int count);

#endif
