/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/bottleneck.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* An arc that carries less than this part of its highest rate is not full.  The rest is
 * four times the noise of a busy network.  Without that only links between neighbours
 * count as measured, and probes take 6.8 s instead of 6.0. */
#define FULL 0.85

/* What was known before needs no second sample. */
#define REUSED_SAMPLES 2

/* The rate that a measurement proves. */
static double proven_rate(const mtree_probe_rate_t *rate)
{
    return rate->rate * (1 - fmin(1, rate->spread));
}

/* Where a stream crosses an arc. */
typedef struct {
    int arc, stream;
    mtree_probe_rate_t *load; /* of the arc at that time */
} crossing_t;

/* The two samples of an arc that prove most, and the set of the last one. */
typedef struct {
    mtree_probe_rate_t best, second;
    int last_set;
} samples_t;

typedef struct {
    const mtree_probe_graph_t *graph;
    const mtree_probe_stream_t *streams;
    int num_streams;
    mtree_probe_arc_t *arcs;
    const mtree_probe_path_t **paths; /* [num_streams] NULL: there is none */
    mtree_probe_rate_t **loads;  /* [num_streams][path's num_arcs] while it was sent */
    crossing_t *crossings;       /* of the current set */
    mtree_probe_curve_t *curves; /* of the current arc */
    samples_t *samples;          /* [2 num_links] */
} explainer_t;

/* The end of the set that begins at @a first. */
static int set_end(const explainer_t *explainer, int first)
{
    int end = first;

    while (end < explainer->num_streams &&
           explainer->streams[end].set == explainer->streams[first].set) {
        ++end;
    }
    return end;
}

static int compare_crossings(const void *left, const void *right)
{
    const crossing_t *a = left, *b = right;

    if (a->arc != b->arc) {
        return (a->arc < b->arc) ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Sum up the streams from @a first to @a end - 1, arc by arc. */
static void load_arcs(explainer_t *explainer, int first, int end)
{
    crossing_t *crossings = explainer->crossings;
    int next, count = 0;

    for (int i = first; i < end; ++i) {
        const mtree_probe_path_t *path = explainer->paths[i];

        for (int j = 0; path != NULL && j < path->num_arcs; ++j) {
            crossings[count++] = (crossing_t){path->arcs[j], i, &explainer->loads[i][j]};
        }
    }
    qsort(crossings, (size_t)count, sizeof(*crossings), compare_crossings);
    for (int i = 0; i < count; i = next) {
        mtree_probe_arc_t *arc = &explainer->arcs[crossings[i].arc];
        mtree_probe_rate_t load;

        for (next = i; next < count && crossings[next].arc == crossings[i].arc; ++next) {
            explainer->curves[next - i] =
                explainer->streams[crossings[next].stream].curve;
        }
        load = mtree_probe_fit_rate(explainer->curves, next - i);
        for (int j = i; j < next; ++j) {
            *crossings[j].load = load;
        }
        /* An unsteady rate counts less, unless it was rising. */
        arc->most = fmax(arc->most, load.rising ? load.rate : proven_rate(&load));
    }
}

/* The place on its path of the arc that alone can have limited @a stream; NONE when
 * several can. */
static int find_limit(const explainer_t *explainer, int stream)
{
    const mtree_probe_path_t *path = explainer->paths[stream];
    int limit = NONE;

    for (int i = 0; path != NULL && i < path->num_arcs; ++i) {
        if (explainer->loads[stream][i].rate >=
            FULL * explainer->arcs[path->arcs[i]].most) {
            if (limit != NONE) {
                return NONE;
            }
            limit = i;
        }
    }
    return limit;
}

/* A capacity is its largest sample: streams often leave a link idle at times, but never
 * carry more than that.  The spread is the distance to the next sample, or that of the
 * only one. */
static void add_sample(explainer_t *explainer, int stream)
{
    const int limit = find_limit(explainer, stream);
    const int set = explainer->streams[stream].set;
    const mtree_probe_rate_t *rate;
    mtree_probe_arc_t *arc;
    samples_t *samples;

    if (limit == NONE || explainer->loads[stream][limit].rising) {
        return;
    }
    rate = &explainer->loads[stream][limit];
    arc = &explainer->arcs[explainer->paths[stream]->arcs[limit]];
    samples = &explainer->samples[explainer->paths[stream]->arcs[limit]];
    if (arc->known && samples->last_set == set) {
        return;
    }
    if (!arc->known || proven_rate(rate) > proven_rate(&samples->best)) {
        samples->second = samples->best;
        samples->best = *rate;
    } else if (arc->num_samples == 1 ||
               proven_rate(rate) > proven_rate(&samples->second)) {
        samples->second = *rate;
    }
    samples->last_set = set;
    arc->known = true;
    ++arc->num_samples;
    arc->value = samples->best.rate;
    arc->spread = (arc->num_samples == 1)
                      ? samples->best.spread
                      : fabs(samples->best.rate - samples->second.rate) / 2 / arc->value;
}

static void explain(explainer_t *explainer)
{
    for (int first = 0, end; first < explainer->num_streams; first = end) {
        end = set_end(explainer, first);
        load_arcs(explainer, first, end);
    }
    for (int i = 0; i < explainer->num_streams; ++i) {
        add_sample(explainer, i);
    }
}

/* Allocate the arrays, and find the paths. */
static void explainer_init(explainer_t *explainer, mtree_arena_t *arena)
{
    const size_t num_streams = (size_t)explainer->num_streams;
    size_t num_crossings = 0;

    MTREE_ARENA_ARRAY(arena, explainer->paths, num_streams);
    MTREE_ARENA_ARRAY(arena, explainer->loads, num_streams);
    MTREE_ARENA_ARRAY(arena, explainer->curves, num_streams);
    MTREE_ARENA_ARRAY(arena, explainer->samples, 2 * (size_t)explainer->graph->num_links);
    for (size_t i = 0; i < num_streams; ++i) {
        explainer->paths[i] = mtree_probe_graph_find_path(
            explainer->graph, explainer->streams[i].from, explainer->streams[i].to);
        if (explainer->paths[i] != NULL) {
            MTREE_ARENA_ARRAY(arena, explainer->loads[i],
                              (size_t)explainer->paths[i]->num_arcs);
            num_crossings += (size_t)explainer->paths[i]->num_arcs;
        }
    }
    MTREE_ARENA_ARRAY(arena, explainer->crossings, num_crossings);
}

/* What was known before stands where streams did not show it. */
static void take_reused(mtree_probe_arc_t *arcs, int num_arcs)
{
    for (int arc = 0; arc < num_arcs; ++arc) {
        if (!arcs[arc].known && arcs[arc].reused > 0) {
            arcs[arc].known = true;
            arcs[arc].value = arcs[arc].reused;
            arcs[arc].num_samples = REUSED_SAMPLES;
        }
    }
}

void mtree_probe_bottleneck_explain(const mtree_probe_graph_t *graph,
                                    const mtree_probe_stream_t *streams, int num_streams,
                                    mtree_probe_arc_t *arcs, mtree_arena_t *scratch)
{
    explainer_t explainer = {
        .graph = graph, .streams = streams, .num_streams = num_streams, .arcs = arcs};

    for (int arc = 0; arc < 2 * graph->num_links; ++arc) {
        arcs[arc] = (mtree_probe_arc_t){.reused = arcs[arc].reused,
                                        .tries = arcs[arc].tries,
                                        .most = arcs[arc].reused};
    }
    explainer_init(&explainer, scratch);
    explain(&explainer);
    take_reused(arcs, 2 * graph->num_links);
}
