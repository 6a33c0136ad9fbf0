/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One host's part in a round of experiments (topo/probe/probe.h), all at the same time,
 * driven by coll_mtree_probe_experiments_advance().
 */
#ifndef COLL_MTREE_PROBE_EXPERIMENTS_H
#define COLL_MTREE_PROBE_EXPERIMENTS_H

#include "coll_mtree/control/message.h"
#include "coll_mtree/probe/cables.h"

#include "topo/probe/probe.h"

/* Sent as it is; all parts of a host in a round are of one kind. */
typedef struct {
    int number; /* of the experiment in its round */
    int sends;  /* this host is `from` */
    int peer;   /* rank of the other host's leader */
    int tag;    /* of the channel, this experiment's own */
    mtree_probe_experiment_t experiment;
    mtree_address_t to;        /* TRACE: the other host */
    uint32_t port;             /* CABLE: of the other end */
    mtree_tcp_secret_t secret; /* CABLE: of the other end */
} coll_mtree_probe_part_t;

/* Sent as it is. */
typedef struct {
    int number;
    mtree_probe_result_t result; /* of a CABLE: as far as this end knows it */
} coll_mtree_probe_report_t;

/* Does this host report?  The sender of packets and round trips does, the receiver of a
 * stream, and both ends of a cable. */
static inline bool coll_mtree_probe_part_reports(const coll_mtree_probe_part_t *part)
{
    return part->experiment.kind == MTREE_PROBE_CABLE ||
           (part->experiment.kind == MTREE_PROBE_STREAM) == (part->sends == 0);
}

/* How one host carries out its part in an experiment of a kind. */
typedef struct {
    /* Begin, over @a channel; both stay. */
    void *(*begin)(const coll_mtree_channel_t *channel,
                   const coll_mtree_probe_part_t *part);
    /* Go on without waiting; true when it has ended, well or not. */
    bool (*advance)(void *run);
    /* Free it; what was measured is in @a result, which says that it failed (NULL: it is
     * not wanted). */
    void (*end)(void *run, mtree_probe_result_t *result);
} coll_mtree_probe_runner_t;

extern const coll_mtree_probe_runner_t coll_mtree_ping_runner, coll_mtree_stream_runner,
    coll_mtree_cable_runner;

typedef struct coll_mtree_probe_experiments coll_mtree_probe_experiments_t;

/* Begin all @a parts, one at least, over @a channel, both of which stay, after @a delay
 * seconds; packets are answered within @a patience seconds.  In the end @a reports has
 * the reports of the parts that report, in their order. */
coll_mtree_probe_experiments_t *coll_mtree_probe_experiments_begin(
    const coll_mtree_channel_t *channel, const coll_mtree_probe_part_t *parts,
    int num_parts, double delay, double patience, coll_mtree_probe_report_t *reports);

/* For the following NULL is experiments that have ended. */

/* Go on without waiting; true when all parts have ended, well or not. */
bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments);

/* How to wait for them. */
coll_mtree_wait_t
coll_mtree_probe_experiments_wait(const coll_mtree_probe_experiments_t *experiments);

/* Write the reports and free all, also before they have ended. */
void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments);

#endif
