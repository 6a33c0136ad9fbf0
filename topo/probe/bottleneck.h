/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The capacities of arcs, from streams that ran together.
 */
#ifndef MTREE_TOPO_PROBE_BOTTLENECK_H
#define MTREE_TOPO_PROBE_BOTTLENECK_H

#include "topo/probe/fit.h"
#include "topo/probe/graph.h"

typedef struct {
    int set; /* streams of one set ran at the same time; ascending */
    int from, to;
    bool alone;                /* its sender had no other stream */
    mtree_probe_curve_t curve; /* times are from the set's begin */
    mtree_probe_rate_t rate;   /* of this stream */
} mtree_probe_stream_t;

typedef struct {
    double reused; /* what is known of it from before, bits/s; 0: nothing */
    int tries;     /* tests of it */
    /* What streams showed: */
    double most;   /* the highest steady rate seen across it, bits/s */
    double value;  /* its capacity, bits/s, if known */
    double spread; /* relative: of the samples, or of the stream of the only one */
    int num_samples;
    bool known;
} mtree_probe_arc_t;

/*
 * Set what streams showed in @a arcs, [2 graph->num_links].  One of the arcs that a
 * stream crosses limits it; an arc that carried clearly less than it did at another time
 * is not that one.  Where one arc is left, its load is a sample of its capacity, which is
 * the largest sample.  Of an arc without samples it is what was reused, if anything.
 */
void mtree_probe_bottleneck_explain(const mtree_probe_graph_t *graph,
                                    const mtree_probe_stream_t *streams, int num_streams,
                                    mtree_probe_arc_t *arcs, mtree_arena_t *scratch);

#endif
