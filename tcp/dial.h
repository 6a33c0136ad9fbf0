/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connections to a peer are made by one of the two ends, which dials, and are made
 * again when they are lost.  A first connection is one that has carried nothing: it goes
 * on at its beginning.  No byte of a frame is lost or comes twice.
 *
 * Both ends count the bytes of frames that they have read.  Who dials greets with its
 * count, and who listens answers with its own; each sends from there on.  An end keeps
 * what it has written until the peer's kernel has acknowledged it: what that has, the
 * process there reads before it counts.  A send that ends sooner leaves a copy.
 *
 * A kernel connects for a process that is away.  So a connection tells nothing of that
 * process until it answers, for which who dials waits as long as the other computes.  The
 * two have met when one connection has an answer, which says how many there are to be.
 * Until then they may agree on another way that there are none.
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
#ifndef MTREE_TCP_DIAL_H
#define MTREE_TCP_DIAL_H

#include "base/address.h"
#include "tcp/listener.h"
#include "tcp/tcp.h"
#include "topo/topology.h"

/* Seconds of polling in which two ends meet: while the peer's kernel does not answer; and
 * when it has the greeting, beside some round trips. */
#define MTREE_TCP_DIAL_SECONDS   4.0
#define MTREE_TCP_ANSWER_SECONDS 3.0

/* Seconds of polling after which a connection that is lost is given up where the peer's
 * kernel takes no greeting, and where nobody listens any more. */
#define MTREE_TCP_LOST_SECONDS    600.0
#define MTREE_TCP_REFUSED_SECONDS 10.0

/* Seconds of polling in which a connection that has failed over may return; then its own
 * link is gone. */
#define MTREE_TCP_FAILBACK_SECONDS 10.0

#define MTREE_TCP_ADDRESSES 4

/* Whom to dial, and as whom. */
typedef struct {
    bool dials;                /* this end does; or else it listens */
    uint32_t own_rank, rank;   /* of this end, and of the peer */
    mtree_tcp_secret_t secret; /* of the peer's listener */
    bool is_encrypted;         /* all that the connections carry */
    mtree_tcp_secret_t key;    /* that theirs follow from; of both processes */
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_address_t sources[MTREE_TCP_ADDRESSES]; /* from where to dial each; of no
                                                     family: wherever the system will */
    int num_addresses;
    int num_first;  /* of these, those that are dialed until the two have met */
    bool is_spread; /* each connection at the address behind that of the one before it, of
                       whose links a message takes the one over which it arrives first */
    double rates[MTREE_TCP_ADDRESSES]; /* bits/s of these links; all 0: in order */
    uint16_t port;
    int num_connections; /* that this end may have */
    double trip;         /* seconds of a round trip, by the map; 0: not known */
    mtree_tcp_tuning_t tuning;
    const char *congestion; /* control, as mtree_tcp_socket_tune() has it; stays */
} mtree_tcp_dial_t;

/* What either end says of a connection (tcp/greeting.h). */
typedef struct {
    uint32_t rank;     /* of the process that speaks */
    uint32_t number;   /* of the connection between the two, from 0 */
    uint32_t attempt;  /* at that connection; those with lower numbers are given up */
    uint32_t count;    /* connections that it may have to the other one; in an answer how
                          many there are */
    uint64_t position; /* bytes of frames that it has read of the connection so far */
} mtree_tcp_resumption_t;

void mtree_tcp_resumption_write(const mtree_tcp_resumption_t *resumption,
                                unsigned char said[MTREE_TCP_SAID]);
mtree_tcp_resumption_t
mtree_tcp_resumption_read(const unsigned char said[MTREE_TCP_SAID]);

/* Have the connections to @a peer, which has none, made, or await those that the peer
 * makes.  @a dial is copied.  Once more before the two have met: dial like this instead.
 */
void mtree_tcp_peer_dial(mtree_tcp_peer_t *peer, const mtree_tcp_dial_t *dial);

/* At @a now, mtree_clock_seconds(), while the process polls.  1: the two ends have met,
 * or @a peer has failed; 0: not yet; -1: it takes too long, for *error_p (errno; 0: the
 * peer's kernel has what was sent, and nothing came back). */
int mtree_tcp_peer_meet(mtree_tcp_peer_t *peer, double now, int *error_p);

/* The two have not met: begin to wait anew; who dials does at the next addresses. */
void mtree_tcp_peer_dial_next(mtree_tcp_peer_t *peer);

/* May who dials have an answer from one of the @a num_addresses of who listens, though it
 * had none in so many @a rounds, of which so many have @a failed to connect? */
bool mtree_tcp_may_dial_again(int rounds, int failed, int num_addresses);

/* The state of the links that the connections to @a peer have for themselves, if this end
 * dials: gone when all of them are, lost while one is waited for. */
mtree_link_state_t mtree_tcp_peer_links(const mtree_tcp_peer_t *peer);

/* @a greeting, which is proved, has come to the listener over @a socket. */
mtree_tcp_admission_t mtree_tcp_peer_admit(mtree_tcp_peer_t *peer,
                                           mtree_tcp_greeting_t *greeting, int socket);

#endif
