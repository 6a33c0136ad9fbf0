/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0's side of the probe: orders to the first rank on each host, itself included, and
 * their replies.
 */
#ifndef COLL_MTREE_PROBE_COORDINATOR_H
#define COLL_MTREE_PROBE_COORDINATOR_H

#include "coll_mtree/probe/worker.h"

/* One host's share of what is asked for at a time. */
typedef struct {
    coll_mtree_command_t command; /* without items, nothing is asked of this host */
    void *items;
    void *reply; /* set by conducting; freed by the next or at the end */
} coll_mtree_share_t;

typedef struct {
    const coll_mtree_channel_t *channel;
    int num_hosts;
    const int *leader;         /* [num_hosts] rank; that of one host is 0 */
    double *round_trip;        /* [num_hosts] seconds, from saying hello */
    coll_mtree_share_t *share; /* [num_hosts] */
} coll_mtree_probe_coordinator_t;

/* @a channel and @a leader stay the caller's.  OMPI_ERR_OUT_OF_RESOURCE; to be cleaned up
 * all the same. */
int coll_mtree_probe_coordinator_init(coll_mtree_probe_coordinator_t *coordinator,
                                      const coll_mtree_channel_t *channel, int num_hosts,
                                      const int *leader);

/* Free what it holds. */
void coll_mtree_probe_coordinator_cleanup(coll_mtree_probe_coordinator_t *coordinator);

/* New shares, of @a kind and without items. */
void coll_mtree_probe_coordinator_clear(coll_mtree_probe_coordinator_t *coordinator,
                                        coll_mtree_command_kind_t kind);

/*
 * Send every share's order and items, do this host's own, and wait for all replies, at
 * most @a seconds: OMPI_ERR_TIMEOUT.  *seconds_p is what it took.  Shares without items
 * are left out, except of hello.  Experiments of all hosts begin at about the same time.
 */
int coll_mtree_probe_coordinator_run(coll_mtree_probe_coordinator_t *coordinator,
                                     double seconds, double *seconds_p);

/* Say hello twice, and keep the second round trip. */
int coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator,
                                           double seconds);

#endif
