/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What streams that ran together tell about the capacities of arcs.
 */
#ifndef MTREE_TOPO_PROBE_BOTTLENECK_H
#define MTREE_TOPO_PROBE_BOTTLENECK_H

#include "topo/probe/fit.h"
#include "topo/probe/graph.h"

typedef struct {
    int set; /* streams of equal sets ran at the same time; ascending */
    int from, to;
    bool alone;                /* its sender sent nothing else */
    mtree_probe_curve_t curve; /* times are since the set's begin */
    mtree_probe_rate_t rate;   /* of its own */
} mtree_probe_stream_t;

typedef struct {
    double most;   /* bits/s that were seen to cross it at the same time, steadily */
    double value;  /* its capacity, if known */
    double spread; /* of the samples, or of the stream when there is one sample */
    int num_samples;
    bool known;
    bool chained; /* the value is the least of several arcs that all come together */
} mtree_probe_arc_t;

/*
 * Fill @a arcs, [2 graph->num_links].  A stream is limited by one of the arcs that it
 * crosses; an arc that carried clearly less than it once did is not the one.  Where one
 * arc is left, or several that no path tells apart, what it carried is a sample of its
 * capacity; its value is the one that says most.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_bottleneck_explain(const mtree_probe_graph_t *graph,
                                              const mtree_probe_stream_t *streams,
                                              int num_streams, mtree_probe_arc_t *arcs);

#endif
