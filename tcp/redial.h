/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that are lost are made again, by the end that dialed them, and go on where
 * they were: no byte of a frame is lost or comes twice.
 *
 * Both ends count the bytes of frames that they have read.  Who dials greets with its
 * count, and who listens answers with its own; each sends from there on.  An end keeps
 * what it has written until the peer's kernel has acknowledged it: what that has, the
 * process there reads before it counts.  A send that ends sooner leaves a copy.
 *
 * Kernels send again what was lost after ever longer pauses.  So a peer whose kernel has
 * said nothing for a while is dialed beside the connection that stands, which is lost
 * when the new one has an answer first.
 *
 * Who listens and has lost a connection greets the other end, which may not have noticed,
 * and which closes what it was greeted over.
 *
 * A connection that has a link for itself may fail over to another one.  Its own link is
 * then dialed beside it for a while, and is taken again when it answers.
 */
#ifndef MTREE_TCP_REDIAL_H
#define MTREE_TCP_REDIAL_H

#include "tcp/dialer.h"
#include "topo/topology.h"

/* Seconds of polling after which a connection that is lost is given up where the peer's
 * kernel takes no greeting, and where nobody listens any more. */
#define MTREE_TCP_LOST_SECONDS    600.0
#define MTREE_TCP_REFUSED_SECONDS 10.0

/* Seconds of polling in which a connection that has failed over may return; then its own
 * link is gone. */
#define MTREE_TCP_FAILBACK_SECONDS 10.0

typedef struct {
    mtree_tcp_dial_t dial;     /* to the other end, which listens, too */
    bool dials;                /* this end does; or else it tells the other one to */
    uint32_t rank;             /* of the other end */
    mtree_tcp_secret_t secret; /* of this end's listener */
    uint32_t attempts[MTREE_TCP_CONNECTIONS]; /* those that stand at first */
    int num_first;          /* of the addresses, those that were dialed at first */
    const char *congestion; /* control, as mtree_tcp_socket_tune() has it; stays */
} mtree_tcp_redial_t;

/* Have the connections to @a peer, which it is yet to have, made again.  @a redial is
 * copied.  MTREE_ERR_NO_MEMORY: nothing is logged. */
mtree_status_t mtree_tcp_peer_redial(mtree_tcp_peer_t *peer,
                                     const mtree_tcp_redial_t *redial);

/* The state of the links that the connections to @a peer have for themselves, if this end
 * dials: gone when all of them are, lost while one is waited for. */
mtree_link_state_t mtree_tcp_peer_links(const mtree_tcp_peer_t *peer);

/* @a greeting, which is proved, has come to the listener over @a socket.  True: that is
 * taken over. */
bool mtree_tcp_peer_admit(mtree_tcp_peer_t *peer, const mtree_tcp_greeting_t *greeting,
                          int socket);

#endif
