/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/stream_window.h"

#include <math.h>

#define LEAST_WINDOW 40960  /* bytes, of all streams on a link together */
#define LEAST_SHARE  4096   /* of one of them */
#define FIRST_RATE   1.28e6 /* bytes/s: the first window is worth one round trip of it */
#define FIRST_MOST   131072 /* bytes */

/*
 * The window grows by a part of what is credited, a large one while the rate is far below
 * that of the interfaces, until round trips become longer.  Then a queue has begun, and a
 * window of one round trip's worth of the rate beyond the least keeps it short: where a
 * queue overflows, TCP pauses for much longer than a stream lasts.  A stream that is
 * alone has a little more than a round trip's worth of the rate that it has seen: TCP's
 * own window opens only while it is full, and with more a connection that was in use
 * before would send a queue's worth at once.
 */
#define FAST_GROWTH    1.0
#define SLOW_GROWTH    0.35
#define FAR            0.1 /* of the interfaces' speed */
#define QUEUED_FACTOR  1.1 /* round trips beyond the empty path's */
#define QUEUED_SECONDS 0.004
#define ALONE_TRIPS    1.25
#define RATE_KEPT      0.9 /* from one measurement to the next: a pause is not the rate */

/*
 * Rates are measured over a round trip, within limits.  On a long path the spacing of the
 * first messages gives the rate before the window is open.  A shorter measurement would
 * show a shaper's bucket instead of its rate.
 */
#define BURST_INTERVAL 0.016
#define LEAST_INTERVAL 0.008
#define MOST_INTERVAL  0.1

/* Seconds that a message lasts, so that slow links have frequent rate samples, too, and
 * the bytes of the shortest one.  Messages beyond COLL_MTREE_STREAM_MOST_BYTES would wait
 * for the receiver's answer. */
#define MESSAGE_SECONDS 0.004
#define LEAST_BYTES     1024

static double least_window(const coll_mtree_stream_window_t *window)
{
    return fmax(LEAST_SHARE, (double)LEAST_WINDOW / window->sharing);
}

void coll_mtree_stream_window_init(coll_mtree_stream_window_t *window, int sharing,
                                   double trip, double speed)
{
    *window = (coll_mtree_stream_window_t){
        .sharing = sharing, .trip = trip, .speed = speed, .least_trip = INFINITY};
    window->bytes = least_window(window) + fmin(FIRST_MOST, FIRST_RATE * trip) / sharing;
}

/* TCP counts packets until it knows the path: the first ones are not to be small.  Two
 * messages always fit in the window: one that does not would wait for ever. */
size_t coll_mtree_stream_window_message(const coll_mtree_stream_window_t *window,
                                        size_t longest)
{
    double first = FIRST_RATE / window->sharing;
    double rate = fmax(first, fmax(window->burst.rate, window->steady.rate));
    double bytes = fmin(rate * MESSAGE_SECONDS, window->bytes / 2);
    double most = fmin(COLL_MTREE_STREAM_MOST_BYTES, (double)longest);

    return (size_t)fmin(most, fmax(LEAST_BYTES, bytes));
}

bool coll_mtree_stream_window_fits(const coll_mtree_stream_window_t *window, size_t bytes)
{
    return window->sent + (double)bytes <= window->credited + window->bytes;
}

void coll_mtree_stream_window_sent(coll_mtree_stream_window_t *window, size_t bytes,
                                   double now)
{
    window->sent += (double)bytes;
    if (window->num_marked < window->num_answered + COLL_MTREE_STREAM_MARKED) {
        window->marked[window->num_marked++ % COLL_MTREE_STREAM_MARKED] =
            (mtree_probe_rate_sample_t){now, window->sent};
    }
}

/* The round trips of the marked messages that have come. */
static void measure_trips(coll_mtree_stream_window_t *window, double now)
{
    while (window->num_answered < window->num_marked) {
        const mtree_probe_rate_sample_t *mark =
            &window->marked[window->num_answered % COLL_MTREE_STREAM_MARKED];

        if (mark->bytes > window->credited) {
            return;
        }
        window->latest_trip = now - mark->seconds;
        window->least_trip = fmin(window->least_trip, window->latest_trip);
        window->num_answered++;
    }
}

/* Set the window after @a more bytes were credited. */
static void set_window(coll_mtree_stream_window_t *window, double more)
{
    double least = least_window(window), rate = window->steady.rate;
    bool is_far = 8 * rate * window->sharing < FAR * window->speed;
    double empty_trip = window->least_trip;

    /* The first round trips may have been through a queue of others. */
    if (window->trip > 0) {
        empty_trip = fmin(empty_trip, window->trip);
    }
    if (window->sharing == 1) {
        window->bytes =
            fmax(window->bytes, least + ALONE_TRIPS * window->burst.rate * empty_trip);
    } else if (window->latest_trip <= QUEUED_FACTOR * empty_trip + QUEUED_SECONDS) {
        window->bytes += (is_far ? FAST_GROWTH : SLOW_GROWTH) * more;
        if (!window->saw_queue) {
            window->bytes = fmax(window->bytes, least + window->burst.rate * empty_trip);
        }
    } else if (rate > 0) {
        window->saw_queue = true;
        window->bytes = fmin(window->bytes, least + rate * empty_trip);
    }
}

/* End the measurement under way if it has lasted @a least seconds. */
static void meter_update(coll_mtree_rate_meter_t *meter, double bytes, double now,
                         double least)
{
    if (now - meter->began >= least) {
        meter->rate =
            fmax((bytes - meter->bytes) / (now - meter->began), RATE_KEPT * meter->rate);
        meter->began = now;
        meter->bytes = bytes;
    }
}

void coll_mtree_stream_window_credit(coll_mtree_stream_window_t *window, double credited,
                                     double now)
{
    double more = credited - window->credited;

    window->credited = credited;
    measure_trips(window, now);
    if (window->num_credits++ == 0) {
        window->burst.began = window->steady.began = now;
        window->burst.bytes = window->steady.bytes = credited;
    }
    meter_update(&window->burst, credited, now, BURST_INTERVAL);
    meter_update(&window->steady, credited, now,
                 fmax(LEAST_INTERVAL, fmin(window->least_trip, MOST_INTERVAL)));
    set_window(window, more);
}
