#include "topo/probe_streams.h"

#include "topo/log.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* An arc that carries less than this part of what it is known to carry is not full: four
 * times the noise of a busy network. */
#define FULL 0.85

typedef struct {
    int arc, round;
    double rate, spread;
} sample_t;

typedef struct {
    const mtree_probe_graph_t *graph;
    mtree_probe_arc_t *arcs;
    double *load;   /* [2 num_links] in the round at hand, bits/s */
    double *spread; /* [2 num_links] the largest of its streams */
    bool *rising;   /* [2 num_links] one of its streams did not settle */
    sample_t *samples;
    int num_samples;
} explainer_t;

/* The end of the round that begins at @a first. */
static int round_end(const mtree_probe_stream_t *streams, int num_streams, int first)
{
    int end = first;

    while (end < num_streams && streams[end].round == streams[first].round) {
        ++end;
    }
    return end;
}

/* Sum up the streams from @a first to @a end - 1, or clear what they left. */
static void load_arcs(explainer_t *explainer, const mtree_probe_stream_t *streams,
                      int first, int end, bool clear)
{
    const mtree_probe_path_t *path;
    int i, j, arc;

    for (i = first; i < end; ++i) {
        path =
            mtree_probe_graph_find_path(explainer->graph, streams[i].from, streams[i].to);
        for (j = 0; path != NULL && j < path->num_arcs; ++j) {
            arc = path->arcs[j];
            if (clear) {
                explainer->load[arc] = 0;
                explainer->spread[arc] = 0;
                explainer->rising[arc] = false;
            } else {
                explainer->load[arc] += streams[i].rate.rate;
                explainer->spread[arc] =
                    fmax(explainer->spread[arc], streams[i].rate.spread);
                explainer->rising[arc] |= streams[i].rate.rising;
            }
        }
    }
}

static void find_most(explainer_t *explainer, const mtree_probe_path_t *path)
{
    int i, arc;

    for (i = 0; path != NULL && i < path->num_arcs; ++i) {
        arc = path->arcs[i];
        explainer->arcs[arc].most = fmax(explainer->arcs[arc].most, explainer->load[arc]);
    }
}

/* The one arc that can have limited the stream on @a path, or NONE. */
static int find_limit(const explainer_t *explainer, const mtree_probe_path_t *path)
{
    int limit = NONE;
    int i, arc;

    for (i = 0; i < path->num_arcs; ++i) {
        arc = path->arcs[i];
        if (explainer->load[arc] >= FULL * explainer->arcs[arc].most) {
            if (limit != NONE) {
                return NONE;
            }
            limit = arc;
        }
    }
    return limit;
}

static void add_sample(explainer_t *explainer, int round, const mtree_probe_path_t *path)
{
    int arc = (path == NULL) ? NONE : find_limit(explainer, path);
    int i;

    if (arc == NONE || explainer->rising[arc]) {
        return;
    }
    for (i = explainer->num_samples - 1; i >= 0 && explainer->samples[i].round == round;
         --i) {
        if (explainer->samples[i].arc == arc) {
            return;
        }
    }
    explainer->samples[explainer->num_samples++] =
        (sample_t){arc, round, explainer->load[arc], explainer->spread[arc]};
}

static int compare_samples(const void *left, const void *right)
{
    const sample_t *a = left, *b = right;

    if (a->arc != b->arc) {
        return (a->arc < b->arc) ? -1 : 1;
    }
    return (a->rate > b->rate) - (a->rate < b->rate);
}

/* Medians of each arc's samples, and the spread of the middle half of them. */
static void settle(explainer_t *explainer)
{
    sample_t *samples = explainer->samples;
    mtree_probe_arc_t *arc;
    int first, count;

    qsort(samples, (size_t)explainer->num_samples, sizeof(*samples), compare_samples);
    for (first = 0; first < explainer->num_samples; first += count) {
        for (count = 1; first + count < explainer->num_samples &&
                        samples[first + count].arc == samples[first].arc;
             ++count) {}
        arc = &explainer->arcs[samples[first].arc];
        arc->known = true;
        arc->num_samples = count;
        arc->value =
            (samples[first + (count - 1) / 2].rate + samples[first + count / 2].rate) / 2;
        arc->spread = (count == 1) ? samples[first].spread
                                   : (samples[first + count - 1 - count / 4].rate -
                                      samples[first + count / 4].rate) /
                                         2 / arc->value;
    }
}

static void explain(explainer_t *explainer, const mtree_probe_stream_t *streams,
                    int num_streams)
{
    const mtree_probe_graph_t *graph = explainer->graph;
    int first, end, i;

    for (first = 0; first < num_streams; first = end) {
        end = round_end(streams, num_streams, first);
        load_arcs(explainer, streams, first, end, false);
        for (i = first; i < end; ++i) {
            find_most(explainer,
                      mtree_probe_graph_find_path(graph, streams[i].from, streams[i].to));
        }
        load_arcs(explainer, streams, first, end, true);
    }
    for (first = 0; first < num_streams; first = end) {
        end = round_end(streams, num_streams, first);
        load_arcs(explainer, streams, first, end, false);
        for (i = first; i < end; ++i) {
            add_sample(
                explainer, streams[i].round,
                mtree_probe_graph_find_path(graph, streams[i].from, streams[i].to));
        }
        load_arcs(explainer, streams, first, end, true);
    }
    settle(explainer);
}

mtree_status_t mtree_probe_streams_explain(const mtree_probe_graph_t *graph,
                                           const mtree_probe_stream_t *streams,
                                           int num_streams, mtree_probe_arc_t *arcs)
{
    size_t num_arcs = 2 * (size_t)graph->num_links;
    explainer_t explainer = {.graph = graph, .arcs = arcs};
    mtree_status_t status = MTREE_OK;
    size_t arc;

    explainer.load = calloc(num_arcs + 1, sizeof(double));
    explainer.spread = calloc(num_arcs + 1, sizeof(double));
    explainer.rising = calloc(num_arcs + 1, sizeof(bool));
    explainer.samples = malloc(((size_t)num_streams + 1) * sizeof(sample_t));
    if (explainer.load == NULL || explainer.spread == NULL || explainer.rising == NULL ||
        explainer.samples == NULL) {
        mtree_error("out of memory for the capacities of %zu arcs", num_arcs);
        status = MTREE_ERR_NO_MEMORY;
        goto out;
    }
    for (arc = 0; arc < num_arcs; ++arc) {
        arcs[arc] = (mtree_probe_arc_t){0};
    }
    explain(&explainer, streams, num_streams);

out:
    free(explainer.load);
    free(explainer.spread);
    free(explainer.rising);
    free(explainer.samples);
    return status;
}
