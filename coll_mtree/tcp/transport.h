/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations whose messages to other hosts go over TCP connections of mtree's own
 * (coll_mtree/tcp/endpoints.h), and the others over the PML.
 */
#ifndef COLL_MTREE_TCP_TRANSPORT_H
#define COLL_MTREE_TCP_TRANSPORT_H

#include "coll_mtree/transport/transport.h"

#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "schedule/stream.h"
#include "tcp/tcp.h"

/* Lock the connections to @a peer; with @a is_known those of which there are some by now.
 * NULL: there are none, and nothing is locked. */
typedef mtree_tcp_peer_t *(*coll_mtree_tcp_lock_t)(coll_mtree_transport_t *transport,
                                                   const mtree_peer_t *peer,
                                                   bool is_known);

/* One operation's. */
typedef struct coll_mtree_tcp_operation {
    coll_mtree_tcp_lock_t lock;
    const mtree_placement_t *placement;
    const mtree_peer_t *peers; /* [num_peers] with which messages pass, ascending */
    int num_peers;
    const mtree_plan_part_t *part;
    bool carries_all; /* messages to other hosts; else those over cables */
    bool has_gaps;    /* the transport's units have, and are packed */
    mtree_tcp_key_t key;
} coll_mtree_tcp_operation_t;

/* Open with the component; the endpoints close with it. */
void coll_mtree_tcp_open(bool with_relays);

/* The `recovery` of calls of @a comm over the plan of @a part (schedule/call.h); the same
 * on all ranks. */
double coll_mtree_tcp_recovery(ompi_communicator_t *comm, const mtree_plan_part_t *part);

/*
 * Have the messages of @a transport with @a peers, over @a part, between the hosts of
 * @a placement go over connections of mtree's own where there are some: all of them where
 * that pays, else those between hosts with cables.
 * @a generation distinguishes operations one after the other with the same tags.  All
 * ranks call with the same plan and generation, and @a part and @a peers stay until the
 * end.  False: all of its messages go over the PML.
 */
bool coll_mtree_tcp_begin(coll_mtree_tcp_operation_t *operation,
                          coll_mtree_transport_t *transport,
                          const mtree_plan_part_t *part, const mtree_peer_t *peers,
                          int num_peers, const mtree_placement_t *placement,
                          uint32_t generation);

/* Have all messages of @a transport with @a peers, whose units have no gaps, go over the
 * connections that @a lock finds, or fail. */
void coll_mtree_tcp_begin_off_pml(coll_mtree_tcp_operation_t *operation,
                                  coll_mtree_transport_t *transport,
                                  const mtree_peer_t *peers, int num_peers,
                                  mtree_tcp_key_t key, coll_mtree_tcp_lock_t lock);

/* End all of its messages, so that its operation ends with the next poll. */
void coll_mtree_tcp_abandon(coll_mtree_transport_t *transport);

/* The operation of @a transport, which had begun, has ended with @a status.  After a
 * failure its messages end, too. */
void coll_mtree_tcp_end(coll_mtree_transport_t *transport, mtree_status_t status);

#endif
