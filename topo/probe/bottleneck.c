/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/bottleneck.h"

#include "base/arena.h"
#include "base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* An arc that carries less than this part of its highest rate is not full.  The rest is
 * four times the noise of a busy network.  Without that only links between neighbours
 * count as measured, and probes take 6.8 s instead of 6.0. */
#define FULL 0.85

/* What was known before needs no second sample. */
#define REUSED_SAMPLES 2

/* A stream that crosses an arc. */
typedef struct {
    int arc, stream;
} crossing_t;

/* The load of a set of streams on an arc. */
typedef struct {
    int arc;
    mtree_probe_rate_t rate;
} load_t;

typedef struct {
    int arc, set;
    double rate, spread;
} sample_t;

typedef struct {
    const mtree_probe_graph_t *graph;
    const mtree_probe_stream_t *streams;
    int num_streams;
    mtree_probe_arc_t *arcs;
    crossing_t *crossings;       /* of the current set */
    mtree_probe_curve_t *curves; /* of the current arc */
    int *first_load;             /* [num_streams + 1] where a stream's set begins */
    load_t *loads;               /* of all sets */
    int num_loads;
    const mtree_probe_rate_t **at; /* [2 num_links] the load in the current set */
    sample_t *samples;
    int num_samples;
    mtree_arena_t arena; /* of the arrays */
} explainer_t;

static const mtree_probe_path_t *path_of(const explainer_t *explainer, int stream)
{
    return mtree_probe_graph_find_path(explainer->graph, explainer->streams[stream].from,
                                       explainer->streams[stream].to);
}

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
    const mtree_probe_path_t *path;
    crossing_t *crossings = explainer->crossings;
    int i, j, next, count = 0;

    for (i = first; i < end; ++i) {
        path = path_of(explainer, i);
        for (j = 0; path != NULL && j < path->num_arcs; ++j) {
            crossings[count++] = (crossing_t){path->arcs[j], i};
        }
    }
    qsort(crossings, (size_t)count, sizeof(*crossings), compare_crossings);
    for (i = 0; i < count; i = next) {
        for (next = i; next < count && crossings[next].arc == crossings[i].arc; ++next) {
            explainer->curves[next - i] =
                explainer->streams[crossings[next].stream].curve;
        }
        explainer->loads[explainer->num_loads++] =
            (load_t){crossings[i].arc, mtree_probe_fit_rate(explainer->curves, next - i)};
    }
}

/* Find the highest rate of each arc; an unsteady one counts less, unless it was rising.
 */
static void find_most(explainer_t *explainer)
{
    const load_t *load;
    double *most;

    for (int i = 0; i < explainer->num_loads; ++i) {
        load = &explainer->loads[i];
        most = &explainer->arcs[load->arc].most;
        *most = fmax(*most, load->rate.rate *
                                (load->rate.rising ? 1 : 1 - fmin(1, load->rate.spread)));
    }
}

/* The arc that alone can have limited the stream on @a path; NONE when several can. */
static int find_limit(const explainer_t *explainer, const mtree_probe_path_t *path)
{
    int limit = NONE;
    int arc;

    for (int i = 0; i < path->num_arcs; ++i) {
        arc = path->arcs[i];
        if (explainer->at[arc]->rate >= FULL * explainer->arcs[arc].most) {
            if (limit != NONE) {
                return NONE;
            }
            limit = arc;
        }
    }
    return limit;
}

static bool has_sample(const explainer_t *explainer, int set, int arc)
{
    for (int i = explainer->num_samples - 1; i >= 0 && explainer->samples[i].set == set;
         --i) {
        if (explainer->samples[i].arc == arc) {
            return true;
        }
    }
    return false;
}

static void add_sample(explainer_t *explainer, int stream)
{
    const mtree_probe_path_t *path = path_of(explainer, stream);
    int limit = (path == NULL) ? NONE : find_limit(explainer, path);
    int set = explainer->streams[stream].set;

    if (limit != NONE && !explainer->at[limit]->rising &&
        !has_sample(explainer, set, limit)) {
        explainer->samples[explainer->num_samples++] = (sample_t){
            limit, set, explainer->at[limit]->rate, explainer->at[limit]->spread};
    }
}

/* The rate that a sample proves. */
static double proven_rate(const sample_t *sample)
{
    return sample->rate * (1 - fmin(1, sample->spread));
}

static int compare_samples(const void *left, const void *right)
{
    const sample_t *a = left, *b = right;

    if (a->arc != b->arc) {
        return (a->arc < b->arc) ? -1 : 1;
    }
    return (proven_rate(a) < proven_rate(b)) - (proven_rate(a) > proven_rate(b));
}

/* The capacity of each arc is its largest sample: streams often leave a link idle at
 * times, but never carry more than its capacity.  The spread is the distance to the next
 * sample, or that of the only one. */
static void settle(explainer_t *explainer)
{
    sample_t *samples = explainer->samples;
    mtree_probe_arc_t *arc;
    int count;

    qsort(samples, (size_t)explainer->num_samples, sizeof(*samples), compare_samples);
    for (int first = 0; first < explainer->num_samples; first += count) {
        for (count = 1; first + count < explainer->num_samples &&
                        samples[first + count].arc == samples[first].arc;
             ++count) {}
        arc = &explainer->arcs[samples[first].arc];
        arc->known = true;
        arc->num_samples = count;
        arc->value = samples[first].rate;
        arc->spread = (count == 1) ? samples[first].spread
                                   : fabs(samples[first].rate - samples[first + 1].rate) /
                                         2 / arc->value;
    }
}

static void explain(explainer_t *explainer)
{
    const load_t *load;
    int end;

    for (int first = 0; first < explainer->num_streams; first = end) {
        end = set_end(explainer, first);
        explainer->first_load[first] = explainer->num_loads;
        load_arcs(explainer, first, end);
        explainer->first_load[end] = explainer->num_loads;
    }
    find_most(explainer);
    for (int first = 0; first < explainer->num_streams; first = end) {
        end = set_end(explainer, first);
        for (int i = explainer->first_load[first]; i < explainer->first_load[end]; ++i) {
            load = &explainer->loads[i];
            explainer->at[load->arc] = &load->rate;
        }
        for (int i = first; i < end; ++i) {
            add_sample(explainer, i);
        }
    }
    settle(explainer);
}

/* Allocate the arrays for all sets. */
static void explainer_alloc(explainer_t *explainer)
{
    size_t num_arcs = 2 * (size_t)explainer->graph->num_links;
    size_t num_streams = (size_t)explainer->num_streams, num_crossings = 0;
    mtree_arena_t *arena = &explainer->arena;
    const mtree_probe_path_t *path;

    for (int i = 0; i < explainer->num_streams; ++i) {
        path = path_of(explainer, i);
        num_crossings += (path == NULL) ? 0 : (size_t)path->num_arcs;
    }
    explainer->crossings =
        mtree_arena_alloc(arena, num_crossings, sizeof(*explainer->crossings));
    explainer->loads = mtree_arena_alloc(arena, num_crossings, sizeof(*explainer->loads));
    explainer->curves = mtree_arena_alloc(arena, num_streams, sizeof(*explainer->curves));
    explainer->first_load =
        mtree_arena_alloc(arena, num_streams + 1, sizeof(*explainer->first_load));
    explainer->samples =
        mtree_arena_alloc(arena, num_crossings, sizeof(*explainer->samples));
    explainer->at = mtree_arena_alloc(arena, num_arcs, sizeof(*explainer->at));
}

/* What was known before stands where streams did not show it. */
static void take_reused(mtree_probe_arc_t *arcs, int num_arcs, const double *reused)
{
    for (int arc = 0; reused != NULL && arc < num_arcs; ++arc) {
        if (!arcs[arc].known && reused[arc] > 0) {
            arcs[arc].known = true;
            arcs[arc].value = reused[arc];
            arcs[arc].num_samples = REUSED_SAMPLES;
        }
    }
}

mtree_status_t mtree_probe_bottleneck_explain(const mtree_probe_graph_t *graph,
                                              const mtree_probe_stream_t *streams,
                                              int num_streams, const double *reused,
                                              mtree_probe_arc_t *arcs)
{
    explainer_t explainer = {
        .graph = graph, .streams = streams, .num_streams = num_streams, .arcs = arcs};
    mtree_status_t status = MTREE_OK;

    for (int arc = 0; arc < 2 * graph->num_links; ++arc) {
        arcs[arc] = (mtree_probe_arc_t){.most = (reused == NULL) ? 0 : reused[arc]};
    }
    explainer_alloc(&explainer);
    if (explainer.arena.status == MTREE_OK) {
        explain(&explainer);
        take_reused(arcs, 2 * graph->num_links, reused);
    } else {
        status = mtree_no_memory("the loads of %d streams on %d links", num_streams,
                                 graph->num_links);
    }
    mtree_arena_cleanup(&explainer.arena);
    return status;
}
