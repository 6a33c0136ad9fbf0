/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds of streams: their length and the size of their messages; and the stage that
 * sends streams across each arc whose capacity is unknown.
 */
#include "topo/probe/state.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A stream lasts STREAM_SECONDS, or STREAM_RTTS round trips if these are longer: about
 * six until its window is open, the others to measure in. */
#define STREAM_SECONDS 0.25
#define STREAM_RTTS    10
#define LEAST_SECONDS  0.05
#define LEAST_RTTS     6

/* With fewer bytes a stream shows no rate. */
#define LEAST_BYTES ((double)(256 << 10))

/* Bits/s, to tell how many streams the bytes are enough for. */
#define USUAL_RATE 1e9

/* The part of the remaining bytes for one of @a _rounds rounds to come: further tries
 * need some, too. */
#define CROSS_SHARE(_rounds) (1.0 / ((_rounds) + 1))

#define MAX_TRIES  3
#define UNSTEADY   0.08 /* with a larger spread an arc needs another sample */
#define LOPSIDED   0.1  /* so does one that gives this part less than back */
#define NIC_PAIRS  2    /* streams across an arc of a host at the first try; doubled */
#define LINK_PAIRS 4    /* the same for an arc between switches */

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

/* Share out a part of the bytes that are left to the streams of the round. */
static void set_bytes(mtree_probe_t *probe, double share)
{
    const double bytes = share * bytes_left(probe) / probe->num_experiments;

    for (int i = 0; i < probe->num_experiments; ++i) {
        probe->experiments[i].bytes = bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX;
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

void mtree_probe_set_round(mtree_probe_t *probe, double seconds_share, double bytes_share,
                           const char *purpose)
{
    double left = probe->options.seconds - probe->spent - probe->delay, longest = 0;

    drop_long(probe, left);
    for (int i = 0; i < probe->num_experiments; ++i) {
        longest = fmax(longest, probe->experiments[i].rtt);
    }
    for (int i = 0; i < probe->num_experiments; ++i) {
        probe->experiments[i].seconds = fmax(
            least_seconds(longest), fmin(usual_seconds(longest), seconds_share * left));
    }
    set_sharing(probe);
    set_bytes(probe, bytes_share);
    (void)snprintf(probe->purpose, sizeof(probe->purpose), "%s, %d streams", purpose,
                   probe->num_experiments);
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

    return !known->known || known->spread > UNSTEADY || is_lopsided(probe, arc);
}

/* What the streams of a round leave to others. */
typedef struct {
    int *streams; /* [2 num_links] that cross an arc, of all tests */
    int *limit;   /* [2 num_links] how many may, so that the tests are valid; 0: any */
} room_t;

/* May a stream take @a path for a test of @a arc, beside which others carry @a most?  No
 * link carries streams in both directions, because the acknowledgements of one would wait
 * in the queue of the other. */
static bool has_room(const room_t *room, const mtree_probe_path_t *path, int arc,
                     int most)
{
    for (int i = 0; i < path->num_arcs; ++i) {
        const int at = path->arcs[i], streams = room->streams[at];

        if (room->streams[at ^ 1] > 0 ||
            (room->limit[at] > 0 && streams >= room->limit[at]) ||
            (at != arc && streams >= most)) {
            return false;
        }
    }
    return true;
}

/*
 * Add a test of @a arc to the round: up to @a count streams across it, by the shortest
 * paths.  No other arc that they cross carries more than half as many streams of this and
 * of earlier tests, so that @a arc limits them unless another link is much slower; nor do
 * they spoil earlier tests that way.  Returns their number.
 */
static int add_test(mtree_probe_t *probe, room_t *room, int arc, int count)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const int most = (count + 1) / 2;
    int added = 0;

    for (int i = graph->first_crossing[arc];
         i < graph->first_crossing[arc + 1] && added < count; ++i) {
        const mtree_probe_path_t *path = &graph->paths[graph->crossing[i]];

        if (!has_room(room, path, arc, most)) {
            continue;
        }
        for (int j = 0; j < path->num_arcs; ++j) {
            const int at = path->arcs[j];

            ++room->streams[at];
            if (at != arc && (room->limit[at] == 0 || room->limit[at] > most)) {
                room->limit[at] = most;
            }
        }
        mtree_probe_add_stream(probe, path->from, path->to);
        ++added;
        /* A path of one link: nothing else can limit the stream. */
        if (path->num_arcs == 1) {
            break;
        }
    }
    return added;
}

/* How many streams a test of @a arc has. */
static int count_streams(const mtree_probe_t *probe, int arc)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const bool at_host = mtree_probe_arc_from(graph, arc) < graph->num_hosts ||
                         mtree_probe_arc_to(graph, arc) < graph->num_hosts;

    return (at_host ? NIC_PAIRS : LINK_PAIRS) << probe->arcs[arc].tries;
}

void mtree_probe_fill_cross(mtree_probe_t *probe)
{
    const int affordable = mtree_probe_affordable(probe, CROSS_SHARE(1), 0);
    const int num_arcs = 2 * probe->graph.num_links;
    int num_due = 0, rounds, tested = 0;
    bool *picked;
    room_t room;

    MTREE_ARENA_ARRAY(&probe->scratch, picked, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(&probe->scratch, room.streams, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(&probe->scratch, room.limit, (size_t)num_arcs);
    /* First tests come first. */
    for (int i = 0; i < MAX_TRIES * num_arcs; ++i) {
        const int arc = i % num_arcs;

        if (probe->arcs[arc].tries == i / num_arcs && needs_test(probe, arc)) {
            ++num_due;
            picked[arc] = probe->num_experiments < affordable &&
                          add_test(probe, &room, arc, count_streams(probe, arc)) > 0;
            tested += picked[arc];
        }
    }
    if (tested > 0) {
        rounds = (num_due + tested - 1) / tested;
        mtree_probe_set_round(probe, 1.0 / rounds, CROSS_SHARE(rounds),
                              "capacity of links");
    }
    /* When no time was left the round is empty. */
    for (int arc = 0; arc < num_arcs && probe->num_experiments > 0; ++arc) {
        probe->arcs[arc].tries += picked[arc];
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
            probe->bytes += probe->options.bytes > 0 ? (double)experiment->bytes : 0;
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
