/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/drift/link_check.h"

#include "base/memory.h"
#include "topo/drift/drift_private.h"
#include "topo/probe/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Calls are slow that take so many times as long as predicted; so many observations of
 * slow calls in a row ask for a check. */
#define SLOW_CALLS  1.3
#define SLOW_IN_ROW 2

/* Calls as fast as predicted do not show links that carry more.  So there is one check
 * without slow calls, when it takes this part of the time that calls took. */
#define FIRST_CHECK_PART 0.05

/* Seconds of a stream, and round trips if these are longer: windows open in the first six
 * or so. */
#define STREAM_SECONDS 0.2
#define STREAM_RTTS    12

/* What a turn takes beyond a stream and a round trip. */
#define TURN_SECONDS 0.05

/* Observations from a check to the next; doubled after each that changes nothing. */
#define MIN_INTERVAL 16
#define MAX_INTERVAL 4096

/* So many streams at once would show the processors rather than the links. */
#define MOST_STREAMS 1024

/* Where the halves of a stream differ by more, it shows no rate. */
#define STEADY 0.25

/* Capacities that differ by a smaller part are the same. */
#define SAME 0.05

/* With more changes only the greatest is described. */
#define MOST_DESCRIBED 2

static double stream_seconds(double rtt)
{
    return fmax(STREAM_SECONDS, STREAM_RTTS * rtt);
}

/* Have calls taken so long that a first check costs little? */
static bool first_check_is_cheap(const mtree_drift_t *drift)
{
    double rtt = 0;

    for (int l = 0; l < drift->topology->num_links; l++) {
        rtt = fmax(rtt, 2 * drift->topology->links[l].latency);
    }
    return drift->check.interval == 0 && 2 * (stream_seconds(rtt) + rtt + TURN_SECONDS) <=
                                             FIRST_CHECK_PART * drift->check.seconds;
}

bool mtree_link_check_is_due(mtree_drift_t *drift, double slowness, double seconds)
{
    mtree_drift_check_t *check = &drift->check;

    if (slowness <= 0) {
        return false;
    }
    check->wait -= check->wait > 0;
    check->slow = slowness >= SLOW_CALLS ? check->slow + 1 : 0;
    check->seconds += seconds;
    if ((check->slow < SLOW_IN_ROW && !first_check_is_cheap(drift)) || check->wait > 0) {
        return false;
    }
    check->slow = 0;
    check->interval = check->interval == 0 ? MIN_INTERVAL : check->interval;
    check->wait = check->interval;
    return true;
}

int mtree_link_check_streams(const mtree_drift_t *drift, mtree_link_stream_t **streams_p)
{
    int num = 0;

    *streams_p = mtree_malloc((size_t)drift->num_arcs * sizeof(**streams_p));
    for (int from = 0; from < drift->num_hosts; from++) {
        for (int to = 0; to < drift->num_hosts; to++) {
            int arc = mtree_routes_first(drift->routes, from, to);
            double rtt;

            if (mtree_routes_links(drift->routes, from, to) == 1 &&
                drift->topology->links[arc >> 1].num_cables == 0) {
                rtt = 2 * drift->topology->links[arc >> 1].latency;
                (*streams_p)[num++] =
                    (mtree_link_stream_t){.stream = {.kind = MTREE_PROBE_STREAM,
                                                     .from = from,
                                                     .to = to,
                                                     .seconds = stream_seconds(rtt),
                                                     .sharing = 1,
                                                     .rtt = rtt},
                                          .arc = arc,
                                          .turn = arc & 1};
            }
        }
    }
    return num <= MOST_STREAMS ? num : 0;
}

mtree_probe_round_t mtree_link_check_round(const mtree_link_stream_t *streams,
                                           int num_streams, int turn, double bytes,
                                           mtree_probe_experiment_t *experiments)
{
    mtree_probe_round_t round = {.experiments = experiments, .purpose = "link check"};

    for (int i = 0; i < num_streams; i++) {
        if (streams[i].turn == turn) {
            mtree_probe_experiment_t *next = &experiments[round.num_experiments++];

            *next = streams[i].stream;
            next->bytes = bytes > 0 ? (size_t)(bytes / num_streams) : SIZE_MAX;
            round.seconds = fmax(round.seconds, next->seconds);
        }
    }
    return round;
}

/* What a stream carried on the wire, bits/s; 0: it does not show. */
static double measured_rate(const mtree_probe_result_t *result)
{
    mtree_probe_curve_t curve = {result->num_samples, result->samples};
    mtree_probe_rate_t rate;

    if (result->failed) {
        return 0;
    }
    rate = mtree_probe_fit_rate(&curve, 1);
    return rate.rising || rate.spread > STEADY ? 0 : rate.rate;
}

void mtree_link_check_take(mtree_link_stream_t *streams, int num_streams, int turn,
                           const mtree_probe_result_t *results)
{
    for (int i = 0; i < num_streams; i++) {
        if (streams[i].turn == turn) {
            streams[i].capacity = measured_rate(results++);
        }
    }
}

/* The capacity of @a stream's link is what the stream measured. */
static void arc_set(mtree_drift_t *drift, const mtree_link_stream_t *stream)
{
    mtree_drift_arc_t *arc = &drift->arcs[stream->arc];

    mtree_drift_set_capacity(drift, stream->arc, stream->capacity);
    arc->original = fmax(arc->original, stream->capacity);
    arc->slowed = stream->capacity < MTREE_DRIFT_SLOW * arc->original;
    arc->retry = arc->retry_interval;
    arc->trial = 0;
    arc->slower = arc->faster = 0;
}

/* The factor between the topology's capacity of a stream's link and the measured one; 1:
 * they are the same, or it is not known. */
static double stream_factor(const mtree_drift_t *drift, const mtree_link_stream_t *stream)
{
    double factor = stream->capacity / mtree_arc_capacity(drift->topology, stream->arc);

    return stream->capacity <= 0 || fabs(factor - 1) < SAME ? 1
                                                            : fmax(factor, 1 / factor);
}

/* No stream measured less than what calls carry over its link. */
static void streams_raise(mtree_drift_t *drift, mtree_link_stream_t *streams,
                          int num_streams, const mtree_path_sample_t *samples,
                          int num_samples)
{
    mtree_drift_attribute(drift, samples, num_samples);
    for (int i = 0; i < num_streams; i++) {
        double carried = drift->arcs[streams[i].arc].rate / MTREE_DRIFT_EFFICIENCY;

        if (streams[i].capacity > 0) {
            streams[i].capacity = fmax(streams[i].capacity, carried);
        }
    }
}

mtree_drift_change_t mtree_link_check_update(mtree_drift_t *drift,
                                             mtree_link_stream_t *streams,
                                             int num_streams,
                                             const mtree_path_sample_t *samples,
                                             int num_samples)
{
    int num_changed = 0;
    double greatest = 1;

    drift->change_summary[0] = '\0';
    streams_raise(drift, streams, num_streams, samples, num_samples);
    for (int i = 0; i < num_streams; i++) {
        double factor = stream_factor(drift, &streams[i]);

        num_changed += factor > 1;
        greatest = fmax(greatest, factor);
    }
    if (num_changed > MOST_DESCRIBED) {
        (void)snprintf(drift->change_summary, sizeof(drift->change_summary),
                       "%d of %d links give other rates", num_changed, num_streams);
    }
    drift->check.interval = num_changed > 0 ? MIN_INTERVAL
                            : 2 * drift->check.interval < MAX_INTERVAL
                                ? 2 * drift->check.interval
                                : MAX_INTERVAL;
    for (int i = 0; i < num_streams; i++) {
        double before = mtree_arc_capacity(drift->topology, streams[i].arc);
        double factor = stream_factor(drift, &streams[i]);

        if (factor > 1) {
            arc_set(drift, &streams[i]);
            if (num_changed <= MOST_DESCRIBED || factor == greatest) {
                mtree_drift_describe(drift, streams[i].arc, "gives", before);
            }
        }
    }
    if (num_changed > 0) {
        mtree_drift_forget_gradual(drift);
    }
    return num_changed > 0 ? MTREE_DRIFT_LARGE : MTREE_DRIFT_NOTHING;
}
