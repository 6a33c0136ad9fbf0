/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes that this one has TCP connections of mtree's own with, or may have.
 *
 * Before the first message between two of them the one of lower rank in MPI_COMM_WORLD
 * dials, by what the other one has published, and that answers over each connection.
 * Where there is no answer, or messages are encrypted, both tell each other over Open
 * MPI's own messages how they can be reached, and which of them is to go on.  With the
 * first answer messages go over the connections that stand; where there is none, over
 * the PML.  Until that is decided messages wait.
 */
#ifndef COLL_MTREE_TCP_ENDPOINTS_H
#define COLL_MTREE_TCP_ENDPOINTS_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/tcp/handshake.h"
#include "coll_mtree/tcp/streams.h"

#include "tcp/tcp.h"

/*
 * Rank 0 begins to plan for @a comm, and its ranks may need connections to each other.
 * Where they are few, each on a host of its own, and far from each other, begin to
 * connect them all: that is done when the plan is there.  All ranks call.
 */
void coll_mtree_endpoints_meet(ompi_communicator_t *comm,
                               const mtree_placement_t *placement);

/* Open with the component, with who gets messages back that have waited in vain, and
 * close with it.  With @a at_least connections, whatever coll_mtree_streams says. */
void coll_mtree_endpoints_open(mtree_tcp_reroute_t reroute, int at_least);
void coll_mtree_endpoints_close(void);

/* See how many connections there may be to each process of @a world, MPI_COMM_WORLD,
 * before it is used.  A pair has as many as that one of the two has less of. */
void coll_mtree_endpoints_share(ompi_communicator_t *world);

/* How many connections there are to a process at most. */
int coll_mtree_endpoints_most(void);

/* What coll_mtree_streams says, once they are open. */
const coll_mtree_streams_t *coll_mtree_endpoints_streams(void);

/* May calls of @a comm use connections of mtree's own?  The same on all of its ranks. */
bool coll_mtree_endpoints_serve(ompi_communicator_t *comm);

/* An operation that uses endpoints begins (1) or has ended (-1). */
void coll_mtree_endpoints_count(int operations);

/* Lock the process of rank @a peer of @a comm, another host's.  Connections that it gets
 * now go by @a way; where that is NULL it gets none.  NULL: nothing is locked; messages
 * between the two go over the PML for ever, or none have gone between them yet. */
mtree_tcp_peer_t *coll_mtree_endpoint_lock(ompi_communicator_t *comm, int peer,
                                           const coll_mtree_way_t *way);

/* Lock what all endpoints share, for other peers of the same kind. */
mtree_tcp_t *coll_mtree_endpoints_lock(void);

/* The state of the link that connections to the process of rank @a peer of @a comm, which
 * endpoints serve, have for themselves; where they could not be made it is gone. */
mtree_link_state_t coll_mtree_endpoint_link(ompi_communicator_t *comm, int peer);

/* Unlock it, and call the functions of messages that have ended. */
void coll_mtree_endpoint_unlock(void);

#endif
