/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two processes get connections of mtree's own, or agree that they get none.  Under
 * the lock of coll_mtree/tcp/endpoints.c.
 *
 * Both know how they can be reached from what they have published, and need no message of
 * the PML where all goes well (coll_mtree/tcp/handshake_private.h).  Else both tell that
 * over the PML.  The one of lower rank in MPI_COMM_WORLD dials, and says whether the
 * other one's kernel has its connections. The other one says whether it has heard of
 * them, and so whether they stand.  Each waits for the other's word for as long as the
 * other computes; time counts only while a process polls.  It listens from its first
 * handshake on, as connections that are lost are made again (tcp/redial.h).
 */
#ifndef COLL_MTREE_TCP_HANDSHAKE_H
#define COLL_MTREE_TCP_HANDSHAKE_H

#include "schedule/plan_part.h"
#include "tcp/listener.h"
#include "tcp/redial.h"
#include "tcp/tls.h"

typedef struct coll_mtree_handshake coll_mtree_handshake_t;

/* The cables that the connections to a process take, one after the other; none: they go
 * over whatever leads to its addresses. */
typedef struct {
    const mtree_part_cable_t *list; /* [count] */
    int count;
} coll_mtree_cables_t;

/* How the connections to a process go. */
typedef struct {
    coll_mtree_cables_t cables;
    double trip; /* seconds of a round trip, by the plan; 0: not known */
} coll_mtree_way_t;

/* Begin the handshake with the process of @a rank in MPI_COMM_WORLD, about as many
 * connections as both ends may have; this one may have @a num_connections, by @a way if
 * it dials.  Those to the listener go to @a admit. */
coll_mtree_handshake_t *coll_mtree_handshake_begin(int rank, int num_connections,
                                                   coll_mtree_way_t way,
                                                   mtree_tcp_admit_t admit);

/* Take @a socket as the connection that @a greeting names, if it is one. */
bool coll_mtree_handshake_admit(coll_mtree_handshake_t *handshake,
                                const mtree_tcp_greeting_t *greeting, int socket);

/* 1: the connections stand, at both ends; -1: there are none; 0: it is not decided. */
int coll_mtree_handshake_poll(coll_mtree_handshake_t *handshake, double now);

/* The connections that stand; the caller takes them over.  How many they are. */
int coll_mtree_handshake_sockets(coll_mtree_handshake_t *handshake, int *sockets);

/* What the links carry from here that the connections have for themselves, bits/s, [as
 * many]; 0: they share one. */
void coll_mtree_handshake_rates(const coll_mtree_handshake_t *handshake, double *rates);

/* The keys of the connections that stand, where they are to be encrypted; false: they are
 * not. */
bool coll_mtree_handshake_keys(const coll_mtree_handshake_t *handshake,
                               mtree_tls_key_t *keys);

/* How the connections that stand are made again when they are lost: each over its cable,
 * the other ones, or the network that all hosts share. */
void coll_mtree_handshake_redial(const coll_mtree_handshake_t *handshake,
                                 mtree_tcp_redial_t *redial);

/* There are none: whoever dials logs, once per process, that messages go over Open MPI's
 * connections; where they are to be encrypted it logs why, and ends the job. */
void coll_mtree_handshake_refuse(const coll_mtree_handshake_t *handshake);

/* The connections stand.  Is nothing more to be said, where @a is_known to the other end?
 * Else it may ask over the PML, and is answered here. */
bool coll_mtree_handshake_is_over(coll_mtree_handshake_t *handshake, bool is_known);

/* Free @a handshake, which may be NULL, with its sockets and keys.  Without @a has_pml
 * the PML is closed, and its messages under way are forgotten. */
void coll_mtree_handshake_end(coll_mtree_handshake_t *handshake, bool has_pml);

#endif
