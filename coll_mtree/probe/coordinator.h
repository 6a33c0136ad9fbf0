/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0's side of the probe: it sends commands to the first rank on each host, itself
 * included, and receives their replies (coll_mtree/probe/worker.h).
 */
#ifndef COLL_MTREE_PROBE_COORDINATOR_H
#define COLL_MTREE_PROBE_COORDINATOR_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/probe/worker.h"

/* One host. */
typedef struct {
    double round_trip;                 /* seconds, by the handshake */
    mtree_pressure_t pressure;         /* at the last one */
    coll_mtree_cable_host_t described; /* for CABLE */

    /* Of the last run, by tag: the command, its items and the replies.  NULL: none; and
     * not under way. */
    void *pieces[COLL_MTREE_PIECES];
    coll_mtree_message_t *messages[COLL_MTREE_PIECES];
    int capacity; /* of the items, bytes */
} coll_mtree_share_t;

typedef struct {
    const coll_mtree_channel_t *channel;
    int num_hosts;
    const int *leader; /* [num_hosts] the first rank on each, that of the first is 0 */
    const coll_mtree_host_t *hosts; /* [num_hosts] for TRACE; NULL: there is none */
    coll_mtree_share_t *share;      /* [num_hosts] */
    double took;                    /* the last run, seconds */
    int next_tag; /* of experiments, from the first one on; it goes round, so that rounds
                     that follow have others */
} coll_mtree_probe_coordinator_t;

/* @a channel and @a leader stay the caller's; to be ended. */
void coll_mtree_probe_coordinator_init(coll_mtree_probe_coordinator_t *coordinator,
                                       const coll_mtree_channel_t *channel, int num_hosts,
                                       const int *leader);

/* Send the last command to all first ranks but rank 0, so that their workers end, and
 * free what it holds. */
void coll_mtree_probe_coordinator_end(coll_mtree_probe_coordinator_t *coordinator);

/* Have all hosts carry out a command of @a kind with @a num_items, which may have no
 * bytes, and as many replies.  Here and below MTREE_ERR_TRANSPORT after @a seconds, or
 * where a reply will not come. */
mtree_status_t
coll_mtree_probe_coordinator_ask(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_command_kind_t kind, const void *items,
                                 int num_items, double seconds);

/* Run a handshake, and keep the round trip to each host and its pressure; *risen_p is the
 * most by which that of a host has risen since the last one. */
mtree_status_t
coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator,
                                       double seconds, mtree_pressure_t *risen_p);

/* Run two of them.  The first may open connections, and waits for hosts that come late to
 * the call (one that is lost ends it), the second for @a seconds. */
mtree_status_t
coll_mtree_probe_coordinator_meet(coll_mtree_probe_coordinator_t *coordinator,
                                  double seconds);

/* Run @a round on the hosts of @a coordinator, which begin at about the same time;
 * results[round->num_experiments] is the caller's. */
mtree_status_t coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                                          const mtree_probe_round_t *round,
                                          mtree_probe_result_t *results);

#endif
