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
    double round_trip;            /* seconds, by the handshake */
    mtree_pressure_t pressure;    /* at the last one */
    coll_mtree_command_t command; /* of a run; without items there is nothing to do */
    void *items;
    int capacity;  /* of items */
    void *replies; /* of the run */

    /* The messages under way; NULL: none. */
    coll_mtree_message_t *commanding, *giving, *taking;
    coll_mtree_command_t *sent; /* a copy, malloc'ed, which outlives the run */
    bool failed;                /* its replies will not come */
} coll_mtree_share_t;

typedef struct {
    const coll_mtree_channel_t *channel;
    int num_hosts;
    const int *leader; /* [num_hosts] the first rank on each; one is rank 0 */
    const coll_mtree_host_t *hosts; /* [num_hosts] for TRACE; NULL: there is none */
    const coll_mtree_cable_host_t *described; /* [num_hosts] for CABLE; NULL: likewise */
    coll_mtree_share_t *share;                /* [num_hosts] */
    coll_mtree_probe_experiments_t *own;      /* this host's; NULL: none */
    double started, took;                     /* the last run, seconds */
    int next_tag; /* of experiments, from the first one on; it goes round, so that rounds
                     that follow have others */
} coll_mtree_probe_coordinator_t;

/* @a channel and @a leader stay the caller's; to be cleaned up. */
void coll_mtree_probe_coordinator_init(coll_mtree_probe_coordinator_t *coordinator,
                                       const coll_mtree_channel_t *channel, int num_hosts,
                                       const int *leader);

/* Send the last command to all first ranks but rank 0, so that their workers end. */
void coll_mtree_probe_coordinator_end(const coll_mtree_probe_coordinator_t *coordinator);

/* Free what it holds. */
void coll_mtree_probe_coordinator_cleanup(coll_mtree_probe_coordinator_t *coordinator);

/* Free all shares and begin new ones, of @a kind and without items. */
void coll_mtree_probe_coordinator_clear(coll_mtree_probe_coordinator_t *coordinator,
                                        coll_mtree_command_kind_t kind);

/* Give @a host one more item, a copy of @a item (NULL: one without bytes), and as many
 * replies to it as it has. */
void coll_mtree_probe_coordinator_add(coll_mtree_probe_coordinator_t *coordinator,
                                      int host, const void *item);

/*
 * Run all shares: send their commands and items, do this host's own, and wait for all
 * replies.  MTREE_ERR_TRANSPORT after @a seconds, or where one will not come.  Shares
 * without items are left out.  Experiments of all hosts begin at about the same time.
 */
mtree_status_t
coll_mtree_probe_coordinator_run(coll_mtree_probe_coordinator_t *coordinator,
                                 double seconds);

/* Run a command of @a kind, whose items have no bytes, on all hosts. */
mtree_status_t
coll_mtree_probe_coordinator_ask(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_command_kind_t kind, double seconds);

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

/* Run @a round on the hosts of @a coordinator; results[round->num_experiments] is the
 * caller's. */
mtree_status_t coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                                          const mtree_probe_round_t *round,
                                          mtree_probe_result_t *results);

#endif
