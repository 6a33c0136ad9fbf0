/*
 * Which streams to run together.
 */
#ifndef MTREE_TOPO_PROBE_ROUND_H
#define MTREE_TOPO_PROBE_ROUND_H

#include "topo/probe_graph.h"

typedef struct {
    const mtree_probe_graph_t *graph;
    bool *link_used;        /* [num_links] by streams chosen earlier */
    bool *sends, *receives; /* [num_hosts] */
    int *overlap; /* [2 num_links] streams of the test at hand that cross an arc */
    int num_paths, path_room;
    int *paths; /* the streams chosen, positions in graph->paths */
} mtree_probe_picker_t;

/* Start with an empty round; mtree_probe_picker_clear() frees.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_probe_picker_init(mtree_probe_picker_t *picker,
                                       const mtree_probe_graph_t *graph);
void mtree_probe_picker_clear(mtree_probe_picker_t *picker);

/*
 * Add streams that cross @a arc, @a count of them or as many as there are, that have as
 * few other arcs in common as can be and no link with the streams chosen before.
 * *added_p is their number: 0 (and nothing changes) when the streams chosen before leave
 * fewer than an empty round would.
 */
mtree_status_t mtree_probe_picker_cross(mtree_probe_picker_t *picker, int arc, int count,
                                        int *added_p);

/*
 * Add streams from @a host over those of its links to other hosts of @a arcs, all or
 * none. Nobody sends or receives for two such tests of a round.
 */
mtree_status_t mtree_probe_picker_fan(mtree_probe_picker_t *picker, const int *arcs,
                                      int num_arcs, int *added_p);

#endif
