/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "coll_mtree/base/tuning.h"
#include "coll_mtree/probe/stream_arrivals.h"
#include "coll_mtree/probe/stream_window.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

/* What every message begins with. */
typedef struct {
    double bytes;   /* of the message */
    double seconds; /* in which the stream was sent, in one that ends it; otherwise 0 */
} header_t;

/* A stream: one host sends messages, as many at a time as fill the path, and the other
 * records when they come in. */
typedef struct {
    const coll_mtree_channel_t *channel;
    const coll_mtree_probe_part_t *part;
    size_t most_bytes;                        /* of a message: it goes in one fragment */
    header_t *slots[COLL_MTREE_STREAM_SLOTS]; /* message i is in slots[i %
                                                 COLL_MTREE_STREAM_SLOTS] */
    coll_mtree_message_t *messages[COLL_MTREE_STREAM_SLOTS]; /* the same */
    int num_started, num_ended;      /* messages; those that end it included */
    int num_last;                    /* of these, sent or received */
    double *credit;                  /* bytes that have come in, as the sender learns */
    coll_mtree_message_t *crediting; /* the message of the credit; NULL: none */
    double seconds;                  /* in which the stream was sent; 0: not known yet */
    bool failed;
    double began, deadline; /* began: with all others of the round, as well as is known */
    coll_mtree_stream_window_t window;     /* the sender's */
    double received;                       /* bytes, the receiver's */
    coll_mtree_stream_arrivals_t arrivals; /* the receiver's */
} stream_t;

/* Start the next message, of @a bytes; with @a seconds it ends the stream. */
static void start_message(stream_t *stream, size_t bytes, double seconds)
{
    const coll_mtree_probe_part_t *part = stream->part;
    int slot = stream->num_started % COLL_MTREE_STREAM_SLOTS;

    if (part->sends) {
        *stream->slots[slot] = (header_t){(double)bytes, seconds};
    }
    stream->messages[slot] = coll_mtree_message_start(
        stream->channel, part->sends, part->peer, part->tag, stream->slots[slot], bytes);
    stream->num_started++;
}

static void start_credit(stream_t *stream)
{
    const coll_mtree_probe_part_t *part = stream->part;

    stream->crediting =
        coll_mtree_message_start(stream->channel, !part->sends, part->peer, part->tag,
                                 stream->credit, sizeof(*stream->credit));
}

/* True when @a message_p has ended well, or there is none. */
static bool has_ended(stream_t *stream, coll_mtree_message_t **message_p)
{
    mtree_status_t status;

    if (!coll_mtree_message_test(message_p, &status)) {
        return false;
    }
    stream->failed = stream->failed || status != MTREE_OK;
    return !stream->failed;
}

/* Bytes of a message, the same at both ends.  A stream that is limited by its bytes has
 * as many messages as slots for each arrival that it needs. */
static size_t most_bytes(const coll_mtree_channel_t *channel,
                         const coll_mtree_probe_part_t *part)
{
    size_t most =
        part->experiment.bytes / (COLL_MTREE_STREAM_SLOTS * COLL_MTREE_LEAST_SAMPLES);

    most = most < COLL_MTREE_SHORT_BYTES         ? COLL_MTREE_SHORT_BYTES
           : most < COLL_MTREE_STREAM_MOST_BYTES ? most
                                                 : COLL_MTREE_STREAM_MOST_BYTES;
    return channel->longest < most ? channel->longest : most;
}

static void *stream_begin(const coll_mtree_channel_t *channel,
                          const coll_mtree_probe_part_t *part)
{
    stream_t *stream = mtree_calloc(1, sizeof(*stream));

    stream->channel = channel;
    stream->part = part;
    stream->most_bytes = most_bytes(channel, part);
    stream->began = mtree_clock_seconds();
    stream->deadline = stream->began + part->experiment.seconds + COLL_MTREE_PATIENCE;
    coll_mtree_stream_window_init(&stream->window, part->experiment.sharing,
                                  part->experiment.rtt, part->experiment.speed);
    stream->credit = mtree_calloc(1, sizeof(*stream->credit));
    for (int i = 0; i < COLL_MTREE_STREAM_SLOTS; i++) {
        stream->slots[i] = mtree_calloc(1, COLL_MTREE_STREAM_MOST_BYTES);
    }
    if (part->sends) {
        start_credit(stream);
    }
    while (!part->sends && !stream->failed &&
           stream->num_started < COLL_MTREE_STREAM_SLOTS) {
        start_message(stream, stream->most_bytes, 0);
    }
    return stream;
}

/* Has it lasted long enough, or would @a bytes more be too many? */
static bool is_long_enough(const stream_t *stream, size_t bytes, double now)
{
    return (stream->window.num_credits > COLL_MTREE_LEAST_SAMPLES &&
            now >= stream->began + stream->part->experiment.seconds) ||
           stream->window.sent + (double)bytes > (double)stream->part->experiment.bytes;
}

static bool may_start(const stream_t *stream)
{
    return !stream->failed &&
           stream->num_started < stream->num_ended + COLL_MTREE_STREAM_SLOTS / 2;
}

/* Start as many messages as fit. */
static void send_messages(stream_t *stream, double now)
{
    size_t bytes = coll_mtree_stream_window_message(&stream->window, stream->most_bytes);

    while (!is_long_enough(stream, bytes, now) && stream->seconds == 0 &&
           may_start(stream) && coll_mtree_stream_window_fits(&stream->window, bytes)) {
        start_message(stream, bytes, 0);
        coll_mtree_stream_window_sent(&stream->window, bytes, now);
    }
    if (stream->seconds == 0 && is_long_enough(stream, bytes, now)) {
        stream->seconds = now - stream->began;
    }
    while (stream->seconds > 0 && stream->num_last < COLL_MTREE_STREAM_SLOTS &&
           may_start(stream)) {
        start_message(stream, sizeof(header_t), stream->seconds);
        stream->num_last++;
    }
}

/* Has all come to the receiver?  Then no credit follows. */
static bool is_credited(const stream_t *stream)
{
    return stream->seconds > 0 && stream->window.credited == stream->window.sent;
}

static bool advance_sender(stream_t *stream, double now)
{
    while (stream->num_ended < stream->num_started &&
           has_ended(stream,
                     &stream->messages[stream->num_ended % COLL_MTREE_STREAM_SLOTS])) {
        stream->num_ended++;
    }
    while (stream->crediting != NULL && has_ended(stream, &stream->crediting)) {
        coll_mtree_stream_window_credit(&stream->window, *stream->credit, now);
        if (!is_credited(stream)) {
            start_credit(stream);
        }
    }
    send_messages(stream, now);
    return is_credited(stream) && stream->num_last == COLL_MTREE_STREAM_SLOTS &&
           stream->num_ended == stream->num_started;
}

/* Take all messages that are there, and receive on. */
static void receive_messages(stream_t *stream)
{
    while (stream->num_last < COLL_MTREE_STREAM_SLOTS &&
           has_ended(stream,
                     &stream->messages[stream->num_ended % COLL_MTREE_STREAM_SLOTS])) {
        const header_t *header =
            stream->slots[stream->num_ended % COLL_MTREE_STREAM_SLOTS];

        stream->num_ended++;
        if (header->seconds == 0) {
            stream->received += header->bytes;
            start_message(stream, stream->most_bytes, 0);
        } else {
            stream->seconds = header->seconds;
            stream->num_last++;
        }
    }
}

/* True when the sender has the last credit. */
static bool advance_receiver(stream_t *stream, double now)
{
    double before = stream->received;

    receive_messages(stream);
    if (stream->received > before) {
        coll_mtree_stream_arrivals_add(&stream->arrivals, now - stream->began,
                                       stream->received, stream->num_ended);
    }
    if (!has_ended(stream, &stream->crediting)) {
        return false;
    }
    if (stream->received > *stream->credit) {
        *stream->credit = stream->received;
        start_credit(stream);
    }
    return stream->num_last == COLL_MTREE_STREAM_SLOTS &&
           has_ended(stream, &stream->crediting);
}

static bool stream_advance(void *run)
{
    stream_t *stream = run;
    double now = mtree_clock_seconds();
    bool ended =
        stream->part->sends ? advance_sender(stream, now) : advance_receiver(stream, now);

    if (!ended && now > stream->deadline) {
        stream->failed = true;
    }
    return ended || stream->failed;
}

static void stream_end(void *run, mtree_probe_result_t *result)
{
    stream_t *stream = run;

    coll_mtree_stream_arrivals_report(&stream->arrivals, stream->seconds, result);
    result->failed = result->failed || stream->failed;
    result->bytes = stream->received;
    coll_mtree_message_abandon(&stream->crediting, stream->credit);
    for (int i = 0; i < COLL_MTREE_STREAM_SLOTS; i++) {
        coll_mtree_message_abandon(&stream->messages[i], stream->slots[i]);
    }
    free(stream);
}

const coll_mtree_probe_runner_t coll_mtree_stream_runner = {stream_begin, stream_advance,
                                                            stream_end};
