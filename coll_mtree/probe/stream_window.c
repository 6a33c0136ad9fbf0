/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/stream_window.h"

#include "coll_mtree/base/tuning.h"

#include <math.h>

/*
 * The window begins with what fills the receiver's slots, of all streams on a link
 * together, and some round trips of the first rate, but no more than half the slots of
 * the longest messages.
 *
 * It grows by a part of what is credited, a large one while the rate is far below that of
 * the interfaces, until round trips become longer.  Then a queue has begun, and a window
 * of one round trip's worth of the rate beyond the least keeps it short: where a queue
 * overflows, TCP pauses for much longer than a stream lasts.  A stream that is alone has
 * a little more than a round trip's worth of the rate that it has seen: with more a
 * connection that was in use before would send a queue's worth at once.
 */
#define LEAST_WINDOW                                                                     \
    (COLL_MTREE_STREAM_SLOTS * COLL_MTREE_FIRST_RATE * COLL_MTREE_MESSAGE_SECONDS)
#define LEAST_SHARE (COLL_MTREE_STREAM_SLOTS / 2 * COLL_MTREE_SHORT_BYTES)
#define FIRST_MOST  (COLL_MTREE_STREAM_SLOTS / 2 * COLL_MTREE_STREAM_MOST_BYTES)

/*
 * Rates are measured over a round trip, within limits.  On a long path the spacing of the
 * first messages gives the rate before the window is open.  A shorter measurement would
 * show a shaper's bucket instead of its rate.
 */
#define LEAST_INTERVAL (2 * COLL_MTREE_MESSAGE_SECONDS)
#define BURST_INTERVAL (2 * LEAST_INTERVAL)

static double least_window(const coll_mtree_stream_window_t *window)
{
    return fmax(LEAST_SHARE, LEAST_WINDOW / window->sharing);
}

void coll_mtree_stream_window_init(coll_mtree_stream_window_t *window, int sharing,
                                   double trip, double speed)
{
    *window = (coll_mtree_stream_window_t){
        .sharing = sharing, .trip = trip, .speed = speed, .least_trip = INFINITY};
    window->bytes =
        least_window(window) + fmin(FIRST_MOST, COLL_MTREE_FIRST_RATE * trip) / sharing;
}

/* Messages beyond COLL_MTREE_STREAM_MOST_BYTES would wait for the receiver's answer.
 * TCP counts packets until it knows the path: the first ones are not to be small.  Two
 * messages always fit in the window: one that does not would wait for ever. */
size_t coll_mtree_stream_window_message(const coll_mtree_stream_window_t *window,
                                        size_t longest)
{
    double first = COLL_MTREE_FIRST_RATE / window->sharing;
    double rate = fmax(first, fmax(window->burst.rate, window->steady.rate));
    double bytes = fmin(rate * COLL_MTREE_MESSAGE_SECONDS, window->bytes / 2);
    double most = fmin(COLL_MTREE_STREAM_MOST_BYTES, (double)longest);

    return (size_t)fmin(most, fmax(COLL_MTREE_SHORT_BYTES, bytes));
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
    bool is_far = 8 * rate * window->sharing < COLL_MTREE_FAR * window->speed;
    double empty_trip = window->least_trip;

    /* The first round trips may have been through a queue of others. */
    if (window->trip > 0) {
        empty_trip = fmin(empty_trip, window->trip);
    }
    if (window->sharing == 1) {
        window->bytes = fmax(window->bytes, least + COLL_MTREE_ALONE_TRIPS *
                                                        window->burst.rate * empty_trip);
    } else if (window->latest_trip <=
               (1 + COLL_MTREE_NOISE) * empty_trip + COLL_MTREE_MESSAGE_SECONDS) {
        window->bytes += is_far ? more : COLL_MTREE_GROWTH * more;
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
        meter->rate = fmax((bytes - meter->bytes) / (now - meter->began),
                           (1 - COLL_MTREE_NOISE) * meter->rate);
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
                 fmax(LEAST_INTERVAL, fmin(window->least_trip, COLL_MTREE_RATE_SECONDS)));
    set_window(window, more);
}
