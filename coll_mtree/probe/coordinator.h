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

    coll_mtree_share_t *share; /* [num_hosts] */
    bool has_met;              /* all hosts */
    mtree_pressure_t risen;    /* the most of a host, from a handshake to the last one */
    double took;               /* the last run, seconds */
    int next_tag; /* of experiments, from the first one on; it goes round, so that rounds
                     that follow have others */
} coll_mtree_probe_coordinator_t;

/* Begin with @a coordinator, whose first members are set, and make two handshakes.  The
 * first may open connections, and waits for hosts that come late to the call; one that is
 * lost ends it.  To be ended all the same.  Here and below MTREE_ERR_TRANSPORT where a
 * reply does not come. */
mtree_status_t
coll_mtree_probe_coordinator_begin(coll_mtree_probe_coordinator_t *coordinator);

/* Send the last command to all first ranks but rank 0, so that their workers end, and
 * free what it holds. */
void coll_mtree_probe_coordinator_end(coll_mtree_probe_coordinator_t *coordinator);

/* Have all hosts carry out a command of @a kind with @a num_items, which may have no
 * bytes, and as many replies. */
mtree_status_t
coll_mtree_probe_coordinator_ask(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_command_kind_t kind, const void *items,
                                 int num_items);

/* Run a handshake, and keep the round trip to each host, its pressure, and how that has
 * risen. */
mtree_status_t
coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator);

/* Run @a round on the hosts of @a coordinator, which begin at about the same time;
 * results[round->num_experiments] is the caller's. */
mtree_status_t coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                                          const mtree_probe_round_t *round,
                                          mtree_probe_result_t *results);

#endif
