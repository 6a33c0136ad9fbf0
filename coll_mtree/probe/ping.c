/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/probe/worker.h"

#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Messages of the first round trip, which may open the connection and is not counted. */
#define UNCOUNTED 2

/* Round trips: a message and its answer, one pair after the other. */
typedef struct {
    const coll_mtree_channel_t *channel;
    const coll_mtree_probe_part_t *part;
    int num_messages;              /* both ways, that have ended */
    coll_mtree_message_t *message; /* the next */
    void *bytes;                   /* of it */
    bool failed;
    double deadline, started; /* the latter: this round trip */
    double *seconds;          /* [part->experiment.repeats] of the counted ones */
    double send; /* the least seconds in which a counted message was handed over */
} ping_t;

static int most_messages(const ping_t *ping)
{
    return 2 * ping->part->experiment.repeats + UNCOUNTED;
}

/* Start the next message; those with even numbers are from the host that sends. */
static void start_message(ping_t *ping)
{
    const coll_mtree_probe_part_t *part = ping->part;
    const bool is_first = ping->num_messages % 2 == 0;
    const bool sends = is_first == (part->sends != 0);
    const double begin = mtree_clock_seconds();

    ping->started = is_first ? begin : ping->started;
    ping->message = coll_mtree_message_start(ping->channel, sends, part->peer, part->tag,
                                             ping->bytes, part->experiment.bytes);
    if (sends && ping->num_messages >= UNCOUNTED) {
        ping->send = fmin(ping->send, mtree_clock_seconds() - begin);
    }
}

static void *ping_begin(const coll_mtree_channel_t *channel,
                        const coll_mtree_probe_part_t *part)
{
    const size_t repeats = (size_t)part->experiment.repeats;
    ping_t *ping = mtree_calloc(1, sizeof(*ping));

    ping->channel = channel;
    ping->part = part;
    ping->send = INFINITY;
    ping->deadline = mtree_clock_seconds() + COLL_MTREE_PATIENCE;
    ping->bytes = mtree_calloc(part->experiment.bytes, 1);
    ping->seconds = mtree_calloc(repeats, sizeof(*ping->seconds));
    start_message(ping);
    return ping;
}

static bool ping_advance(void *run)
{
    ping_t *ping = run;
    mtree_status_t status;

    while (!ping->failed && ping->num_messages < most_messages(ping) &&
           coll_mtree_message_test(&ping->message, &status)) {
        const int trip = (ping->num_messages + 1 - UNCOUNTED) / 2;

        ping->failed = status != MTREE_OK;
        if (!ping->failed && ping->num_messages++ % 2 != 0 && trip > 0) {
            ping->seconds[trip - 1] = mtree_clock_seconds() - ping->started;
        }
        if (!ping->failed && ping->num_messages < most_messages(ping)) {
            start_message(ping);
        }
    }
    ping->failed = ping->failed || (ping->num_messages < most_messages(ping) &&
                                    mtree_clock_seconds() > ping->deadline);
    return ping->failed || ping->num_messages == most_messages(ping);
}

static void ping_end(void *run, mtree_probe_result_t *result)
{
    ping_t *ping = run;
    const int count = (ping->num_messages - UNCOUNTED) / 2;

    if (count > 0) {
        result->failed = false;
        result->median = mtree_median(ping->seconds, count);
        result->least = ping->seconds[0];
        result->send = isfinite(ping->send) ? ping->send : 0;
    }
    coll_mtree_message_abandon(&ping->message, ping->bytes);
    free(ping->seconds);
    free(ping);
}

const coll_mtree_probe_runner_t coll_mtree_ping_runner = {ping_begin, ping_advance,
                                                          ping_end};
