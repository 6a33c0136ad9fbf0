/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of connections that dials: all of them at once, and each again, at the peer's
 * next address, until the kernel there has all of them or the time of a round is over.
 *
 * A kernel connects for a process that is away.  So a connection that stands says nothing
 * of that process; whether it has heard is for it to say (tcp/hearing.h), when it can.
 */
#ifndef MTREE_TCP_DIALER_H
#define MTREE_TCP_DIALER_H

#include "base/address.h"
#include "tcp/greeting.h"
#include "tcp/tcp.h"

/* Seconds of polling that a round takes at most. */
#define MTREE_TCP_DIAL_SECONDS 4.0

#define MTREE_TCP_ADDRESSES 4

/* Whom to dial, and as whom. */
typedef struct {
    uint32_t rank;             /* this process's */
    mtree_tcp_secret_t secret; /* of the peer */
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_address_t sources[MTREE_TCP_ADDRESSES]; /* from where to dial each; of no
                                                     family: wherever the system will */
    int num_addresses;
    bool is_spread; /* each connection at the address behind that of the one before it */
    uint16_t port;
    int num_connections;
    double trip; /* seconds of a round trip, by the map; 0: not known */
} mtree_tcp_dial_t;

/* Seconds until the peer's kernel has answered an attempt, of @a least for a near one. */
double mtree_tcp_dial_patience(const mtree_tcp_dial_t *dial, double least);

typedef struct mtree_tcp_dialer mtree_tcp_dialer_t;

/* With the first round; NULL: no memory. */
mtree_tcp_dialer_t *mtree_tcp_dialer_create(const mtree_tcp_dial_t *dial);

/* At @a now, mtree_clock_seconds().  1: all connections stand, and the peer is greeted
 * over them; 0: not yet; -1: they will not in this round, for *error_p (errno). */
int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, double now, int *error_p);

/* The peer has not heard: another round, with new connections, at the next addresses. */
void mtree_tcp_dialer_redial(mtree_tcp_dialer_t *dialer);

/* The numbers of the attempts that stand, [num_connections]. */
void mtree_tcp_dialer_attempts(const mtree_tcp_dialer_t *dialer, uint32_t *attempts);

/* The sockets of connections that stand, [num_connections]; the caller takes them over.
 */
void mtree_tcp_dialer_sockets(mtree_tcp_dialer_t *dialer, int *sockets);

/* The peer has heard of the first @a count connections, which stand: close the others. */
void mtree_tcp_dialer_keep(mtree_tcp_dialer_t *dialer, int count);

/* With @a dial, and as mtree_tcp_dialer_redial(). */
void mtree_tcp_dialer_change(mtree_tcp_dialer_t *dialer, const mtree_tcp_dial_t *dial);

/*
 * All connections stand: the answer of the process there, over the first of them.  1: it
 * has heard, and there are *count_p connections; the others are closed.  0: not yet; -1:
 * the connection has failed, or that is another's answer.
 */
int mtree_tcp_dialer_answer(mtree_tcp_dialer_t *dialer, uint32_t rank, int *count_p);

/* Give that answer over @a socket, to the process that greeted with @a attempt: there are
 * @a count connections.  @a secret is of who answers.  False: the socket refuses. */
bool mtree_tcp_dialer_reply(int socket, uint32_t rank, uint32_t attempt, int count,
                            const mtree_tcp_secret_t *secret);

void mtree_tcp_dialer_destroy(mtree_tcp_dialer_t *dialer);

#endif
