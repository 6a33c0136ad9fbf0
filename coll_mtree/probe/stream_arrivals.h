/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the bytes of a probe's stream arrived: the receiver's record, of bounded length,
 * and the rate samples that are made of it.
 */
#ifndef COLL_MTREE_PROBE_STREAM_ARRIVALS_H
#define COLL_MTREE_PROBE_STREAM_ARRIVALS_H

#include "topo/probe/probe.h"

/* All zero: none yet. */
typedef struct {
    double interval; /* between arrivals that are kept, seconds */
    int count;
    mtree_probe_rate_sample_t kept[MTREE_PROBE_MAX_SAMPLES];
    mtree_probe_rate_sample_t latest;
} coll_mtree_stream_arrivals_t;

/* After @a seconds @a bytes had arrived, in @a messages messages; both never fall. */
void coll_mtree_stream_arrivals_add(coll_mtree_stream_arrivals_t *arrivals,
                                    double seconds, double bytes, int messages);

/*
 * Write the rate samples into @a result, which fails with too few arrivals.  They end @a
 * sent_seconds after the begin, when the sender stopped: what was outstanding then
 * arrives after other streams have ended, hence faster.
 */
void coll_mtree_stream_arrivals_report(const coll_mtree_stream_arrivals_t *arrivals,
                                       double sent_seconds, mtree_probe_result_t *result);

#endif
