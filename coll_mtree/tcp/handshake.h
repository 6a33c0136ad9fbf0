/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two processes get connections of mtree's own, or agree that they get none.  Under
 * the lock of coll_mtree/tcp/endpoints.c.
 *
 * Both know how they can be reached from what they have published, or else tell that over
 * the PML.  The one of lower rank in MPI_COMM_WORLD dials (tcp/dial.h), and the two need
 * nothing more where that goes well.  Else who dials asks over the PML.  The other one
 * may say that it is to dial at other addresses, or that there are no connections; where
 * it has answered over one it says nothing.  Each waits for the other's word for as long
 * as the other computes; time counts only while a process polls.  It listens from its
 * first handshake on, as connections that are lost are made again.
 */
#ifndef COLL_MTREE_TCP_HANDSHAKE_H
#define COLL_MTREE_TCP_HANDSHAKE_H

#include "schedule/plan_part.h"
#include "tcp/dial.h"

typedef struct coll_mtree_handshake coll_mtree_handshake_t;

/* How the connections to a process go. */
typedef struct {
    const mtree_part_cable_t
        *cables;    /* [num_cables] that they take, one after the other */
    int num_cables; /* 0: they go over whatever leads to its addresses */
    double trip;    /* seconds of a round trip, by the plan; 0: not known */
} coll_mtree_way_t;

/* Begin the handshake with the process of @a rank in MPI_COMM_WORLD, whose @a peer gets
 * the connections.  This end may have @a num_connections, by @a way if it dials. */
coll_mtree_handshake_t *coll_mtree_handshake_begin(int rank, mtree_tcp_peer_t *peer,
                                                   int num_connections,
                                                   mtree_tcp_tuning_t tuning,
                                                   coll_mtree_way_t way);

/* 1: there are connections, at both ends, or will be; -1: there are none; 0: it is not
 * decided. */
int coll_mtree_handshake_poll(coll_mtree_handshake_t *handshake, double now);

/* There are none: whoever dials logs, once per process, that messages go over Open MPI's
 * connections; where they are to be encrypted it logs why, and ends the job. */
void coll_mtree_handshake_refuse(const coll_mtree_handshake_t *handshake);

/* Free @a handshake, which may be NULL.  Without @a has_pml
 * the PML is closed, and its messages under way are forgotten. */
void coll_mtree_handshake_end(coll_mtree_handshake_t *handshake, bool has_pml);

#endif
