/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/pingpong.h"

#include "coll_mtree/base/memory.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

/* For all round trips together; no network that is worth using needs a tenth of it. */
#define MOST_SECONDS 8.0

struct coll_mtree_ping {
    const coll_mtree_channel_t *channel;
    coll_mtree_probe_part_t part;
    int left; /* round trips, with the one under way */
    coll_mtree_message_t *out, *in;
    char *sent, *received; /* [part.bytes] */
    bool failed;
    double deadline, started; /* the latter: this round trip */
    double *seconds;          /* [part.repeats] of the counted ones */
    double send; /* the least seconds in which a counted message was handed over */
};

static void ping_send(coll_mtree_ping_t *ping)
{
    const double begin = mtree_clock_seconds();

    ping->out = coll_mtree_message_send(ping->channel, ping->part.peer, ping->part.tag,
                                        ping->sent, ping->part.bytes);
    if (ping->left <= ping->part.repeats) {
        ping->send = fmin(ping->send, mtree_clock_seconds() - begin);
    }
}

static void ping_recv(coll_mtree_ping_t *ping)
{
    ping->in = coll_mtree_message_recv(ping->channel, ping->part.peer, ping->part.tag,
                                       ping->received, ping->part.bytes);
}

/* True when @a message_p has ended, or there is none. */
static bool ping_test(coll_mtree_ping_t *ping, coll_mtree_message_t **message_p)
{
    mtree_status_t status;

    if (!coll_mtree_message_test(message_p, &status)) {
        return false;
    }
    ping->failed = ping->failed || status != MTREE_OK;
    return true;
}

static void ping_start(coll_mtree_ping_t *ping)
{
    ping_recv(ping);
    if (ping->part.sends) {
        ping->started = mtree_clock_seconds();
        ping_send(ping);
    }
}

coll_mtree_ping_t *coll_mtree_ping_begin(const coll_mtree_channel_t *channel,
                                         const coll_mtree_probe_part_t *part)
{
    coll_mtree_ping_t *ping = coll_mtree_calloc(1, sizeof(*ping));

    ping->channel = channel;
    ping->part = *part;
    ping->left = part->repeats + 1;
    ping->send = INFINITY;
    ping->deadline = mtree_clock_seconds() + MOST_SECONDS;
    ping->sent = coll_mtree_calloc(part->bytes, 1);
    ping->received = coll_mtree_calloc(part->bytes, 1);
    ping->seconds = coll_mtree_calloc((size_t)part->repeats, sizeof(*ping->seconds));
    ping_start(ping);
    return ping;
}

/* The answer is there: on to the next round trip. */
static void ping_finish_trip(coll_mtree_ping_t *ping)
{
    ping->left--;
    if (ping->left < ping->part.repeats) {
        ping->seconds[ping->left] = mtree_clock_seconds() - ping->started;
    }
    if (ping->left > 0) {
        ping_start(ping);
    }
}

/* One step on the host that sends. */
static void advance_sender(coll_mtree_ping_t *ping)
{
    if (ping_test(ping, &ping->in) && ping_test(ping, &ping->out) && !ping->failed) {
        ping_finish_trip(ping);
    }
}

/* One step on the host that answers. */
static void advance_answerer(coll_mtree_ping_t *ping)
{
    if (ping->in != NULL && ping_test(ping, &ping->in) && !ping->failed) {
        ping_send(ping);
    }
    if (!ping->failed && ping->in == NULL && ping_test(ping, &ping->out) &&
        --ping->left > 0) {
        ping_recv(ping);
    }
}

bool coll_mtree_ping_advance(coll_mtree_ping_t *ping)
{
    if (ping->failed || ping->left == 0) {
        return ping->failed || ping_test(ping, &ping->out);
    }
    if (ping->part.sends) {
        advance_sender(ping);
    } else {
        advance_answerer(ping);
    }
    if (ping->left > 0 && mtree_clock_seconds() > ping->deadline) {
        ping->failed = true;
    }
    return ping->failed;
}

static int compare_seconds(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Report the round trips that have ended; the last one is the first in the array. */
static void ping_report(const coll_mtree_ping_t *ping, mtree_probe_result_t *result)
{
    int first = ping->left, count = ping->part.repeats - first;

    result->failed = count < 1;
    if (!result->failed) {
        qsort(ping->seconds + first, (size_t)count, sizeof(*ping->seconds),
              compare_seconds);
        result->least = ping->seconds[first];
        result->median = ping->seconds[first + count / 2];
        result->send = isfinite(ping->send) ? ping->send : 0;
    }
}

void coll_mtree_ping_end(coll_mtree_ping_t *ping, mtree_probe_result_t *result)
{
    if (result != NULL) {
        ping_report(ping, result);
    }
    coll_mtree_message_abandon(&ping->out, ping->sent);
    coll_mtree_message_abandon(&ping->in, ping->received);
    free(ping->seconds);
    free(ping);
}
