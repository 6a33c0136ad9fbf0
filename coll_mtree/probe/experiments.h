/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One host's part in a round of experiments: round trips and streams
 * (topo/probe/probe.h), and cables (coll_mtree/probe/cables.h), all at the same time,
 * driven by coll_mtree_probe_experiments_advance().
 */
#ifndef COLL_MTREE_PROBE_EXPERIMENTS_H
#define COLL_MTREE_PROBE_EXPERIMENTS_H

#include "coll_mtree/control/message.h"
#include "coll_mtree/probe/cables.h"

#include "topo/probe/probe.h"

/* Sent as it is. */
typedef struct {
    int number; /* of the experiment in its round */
    int sends;  /* this host is `from` */
    int peer;   /* rank of the other host's leader */
    int tag;    /* of the channel, this experiment's own */
    mtree_probe_experiment_t experiment;
    int is_cable; /* the experiment is this: */
    coll_mtree_cable_part_t cable;
} coll_mtree_probe_part_t;

/* Sent as it is. */
typedef struct {
    int number;
    mtree_probe_result_t result;
    double rate, trip; /* of a cable: bits/s that came to this end, and seconds */
} coll_mtree_probe_report_t;

/* Does this host report?  The sender of round trips does, the receiver of a stream, and
 * both ends of a cable. */
static inline bool coll_mtree_probe_part_reports(const coll_mtree_probe_part_t *part)
{
    return part->is_cable ||
           (part->experiment.kind == MTREE_PROBE_PING) == (part->sends != 0);
}

typedef struct coll_mtree_probe_experiments coll_mtree_probe_experiments_t;

/* Begin all @a parts, which are copied, over @a channel, which stays, after @a delay
 * seconds. */
coll_mtree_probe_experiments_t *
coll_mtree_probe_experiments_begin(const coll_mtree_channel_t *channel,
                                   const coll_mtree_probe_part_t *parts, int num_parts,
                                   double delay);

/* Go on without waiting; true when all parts have ended, well or not. */
bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments);

/* Write the reports of the parts that report, in their order, into @a reports; then free
 * all. */
void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments,
                                      coll_mtree_probe_report_t *reports);

#endif
