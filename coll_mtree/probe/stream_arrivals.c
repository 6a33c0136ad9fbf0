/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/stream_arrivals.h"

#include "topo/probe/fit.h"

#include <math.h>

#define MARKS 49

/* Bytes per message on the wire besides its own: the headers of Ethernet, IP, TCP and
 * Open MPI.  Slow streams have short messages, and a link is to have one capacity. */
#define HEADER_BYTES 90

/* Keep every other arrival when there is no room for one more. */
static void thin(coll_mtree_stream_arrivals_t *arrivals)
{
    int count = 0;

    if (arrivals->count == COLL_MTREE_STREAM_MOST_ARRIVALS) {
        for (int i = 0; i < arrivals->count; i += 2) {
            arrivals->kept[count++] = arrivals->kept[i];
        }
        arrivals->count = count;
        arrivals->interval = arrivals->latest.seconds / COLL_MTREE_STREAM_MOST_ARRIVALS;
    }
}

static void keep_latest(coll_mtree_stream_arrivals_t *arrivals, double interval)
{
    if (arrivals->count == 0 ||
        arrivals->latest.seconds >
            arrivals->kept[arrivals->count - 1].seconds + interval) {
        thin(arrivals);
        arrivals->kept[arrivals->count++] = arrivals->latest;
    }
}

void coll_mtree_stream_arrivals_add(coll_mtree_stream_arrivals_t *arrivals,
                                    double seconds, double bytes, int messages)
{
    arrivals->latest =
        (mtree_probe_rate_sample_t){seconds, bytes + HEADER_BYTES * (double)messages};
    keep_latest(arrivals, arrivals->interval);
}

void coll_mtree_stream_arrivals_report(coll_mtree_stream_arrivals_t *arrivals,
                                       double sent_seconds, mtree_probe_result_t *result)
{
    mtree_probe_curve_t curve;
    double first, last, bytes[MARKS] = {0};

    result->failed = arrivals->count < COLL_MTREE_STREAM_LEAST_ARRIVALS;
    if (result->failed) {
        return;
    }
    keep_latest(arrivals, 0);
    curve = (mtree_probe_curve_t){arrivals->count, arrivals->kept};
    first = arrivals->kept[0].seconds;
    last = fmax(fmin(arrivals->latest.seconds, sent_seconds), first);
    result->num_samples = MARKS;
    mtree_probe_curve_add(&curve, first, (last - first) / (MARKS - 1), MARKS, bytes);
    for (int i = 0; i < MARKS; i++) {
        result->samples[i] = (mtree_probe_rate_sample_t){
            first + (last - first) * i / (MARKS - 1), bytes[i]};
    }
}
