/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/experiments.h"

#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* For all round trips together; no network that is worth using needs a tenth of it. */
#define MOST_SECONDS 8.0

/* Round trips: a message and its answer, one pair after the other. */
typedef struct {
    const coll_mtree_channel_t *channel;
    const coll_mtree_probe_part_t *part;
    int left; /* round trips, with the one under way */
    coll_mtree_message_t *out, *in;
    char *sent, *received; /* [part.experiment.bytes] */
    bool failed;
    double deadline, started; /* the latter: this round trip */
    double *seconds;          /* [part.experiment.repeats] of the counted ones */
    double send; /* the least seconds in which a counted message was handed over */
} ping_t;

static void ping_send(ping_t *ping)
{
    const double begin = mtree_clock_seconds();

    ping->out = coll_mtree_message_send(ping->channel, ping->part->peer, ping->part->tag,
                                        ping->sent, ping->part->experiment.bytes);
    if (ping->left <= ping->part->experiment.repeats) {
        ping->send = fmin(ping->send, mtree_clock_seconds() - begin);
    }
}

static void ping_recv(ping_t *ping)
{
    ping->in = coll_mtree_message_recv(ping->channel, ping->part->peer, ping->part->tag,
                                       ping->received, ping->part->experiment.bytes);
}

/* True when @a message_p has ended, or there is none. */
static bool ping_test(ping_t *ping, coll_mtree_message_t **message_p)
{
    mtree_status_t status;

    if (!coll_mtree_message_test(message_p, &status)) {
        return false;
    }
    ping->failed = ping->failed || status != MTREE_OK;
    return true;
}

static void ping_start(ping_t *ping)
{
    ping_recv(ping);
    if (ping->part->sends) {
        ping->started = mtree_clock_seconds();
        ping_send(ping);
    }
}

/* The first round trip, which may open the connection, is not counted. */
static void *ping_begin(const coll_mtree_channel_t *channel,
                        const coll_mtree_probe_part_t *part)
{
    ping_t *ping = mtree_calloc(1, sizeof(*ping));

    ping->channel = channel;
    ping->part = part;
    ping->left = part->experiment.repeats + 1;
    ping->send = INFINITY;
    ping->deadline = mtree_clock_seconds() + MOST_SECONDS;
    ping->sent = mtree_calloc(part->experiment.bytes, 1);
    ping->received = mtree_calloc(part->experiment.bytes, 1);
    ping->seconds =
        mtree_calloc((size_t)part->experiment.repeats, sizeof(*ping->seconds));
    ping_start(ping);
    return ping;
}

/* The answer is there: on to the next round trip. */
static void ping_finish_trip(ping_t *ping)
{
    ping->left--;
    if (ping->left < ping->part->experiment.repeats) {
        ping->seconds[ping->left] = mtree_clock_seconds() - ping->started;
    }
    if (ping->left > 0) {
        ping_start(ping);
    }
}

/* One step on the host that sends. */
static void advance_sender(ping_t *ping)
{
    if (ping_test(ping, &ping->in) && ping_test(ping, &ping->out) && !ping->failed) {
        ping_finish_trip(ping);
    }
}

/* One step on the host that answers. */
static void advance_answerer(ping_t *ping)
{
    if (ping->in != NULL && ping_test(ping, &ping->in) && !ping->failed) {
        ping_send(ping);
    }
    if (!ping->failed && ping->in == NULL && ping_test(ping, &ping->out) &&
        --ping->left > 0) {
        ping_recv(ping);
    }
}

static bool ping_advance(void *run)
{
    ping_t *ping = run;

    if (ping->failed || ping->left == 0) {
        return ping->failed || ping_test(ping, &ping->out);
    }
    if (ping->part->sends) {
        advance_sender(ping);
    } else {
        advance_answerer(ping);
    }
    if (ping->left > 0 && mtree_clock_seconds() > ping->deadline) {
        ping->failed = true;
    }
    return ping->failed;
}

/* Report the round trips that have ended; the last one is the first in the array. */
static void ping_report(const ping_t *ping, mtree_probe_result_t *result)
{
    int first = ping->left, count = ping->part->experiment.repeats - first;

    result->failed = count < 1;
    if (!result->failed) {
        result->median = mtree_median(ping->seconds + first, count);
        result->least = ping->seconds[first];
        result->send = isfinite(ping->send) ? ping->send : 0;
    }
}

static void ping_end(void *run, mtree_probe_result_t *result)
{
    ping_t *ping = run;

    if (result != NULL) {
        ping_report(ping, result);
    }
    coll_mtree_message_abandon(&ping->out, ping->sent);
    coll_mtree_message_abandon(&ping->in, ping->received);
    free(ping->seconds);
    free(ping);
}

const coll_mtree_probe_runner_t coll_mtree_ping_runner = {ping_begin, ping_advance,
                                                          ping_end};
