#include "coll_mtree_probe_stream.h"

#include "coll_mtree_transport.h"

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
 * Beyond the least window, so many round trips' worth of the rate may be under way: much
 * while the rate is far below what the interfaces can, less beyond, and one when round
 * trips have become longer, for then a queue has begun.  Where it overflows TCP pauses
 * for much longer than a stream lasts.
 */
#define FAR_TRIPS      3
#define NEAR_TRIPS     1.4
#define FAR            0.1 /* of the interfaces' speed */
#define QUEUED_FACTOR  1.1 /* round trips beyond the empty way's */
#define QUEUED_SECONDS 0.004

/* TCP opens its window in round trips: on a long way the stream takes longer by so many.
 */
#define MORE_TRIPS 2

/* The shortest time over which a rate is looked at: the first messages, which come close
 * together, tell the rate of a long way before its window is open. */
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
    double began, deadline; /* began: with all others of the round, as well as is known */

    /* The sender's. */
    double credited; /* bytes */
    int num_credits;
    double interval_began;            /* of the look at the rate */
    double interval_credited;         /* bytes by then */
    double rate, round_trip;          /* bytes/s, the latest; seconds, the least */
    double best;                      /* rate */
    double latest_trip;               /* seconds */
    double marked_bytes, marked_time; /* waiting for credit of this, sent then */

    /* The receiver's. */
    double told;     /* bytes, by the last credit */
    double interval; /* between arrivals that are kept, seconds */
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
    stream->began = stream->interval_began = coll_mtree_clock();
    stream->deadline = stream->began + part->seconds + MOST_MORE_SECONDS;
    stream->round_trip = INFINITY;
    if (part->sends) {
        stream_start_credit(stream);
    }
    while (!part->sends && stream->started < RECEIVES &&
           stream_start_message(stream, NULL, stream->room)) {}
    return stream;
}

/* Learn the round trip and the rate from the bytes that have come in. */
static void take_credit(coll_mtree_stream_t *stream, double now)
{
    double interval = now - stream->interval_began;

    stream->credited = stream->credit.bytes;
    if (stream->marked_bytes > 0 && stream->credited >= stream->marked_bytes) {
        stream->latest_trip = now - stream->marked_time;
        stream->round_trip = fmin(stream->round_trip, stream->latest_trip);
        stream->marked_bytes = 0;
    }
    stream->num_credits++;
    if (interval >= fmax(LEAST_INTERVAL, fmin(stream->round_trip, MOST_INTERVAL))) {
        stream->rate = (stream->credited - stream->interval_credited) / interval;
        stream->best = fmax(stream->best, stream->rate);
        /* A pause is no reason to begin anew. */
        stream->rate = fmax(stream->rate, stream->best / 2);
        stream->interval_began = now;
        stream->interval_credited = stream->credited;
    }
}

/* Round trips' worth of the rate that may be under way. */
static double window_trips(const coll_mtree_stream_t *stream, double empty_trip)
{
    if (stream->latest_trip > QUEUED_FACTOR * empty_trip + QUEUED_SECONDS) {
        return 1;
    }
    return 8 * stream->rate * stream->part.sharing < FAR * stream->part.speed
               ? FAR_TRIPS
               : NEAR_TRIPS;
}

/* Bytes that may be under way. */
static double stream_window(const coll_mtree_stream_t *stream)
{
    double least = fmax(LEAST_SHARE, (double)LEAST_WINDOW / stream->part.sharing);
    double first = fmin(FIRST_MOST, FIRST_RATE * stream->part.trip);
    double trip = stream->round_trip;

    if (stream->rate == 0 || !(trip < INFINITY)) {
        return fmax(least, first / stream->part.sharing);
    }
    /* The first round trips may have been through a queue of others. */
    if (stream->part.trip > 0) {
        trip = fmin(trip, stream->part.trip);
    }
    return least + window_trips(stream, trip) * stream->rate * trip;
}

static size_t message_bytes(const coll_mtree_stream_t *stream)
{
    return (size_t)fmin(MOST_BYTES, fmax(LEAST_BYTES, stream->rate * MESSAGE_SECONDS));
}

/* Has it lasted long enough? */
static bool is_long_enough(const coll_mtree_stream_t *stream, double now)
{
    double more = stream->round_trip < INFINITY ? MORE_TRIPS * stream->round_trip : 0;

    return stream->num_credits > LEAST_MARKS &&
           now >= stream->began + stream->part.seconds + fmin(more, stream->part.seconds);
}

/* Start as many messages as fit. */
static void send_messages(coll_mtree_stream_t *stream, double now)
{
    size_t bytes = message_bytes(stream);

    if (stream->seconds == 0 && is_long_enough(stream, now)) {
        stream->seconds = now - stream->began;
    }
    while (stream->seconds == 0 && stream->started < stream->ended + SENDS &&
           stream->bytes + (double)bytes <= stream->credited + stream_window(stream) &&
           stream_start_message(stream, stream->buffer, bytes)) {
        stream->bytes += (double)bytes;
        if (stream->marked_bytes == 0) {
            stream->marked_bytes = stream->bytes;
            stream->marked_time = now;
        }
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
        (stream->bytes > stream->told || stream->num_last == RECEIVES)) {
        stream->is_over = stream->num_last == RECEIVES;
        stream->told = stream->bytes;
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

/* Bytes that had come in by @a seconds, on the line between two arrivals. */
static double bytes_at(const coll_mtree_stream_t *stream, double seconds, int *arrival)
{
    const mtree_probe_mark_t *at = &stream->arrivals[*arrival], *next;

    while (*arrival + 2 < stream->num_arrivals && at[1].seconds < seconds) {
        ++*arrival;
        at = &stream->arrivals[*arrival];
    }
    next = at + 1;
    return at->bytes +
           (next->bytes - at->bytes) *
               fmin(1, (seconds - at->seconds) / (next->seconds - at->seconds));
}

/*
 * Marks at equal intervals.  They end with the time that was given for the stream: what
 * was under way then comes in while other streams have ended, and faster for it.
 */
static void stream_report(coll_mtree_stream_t *stream, mtree_probe_result_t *result)
{
    double first, last;
    int arrival = 0;

    result->failed = stream->failed || stream->num_arrivals < LEAST_MARKS;
    if (result->failed) {
        return;
    }
    if (stream->latest.seconds > stream->arrivals[stream->num_arrivals - 1].seconds) {
        thin_arrivals(stream);
        stream->arrivals[stream->num_arrivals++] = stream->latest;
    }
    first = stream->arrivals[0].seconds;
    last = fmax(fmin(stream->latest.seconds, stream->seconds), first);
    result->num_marks = MARKS;
    for (int i = 0; i < MARKS; i++) {
        result->marks[i].seconds = first + (last - first) * i / (MARKS - 1);
        result->marks[i].bytes = bytes_at(stream, result->marks[i].seconds, &arrival);
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
