/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/stream_arrivals.h"

#include "coll_mtree/base/tuning.h"

/* Bytes per message on the wire besides its own: the headers of Ethernet, IP, TCP and
 * Open MPI.  Slow streams have short messages, and a link is to have one capacity. */
#define HEADER_BYTES 90

/* Keep every other arrival when there is room for one more only, which is the last. */
static void thin(coll_mtree_stream_arrivals_t *arrivals)
{
    int count = 0;

    if (arrivals->count == MTREE_PROBE_MAX_SAMPLES - 1) {
        for (int i = 0; i < arrivals->count; i += 2) {
            arrivals->kept[count++] = arrivals->kept[i];
        }
        arrivals->count = count;
        arrivals->interval = arrivals->latest.seconds / count;
    }
}

void coll_mtree_stream_arrivals_add(coll_mtree_stream_arrivals_t *arrivals,
                                    double seconds, double bytes, int messages)
{
    arrivals->latest =
        (mtree_probe_rate_sample_t){seconds, bytes + HEADER_BYTES * (double)messages};
    if (arrivals->count == 0 ||
        seconds > arrivals->kept[arrivals->count - 1].seconds + arrivals->interval) {
        thin(arrivals);
        arrivals->kept[arrivals->count++] = arrivals->latest;
    }
}

void coll_mtree_stream_arrivals_report(const coll_mtree_stream_arrivals_t *arrivals,
                                       double sent_seconds, mtree_probe_result_t *result)
{
    int count = 0;

    while (count < arrivals->count && arrivals->kept[count].seconds <= sent_seconds) {
        result->samples[count] = arrivals->kept[count];
        count++;
    }
    if (count > 0 && arrivals->latest.seconds > result->samples[count - 1].seconds &&
        arrivals->latest.seconds <= sent_seconds) {
        result->samples[count++] = arrivals->latest;
    }
    result->num_samples = count;
    result->failed = arrivals->count < COLL_MTREE_LEAST_SAMPLES || count < 2;
}
