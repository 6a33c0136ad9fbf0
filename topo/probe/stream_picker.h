/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which streams to run together.
 */
#ifndef MTREE_TOPO_PROBE_STREAM_PICKER_H
#define MTREE_TOPO_PROBE_STREAM_PICKER_H

#include "topo/probe/graph.h"

typedef struct {
    const mtree_probe_graph_t *graph;
    int *streams; /* [2 num_links] that cross an arc, of all tests */
    int *room;    /* [2 num_links] how many may, for the tests' sake */
    int *overlap; /* [2 num_links] streams of the test at hand alone */
    int num_paths, path_capacity;
    int *paths; /* the streams chosen, positions in graph->paths */
} mtree_probe_picker_t;

/* Start with an empty round; mtree_probe_picker_clear() frees.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_probe_picker_init(mtree_probe_picker_t *picker,
                                       const mtree_probe_graph_t *graph);
void mtree_probe_picker_clear(mtree_probe_picker_t *picker);

/*
 * Add streams that cross @a arc, @a count of them or as many as there are, that have as
 * few other arcs in common as can be.  No other arc that they cross carries more than
 * half as many streams, whether theirs or of tests chosen before, so that where links
 * share equally and none is much slower it is @a arc that limits them; nor do they take
 * that from tests chosen before.  No link carries streams both ways, for the answers of
 * one would wait in the queue of the other.  *added_p is their number: 0 (and nothing
 * changes) when the tests chosen before leave fewer than an empty round would.
 */
mtree_status_t mtree_probe_picker_cross(mtree_probe_picker_t *picker, int arc, int count,
                                        int *added_p);

/* sharing[num_paths]: how many of the streams chosen cross the same arc as each, on the
 * arc of its path that has most of them, itself included. */
void mtree_probe_picker_share(const mtree_probe_picker_t *picker, int *sharing);

#endif
