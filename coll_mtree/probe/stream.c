/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/stream.h"

#include "coll_mtree/transport/transport.h"

#include "topo/probe/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The receiver tells the sender how many bytes have come, and the sender keeps no more
 * under way than fills the way: what is queued in the system beyond that would have to be
 * waited for at the end, on a slow link for seconds.
 */
#define LEAST_WINDOW 40960  /* bytes, of all streams on a link together */
#define LEAST_SHARE  4096   /* of one of them */
#define FIRST_RATE   1.28e6 /* bytes/s: what a way is opened with, by its length */
#define FIRST_MOST   131072 /* bytes */

/*
 * The window grows by a part of what the receiver tells of, a large one while the rate is
 * far below what the interfaces can, until round trips become longer: then a queue has
 * begun, and one round trip's worth of the rate beyond the least window keeps it short.
 * Where it overflows TCP pauses for much longer than a stream lasts.  A stream that is
 * alone has a little more than a round trip's worth of what it has seen: TCP's own window
 * opens only while it is full, and with more a connection that was in use before would
 * send a queue's worth at once.
 */
#define FAST_GROWTH    1.0
#define SLOW_GROWTH    0.35
#define FAR            0.1 /* of the interfaces' speed */
#define QUEUED_FACTOR  1.1 /* round trips beyond the empty way's */
#define QUEUED_SECONDS 0.004
#define ALONE_TRIPS    1.25
#define RATE_KEPT      0.9 /* from one look to the next: a pause is not the rate */

/* Messages whose round trip is waited for at a time. */
#define MARKED 32

/* Rates are looked at over a round trip, within limits.  How fast the first messages come
 * one after another tells the rate of a long way before its window is open; over a
 * shorter time a shaper's bucket tells more than its rate. */
#define BURST_INTERVAL 0.016
#define LEAST_INTERVAL 0.008
#define MOST_INTERVAL  0.1

/* Messages of so many seconds each, that a slow link is marked often, too.  TCP sends
 * what is longer than the most only when the receiver has answered for it. */
#define MESSAGE_SECONDS 0.004
#define LEAST_BYTES     1024
#define MOST_BYTES      (32 << 10)

/* What each message has on the wire beside its bytes: Ethernet's, IP's and TCP's headers
 * and Open MPI's.  The slower a stream the shorter its messages, and a link is to have
 * one capacity. */
#define HEADER_BYTES 90

/* Receives that wait at a time.  The last messages, which are shorter than all others,
 * say for how long was sent, and are as many as there are receives to be ended. */
#define RECEIVES 8

/* Sends under way in the PML at a time; what the transport took in counts no more. */
#define SENDS 4

/* Beyond the time that the stream is to take. */
#define MOST_MORE_SECONDS 6.0

/* Fewer arrivals say nothing.  Each credit stands for one. */
#define LEAST_MARKS 8

/* Arrivals that are kept, and marks that are made of them. */
#define MOST_ARRIVALS 512
#define MARKS         49

/* What the receiver tells the sender. */
typedef struct {
    double bytes; /* that came in so far */
    int is_last;
} credit_t;

/* A rate, looked at now and then. */
typedef struct {
    double began, bytes; /* of the look at hand: seconds, credited by then */
    double rate;         /* bytes/s */
} meter_t;

struct coll_mtree_stream {
    ompi_communicator_t *comm;
    coll_mtree_probe_part_t part;
    size_t room;                        /* bytes of a buffer */
    char *buffer;                       /* one to send from, RECEIVES to receive into */
    ompi_request_t *messages[RECEIVES]; /* message i is messages[i % RECEIVES] */
    int started, ended;                 /* messages; those that end it included */
    int num_last;                       /* of these, sent or received */
    double bytes;                       /* sent or received */
    ompi_request_t *crediting;          /* one is under way */
    credit_t credit;
    double seconds; /* for how long was sent; what the last messages say */
    bool is_over, failed;
    double began, deadline; /* began: with all others of the set, as well as is known */

    /* The sender's. */
    double credited; /* bytes */
    int num_credits;
    meter_t burst, steady;             /* over short times and over round trips */
    bool opened;                       /* a queue was seen */
    double round_trip, latest_trip;    /* seconds, the least and the last */
    double window;                     /* bytes that may be under way */
    int num_marked, num_answered;      /* messages whose round trips were waited for */
    mtree_probe_mark_t marked[MARKED]; /* when they were sent, and with how many bytes */

    /* The receiver's. */
    double rank_sample; /* bytes, by the last credit */
    double interval;    /* between arrivals that are kept, seconds */
    int num_arrivals;
    mtree_probe_mark_t arrivals[MOST_ARRIVALS];
    mtree_probe_mark_t latest;
};

static bool stream_start_message(coll_mtree_stream_t *stream, const void *from,
                                 size_t bytes)
{
    int slot = stream->started % RECEIVES;
    const coll_mtree_probe_part_t *part = &stream->part;
    bool started =
        part->sends ? coll_mtree_probe_send(stream->comm, part->peer, part->tag, from,
                                            bytes, &stream->messages[slot])
                    : coll_mtree_probe_recv(stream->comm, part->peer, part->tag,
                                            stream->buffer + (size_t)slot * stream->room,
                                            stream->room, &stream->messages[slot]);

    stream->started += started;
    stream->failed = stream->failed || !started;
    return started;
}

static void stream_start_credit(coll_mtree_stream_t *stream)
{
    const coll_mtree_probe_part_t *part = &stream->part;

    if (!(part->sends ? coll_mtree_probe_recv(stream->comm, part->peer, part->tag,
                                              &stream->credit, sizeof(stream->credit),
                                              &stream->crediting)
                      : coll_mtree_probe_send(stream->comm, part->peer, part->tag,
                                              &stream->credit, sizeof(stream->credit),
                                              &stream->crediting))) {
        stream->failed = true;
    }
}

static double least_window(const coll_mtree_stream_t *stream)
{
    return fmax(LEAST_SHARE, (double)LEAST_WINDOW / stream->part.sharing);
}

coll_mtree_stream_t *coll_mtree_stream_begin(ompi_communicator_t *comm,
                                             const coll_mtree_probe_part_t *part)
{
    coll_mtree_stream_t *stream = calloc(1, sizeof(*stream));

    if (stream == NULL) {
        return NULL;
    }
    stream->comm = comm;
    stream->part = *part;
    stream->room = MOST_BYTES;
    stream->buffer = calloc(part->sends ? 1 : RECEIVES, stream->room);
    if (stream->buffer == NULL) {
        free(stream);
        return NULL;
    }
    stream->began = coll_mtree_clock();
    stream->deadline = stream->began + part->seconds + MOST_MORE_SECONDS;
    stream->round_trip = INFINITY;
    stream->window =
        least_window(stream) + fmin(FIRST_MOST, FIRST_RATE * part->trip) / part->sharing;
    if (part->sends) {
        stream_start_credit(stream);
    }
    while (!part->sends && stream->started < RECEIVES &&
           stream_start_message(stream, NULL, stream->room)) {}
    return stream;
}

/* Wait for the round trip of the message that was sent last. */
static void mark_message(coll_mtree_stream_t *stream, double now)
{
    if (stream->num_marked < stream->num_answered + MARKED) {
        stream->marked[stream->num_marked++ % MARKED] =
            (mtree_probe_mark_t){now, stream->bytes};
    }
}

/* The round trips of the messages that have come. */
static void take_trips(coll_mtree_stream_t *stream, double now)
{
    while (stream->num_answered < stream->num_marked &&
           stream->marked[stream->num_answered % MARKED].bytes <= stream->credited) {
        stream->latest_trip = now - stream->marked[stream->num_answered % MARKED].seconds;
        stream->round_trip = fmin(stream->round_trip, stream->latest_trip);
        stream->num_answered++;
    }
}

/* Bytes that may be under way, after @a more have come. */
static void set_window(coll_mtree_stream_t *stream, double more)
{
    double least = least_window(stream), rate = stream->steady.rate;
    bool is_far = 8 * rate * stream->part.sharing < FAR * stream->part.speed;
    double empty_trip = stream->round_trip;

    /* The first round trips may have been through a queue of others. */
    if (stream->part.trip > 0) {
        empty_trip = fmin(empty_trip, stream->part.trip);
    }
    if (stream->part.sharing == 1) {
        stream->window =
            fmax(stream->window, least + ALONE_TRIPS * stream->burst.rate * empty_trip);
    } else if (stream->latest_trip <= QUEUED_FACTOR * empty_trip + QUEUED_SECONDS) {
        stream->window += (is_far ? FAST_GROWTH : SLOW_GROWTH) * more;
        if (!stream->opened) {
            stream->window =
                fmax(stream->window, least + stream->burst.rate * empty_trip);
        }
    } else if (rate > 0) {
        stream->opened = true;
        stream->window = fmin(stream->window, least + rate * empty_trip);
    }
}

/* Look at the rate if @a least seconds have passed. */
static void meter_look(meter_t *meter, double bytes, double now, double least)
{
    if (now - meter->began >= least) {
        meter->rate =
            fmax((bytes - meter->bytes) / (now - meter->began), RATE_KEPT * meter->rate);
        meter->began = now;
        meter->bytes = bytes;
    }
}

/* Learn from the bytes that have come in. */
static void take_credit(coll_mtree_stream_t *stream, double now)
{
    double more = stream->credit.bytes - stream->credited;

    stream->credited = stream->credit.bytes;
    take_trips(stream, now);
    if (stream->num_credits++ == 0) {
        stream->burst.began = stream->steady.began = now;
        stream->burst.bytes = stream->steady.bytes = stream->credited;
    }
    meter_look(&stream->burst, stream->credited, now, BURST_INTERVAL);
    meter_look(&stream->steady, stream->credited, now,
               fmax(LEAST_INTERVAL, fmin(stream->round_trip, MOST_INTERVAL)));
    set_window(stream, more);
}

/* TCP counts packets until it knows the way: the first ones are not to be small.  Two
 * always fit in the window: one that does not would wait for it for ever. */
static size_t message_bytes(const coll_mtree_stream_t *stream)
{
    double first = FIRST_RATE / stream->part.sharing;
    double rate = fmax(first, fmax(stream->burst.rate, stream->steady.rate));
    double bytes = fmin(rate * MESSAGE_SECONDS, stream->window / 2);

    return (size_t)fmin(fmin(MOST_BYTES, coll_mtree_transport_longest()),
                        fmax(LEAST_BYTES, bytes));
}

/* Has it lasted long enough? */
static bool is_long_enough(const coll_mtree_stream_t *stream, double now)
{
    return stream->num_credits > LEAST_MARKS &&
           now >= stream->began + stream->part.seconds;
}

/* Start as many messages as fit. */
static void send_messages(coll_mtree_stream_t *stream, double now)
{
    size_t bytes = message_bytes(stream);

    if (stream->seconds == 0 && is_long_enough(stream, now)) {
        stream->seconds = now - stream->began;
    }
    while (stream->seconds == 0 && stream->started < stream->ended + SENDS &&
           stream->bytes + (double)bytes <= stream->credited + stream->window &&
           stream_start_message(stream, stream->buffer, bytes)) {
        stream->bytes += (double)bytes;
        mark_message(stream, now);
    }
    while (stream->seconds > 0 && stream->num_last < RECEIVES &&
           stream->started < stream->ended + SENDS &&
           stream_start_message(stream, &stream->seconds, sizeof(stream->seconds))) {
        stream->num_last++;
    }
}

/* True when all has come to the receiver. */
static bool stream_send(coll_mtree_stream_t *stream, double now)
{
    while (stream->ended < stream->started &&
           coll_mtree_probe_done(&stream->messages[stream->ended % RECEIVES], NULL)) {
        stream->ended++;
    }
    while (!stream->failed && !stream->is_over &&
           coll_mtree_probe_done(&stream->crediting, NULL)) {
        take_credit(stream, now);
        stream->is_over = stream->credit.is_last != 0;
        if (!stream->is_over) {
            stream_start_credit(stream);
        }
    }
    send_messages(stream, now);
    return stream->is_over && stream->ended == stream->started;
}

/* Keep every other arrival when there is no room for one more. */
static void thin_arrivals(coll_mtree_stream_t *stream)
{
    int kept = 0;

    if (stream->num_arrivals == MOST_ARRIVALS) {
        for (int i = 0; i < stream->num_arrivals; i += 2) {
            stream->arrivals[kept++] = stream->arrivals[i];
        }
        stream->num_arrivals = kept;
        stream->interval = stream->latest.seconds / MOST_ARRIVALS;
    }
}

static void stream_mark(coll_mtree_stream_t *stream, double now)
{
    stream->latest.seconds = now - stream->began;
    stream->latest.bytes = stream->bytes + HEADER_BYTES * (double)stream->ended;
    if (stream->num_arrivals == 0 ||
        stream->latest.seconds >
            stream->arrivals[stream->num_arrivals - 1].seconds + stream->interval) {
        thin_arrivals(stream);
        stream->arrivals[stream->num_arrivals++] = stream->latest;
    }
}

/* Take all that is there and receive on; true when the sender has been told of the last.
 */
static bool stream_receive(coll_mtree_stream_t *stream, double now)
{
    double before = stream->bytes;
    size_t length;

    while (stream->num_last < RECEIVES && !stream->failed &&
           coll_mtree_probe_done(&stream->messages[stream->ended % RECEIVES], &length)) {
        const char *message =
            stream->buffer + (size_t)(stream->ended % RECEIVES) * stream->room;

        stream->ended++;
        if (length > sizeof(stream->seconds)) {
            stream->bytes += (double)length;
            (void)stream_start_message(stream, NULL, stream->room);
        } else {
            memcpy(&stream->seconds, message, sizeof(stream->seconds));
            stream->num_last++;
        }
    }
    if (stream->bytes > before) {
        stream_mark(stream, now);
    }
    if (!coll_mtree_probe_done(&stream->crediting, NULL)) {
        return false;
    }
    if (!stream->is_over &&
        (stream->bytes > stream->rank_sample || stream->num_last == RECEIVES)) {
        stream->is_over = stream->num_last == RECEIVES;
        stream->rank_sample = stream->bytes;
        stream->credit = (credit_t){stream->bytes, stream->is_over};
        stream_start_credit(stream);
    }
    return stream->is_over && coll_mtree_probe_done(&stream->crediting, NULL);
}

bool coll_mtree_stream_advance(coll_mtree_stream_t *stream)
{
    double now = coll_mtree_clock();
    bool ended =
        stream->part.sends ? stream_send(stream, now) : stream_receive(stream, now);

    if (!ended && now > stream->deadline) {
        stream->failed = true;
    }
    return ended || stream->failed;
}

/*
 * Marks at equal intervals.  They end with the time that was given for the stream: what
 * was under way then comes in while other streams have ended, and faster for it.
 */
static void stream_report(coll_mtree_stream_t *stream, mtree_probe_result_t *result)
{
    mtree_probe_curve_t curve;
    double first, last;

    result->failed = stream->failed || stream->num_arrivals < LEAST_MARKS;
    if (result->failed) {
        return;
    }
    if (stream->latest.seconds > stream->arrivals[stream->num_arrivals - 1].seconds) {
        thin_arrivals(stream);
        stream->arrivals[stream->num_arrivals++] = stream->latest;
    }
    curve = (mtree_probe_curve_t){stream->num_arrivals, stream->arrivals};
    first = stream->arrivals[0].seconds;
    last = fmax(fmin(stream->latest.seconds, stream->seconds), first);
    result->num_marks = MARKS;
    for (int i = 0; i < MARKS; i++) {
        result->marks[i].seconds = first + (last - first) * i / (MARKS - 1);
        result->marks[i].bytes =
            mtree_probe_curve_bytes(&curve, result->marks[i].seconds);
    }
}

void coll_mtree_stream_end(coll_mtree_stream_t *stream, mtree_probe_result_t *result)
{
    bool is_free = coll_mtree_probe_abandon(&stream->crediting);

    if (result != NULL) {
        stream_report(stream, result);
    }
    for (int i = 0; i < RECEIVES; i++) {
        is_free = coll_mtree_probe_abandon(&stream->messages[i]) && is_free;
    }
    /* What the PML may still use is lost, on a network that has failed. */
    if (is_free) {
        free(stream->buffer);
        free(stream);
    }
}
