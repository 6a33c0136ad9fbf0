/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of connections that dials: all of them at once, and each again, at the peer's
 * next address, until it stands or time is over.
 */
#ifndef MTREE_TCP_DIALER_H
#define MTREE_TCP_DIALER_H

#include "base/address.h"
#include "tcp/greeting.h"
#include "tcp/tcp.h"

/* Seconds that dialing may take. */
#define MTREE_TCP_DIAL_SECONDS 8.0

#define MTREE_TCP_ADDRESSES 4

/* Whom to dial, and as whom. */
typedef struct {
    uint32_t rank;                   /* this process's */
    mtree_tcp_secret_t mine, theirs; /* that the peer says, and wants to hear */
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    int num_addresses;
    uint16_t port; /* 0: nobody listens */
    int num_connections;
} mtree_tcp_dial_t;

typedef struct mtree_tcp_dialer mtree_tcp_dialer_t;

/* Begin at @a now, mtree_clock_seconds(); NULL: no memory. */
mtree_tcp_dialer_t *mtree_tcp_dialer_create(const mtree_tcp_dial_t *dial, double now);

/* 1: all connections stand; 0: not yet; -1: they will not. */
int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, double now);

/* The sockets of connections that stand, [num_connections]; the caller takes them over.
 */
void mtree_tcp_dialer_sockets(mtree_tcp_dialer_t *dialer, int *sockets);

void mtree_tcp_dialer_destroy(mtree_tcp_dialer_t *dialer);

#endif
