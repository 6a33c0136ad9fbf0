/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds of streams: their length and the size of their messages; and the stage that
 * sends streams across each arc whose capacity is unknown.
 */
#include "topo/probe/state.h"
#include "topo/probe/stream_picker.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stream lasts STREAM_SECONDS, or STREAM_RTTS round trips if these are longer: about
 * six until its window is open, the others to measure in. */
#define STREAM_SECONDS 0.25
#define STREAM_RTTS    10
#define LEAST_SECONDS  0.05
#define LEAST_RTTS     6

/* With fewer bytes a stream shows no rate. */
#define LEAST_BYTES ((double)(256 << 10))

/* Bits/s, where nothing is known, to share out bytes. */
#define USUAL_RATE 1e9

/* The part of the remaining bytes for one of @a _rounds rounds to come: further tries
 * need some, too. */
#define CROSS_SHARE(_rounds) (1.0 / ((_rounds) + 1))

#define MAX_TRIES 3
#define UNSTEADY  0.08 /* with a larger spread an arc needs another sample */
#define LOPSIDED                                                                         \
    0.1              /* so does one that gives this part less than its other direction   \
                      */
#define NIC_PAIRS  2 /* streams across an arc of a host at the first try; doubled */
#define LINK_PAIRS 4 /* the same for an arc between switches */

/* Fill probe->arcs with what all streams show about the current graph. */
static void explain(mtree_probe_t *probe)
{
    mtree_probe_bottleneck_explain(&probe->graph, probe->streams, probe->num_streams,
                                   probe->arcs, &probe->scratch);
}

void mtree_probe_reset_arcs(mtree_probe_t *probe)
{
    MTREE_ARENA_ARRAY(&probe->arena, probe->arcs, 2 * (size_t)probe->graph.num_links);
    mtree_probe_find_known(probe);
    explain(probe);
}

/* Seconds of a round trip along a path. */
static double path_rtt(const mtree_probe_t *probe, const mtree_probe_path_t *path)
{
    double sum = 0;

    for (int i = 0; i < path->num_arcs; ++i) {
        sum += 2 * probe->latency[path->arcs[i] >> 1];
    }
    return sum;
}

static double usual_seconds(double rtt)
{
    return fmax(STREAM_SECONDS, STREAM_RTTS * rtt);
}

/* Bytes that are left of the budget. */
static double bytes_left(const mtree_probe_t *probe)
{
    return (probe->options.bytes > 0) ? fmax(0, probe->options.bytes - probe->bytes)
                                      : INFINITY;
}

int mtree_probe_affordable(const mtree_probe_t *probe, double share, double rtt)
{
    double bytes = fmax(LEAST_BYTES, USUAL_RATE / 8 * rtt);

    return (int)fmin(share * bytes_left(probe) / bytes, INT_MAX);
}

/* The bytes that an experiment would send if nothing held it back: by the fastest rate
 * seen on the path's arcs, or the speed of the interfaces. */
static double expected_bytes(const mtree_probe_t *probe,
                             const mtree_probe_experiment_t *experiment)
{
    const mtree_probe_path_t *path =
        mtree_probe_graph_find_path(&probe->graph, experiment->from, experiment->to);
    double rate = experiment->speed;

    for (int i = 0; i < path->num_arcs; ++i) {
        rate = fmax(rate, probe->arcs[path->arcs[i]].most);
    }
    return ((rate > 0) ? rate : USUAL_RATE) / 8 * experiment->seconds;
}

/* Share out a part of the bytes that are left to the streams of the round, to each in
 * proportion to what it would send. */
static void set_bytes(mtree_probe_t *probe, double share)
{
    double left = share * bytes_left(probe), expected = 0;

    for (int i = 0; i < probe->num_experiments; ++i) {
        expected += expected_bytes(probe, &probe->experiments[i]);
    }
    for (int i = 0; i < probe->num_experiments; ++i) {
        mtree_probe_experiment_t *experiment = &probe->experiments[i];
        double bytes = left / expected * expected_bytes(probe, experiment);

        experiment->bytes = (bytes < (double)SIZE_MAX) ? (size_t)bytes : SIZE_MAX;
    }
}

void mtree_probe_add_stream(mtree_probe_t *probe, int from, int to)
{
    mtree_probe_add_experiment(
        probe,
        (mtree_probe_experiment_t){
            .kind = MTREE_PROBE_STREAM,
            .from = from,
            .to = to,
            .rtt = path_rtt(probe, mtree_probe_graph_find_path(&probe->graph, from, to)),
            .speed = fmin(probe->speeds[from], probe->speeds[to])});
}

static double least_seconds(double rtt)
{
    return fmax(LEAST_SECONDS, LEAST_RTTS * rtt);
}

/* Leave out the streams for which @a left seconds are not enough, with the round trip in
 * which the last bytes arrive. */
static void drop_long(mtree_probe_t *probe, double left)
{
    int kept = 0;

    for (int i = 0; i < probe->num_experiments; ++i) {
        double rtt = probe->experiments[i].rtt;

        if (least_seconds(rtt) + fmax(0, rtt - probe->delay) <= left) {
            probe->experiments[kept++] = probe->experiments[i];
        }
    }
    probe->num_experiments = kept;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* Set how many streams of the round cross the busiest link of each stream's path, or the
 * interfaces at its ends, which links may share. */
static void set_sharing(mtree_probe_t *probe)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int *out, *in, *crossing;

    MTREE_ARENA_ARRAY(&probe->scratch, out, (size_t)probe->num_hosts);
    MTREE_ARENA_ARRAY(&probe->scratch, in, (size_t)probe->num_hosts);
    MTREE_ARENA_ARRAY(&probe->scratch, crossing, 2 * (size_t)graph->num_links);
    for (int i = 0; i < 2 * probe->num_experiments; ++i) {
        mtree_probe_experiment_t *stream =
            &probe->experiments[i % probe->num_experiments];
        const mtree_probe_path_t *path =
            mtree_probe_graph_find_path(graph, stream->from, stream->to);
        const int by = i < probe->num_experiments;

        out[stream->from] += by;
        in[stream->to] += by;
        stream->sharing = greater(out[stream->from], in[stream->to]);
        for (int j = 0; j < path->num_arcs; ++j) {
            crossing[path->arcs[j]] += by;
            stream->sharing = greater(stream->sharing, crossing[path->arcs[j]]);
        }
    }
}

void mtree_probe_set_round(mtree_probe_t *probe, bool alike, double seconds_share,
                           double bytes_share, const char *purpose)
{
    double left = probe->options.seconds - probe->spent - probe->delay, longest = 0;

    drop_long(probe, left);
    for (int i = 0; i < probe->num_experiments && alike; ++i) {
        longest = fmax(longest, probe->experiments[i].rtt);
    }
    for (int i = 0; i < probe->num_experiments; ++i) {
        mtree_probe_experiment_t *experiment = &probe->experiments[i];
        double rtt = fmax(longest, experiment->rtt);

        experiment->seconds =
            fmax(least_seconds(rtt), fmin(usual_seconds(rtt), seconds_share * left));
    }
    set_sharing(probe);
    set_bytes(probe, bytes_share);
    (void)snprintf(probe->purpose, sizeof(probe->purpose), "%s, %d streams", purpose,
                   probe->num_experiments);
}

/* Add the streams that were picked to the round. */
static void add_streams(mtree_probe_t *probe, const mtree_probe_picker_t *picker)
{
    for (int i = 0; i < picker->num_paths; ++i) {
        const mtree_probe_path_t *path = &probe->graph.paths[picker->paths[i]];

        mtree_probe_add_stream(probe, path->from, path->to);
    }
}

/* An arc that needs a test, with what orders it. */
typedef struct {
    int arc, tries;
    double rtt;  /* of the shortest path across it, seconds */
    bool picked; /* for the current round */
} due_t;

static int compare_due(const void *left, const void *right)
{
    const due_t *a = left, *b = right;

    if (a->tries != b->tries) {
        return (a->tries < b->tries) ? -1 : 1;
    }
    if (a->rtt != b->rtt) {
        return (a->rtt > b->rtt) ? -1 : 1;
    }
    return (a->arc > b->arc) - (a->arc < b->arc);
}

/* Most links have the same capacity in both directions: one that does not needs a second
 * sample.  Where half of a simulated network is slow for a second, plans carry 0.86 of
 * what those of the true map do, without this 0.81. */
static bool is_lopsided(const mtree_probe_t *probe, int arc)
{
    const mtree_probe_arc_t *there = &probe->arcs[arc], *back = &probe->arcs[arc ^ 1];

    return there->known && back->known && there->num_samples < 2 &&
           there->value < (1 - LOPSIDED) * back->value;
}

/* Does the capacity of @a arc need a first or another test? */
static bool needs_test(const mtree_probe_t *probe, int arc)
{
    const mtree_probe_arc_t *known = &probe->arcs[arc];

    return known->tries < MAX_TRIES &&
           (!known->known || known->spread > UNSTEADY || is_lopsided(probe, arc));
}

/* List the arcs that need a test, long ones first so that a round's streams are alike. */
static int list_due(const mtree_probe_t *probe, due_t *due)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int count = 0;

    for (int arc = 0; arc < 2 * graph->num_links; ++arc) {
        if (graph->first_crossing[arc + 1] > graph->first_crossing[arc] &&
            needs_test(probe, arc)) {
            due[count++] = (due_t){
                arc, probe->arcs[arc].tries,
                path_rtt(probe,
                         &graph->paths[graph->crossing[graph->first_crossing[arc]]]),
                false};
        }
    }
    qsort(due, (size_t)count, sizeof(*due), compare_due);
    return count;
}

/* Add streams for the arc @a due to the round if that is possible; *tested_p counts. */
static void pick_cross(mtree_probe_t *probe, mtree_probe_picker_t *picker, due_t *due,
                       int *tested_p)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int arc = due->arc;
    bool at_host = mtree_probe_arc_from(graph, arc) < graph->num_hosts ||
                   mtree_probe_arc_to(graph, arc) < graph->num_hosts;
    int count = (at_host ? NIC_PAIRS : LINK_PAIRS) << probe->arcs[arc].tries;
    int added = mtree_probe_picker_cross(picker, arc, count);

    due->picked = added > 0;
    *tested_p += added > 0;
}

void mtree_probe_fill_cross(mtree_probe_t *probe)
{
    const int affordable = mtree_probe_affordable(probe, CROSS_SHARE(1), 0);
    int num_due, rounds, tested = 0;
    mtree_probe_picker_t picker;
    due_t *due;

    MTREE_ARENA_ARRAY(&probe->scratch, due, 2 * (size_t)probe->graph.num_links);
    mtree_probe_picker_init(&picker, &probe->graph, &probe->scratch);
    num_due = list_due(probe, due);
    for (int i = 0; i < num_due; ++i) {
        /* Arcs of another number of tries take longer: they have rounds of their own. */
        if (due[i].tries == due[0].tries && picker.num_paths < affordable) {
            pick_cross(probe, &picker, &due[i], &tested);
        }
    }
    if (tested > 0) {
        rounds = (num_due + tested - 1) / tested;
        add_streams(probe, &picker);
        mtree_probe_set_round(probe, true, 1.0 / rounds, CROSS_SHARE(rounds),
                              "capacity of links");
    }
    /* When no time was left the round is empty. */
    for (int i = 0; i < num_due && probe->num_experiments > 0; ++i) {
        probe->arcs[due[i].arc].tries += due[i].picked;
    }
}

/* Keep what @a curve and @a rate say of the stream that @a experiment was. */
static void keep_stream(mtree_probe_t *probe, const mtree_probe_experiment_t *experiment,
                        const mtree_probe_curve_t *curve, const mtree_probe_rate_t *rate)
{
    mtree_probe_rate_sample_t *samples;
    mtree_probe_stream_t *stream;

    MTREE_ARENA_ARRAY(&probe->arena, samples, (size_t)curve->num_samples);
    stream = MTREE_ARENA_APPEND(&probe->arena, probe->streams, probe->num_streams,
                                probe->stream_capacity);
    memcpy(samples, curve->samples, (size_t)curve->num_samples * sizeof(*samples));
    *stream = (mtree_probe_stream_t){
        .set = probe->num_rounds,
        .from = experiment->from,
        .to = experiment->to,
        .alone = probe->stage == MTREE_PROBE_STAGE_SINGLE_LINK_TEST ||
                 probe->stage == MTREE_PROBE_STAGE_SINGLE_LINK_RETEST,
        .curve = {curve->num_samples, samples},
        .rate = *rate};
}

void mtree_probe_keep_streams(mtree_probe_t *probe, const mtree_probe_result_t *results)
{
    for (int i = 0; i < probe->num_experiments; ++i) {
        const mtree_probe_result_t *result = &results[i];
        const mtree_probe_experiment_t *experiment = &probe->experiments[i];
        const mtree_probe_curve_t curve = {result->num_samples, result->samples};
        mtree_probe_rate_t rate;

        if (result->failed) {
            probe->bytes +=
                fmin((double)experiment->bytes, expected_bytes(probe, experiment));
            continue;
        }
        probe->bytes +=
            fmax(result->bytes, result->samples[result->num_samples - 1].bytes);
        rate = mtree_probe_fit_rate(&curve, 1);
        /* A stream whose bytes were all there at its first mark shows none. */
        if (rate.rate > 0) {
            keep_stream(probe, experiment, &curve, &rate);
        }
    }
    explain(probe);
}
