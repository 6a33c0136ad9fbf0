/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The peers of a job that messages of its calls go to and from through connections with
 * relays: at a relay the ranks, which dial it, and other relays; at a rank the relays.
 */
#ifndef MTREE_RELAY_PEERS_H
#define MTREE_RELAY_PEERS_H

#include "base/list.h"
#include "relay/greeting.h"
#include "tcp/tcp.h"

/* Limits of a job's peers, and of the traffic to each. */
typedef struct {
    int most_peers;         /* of a job; 0: no limit */
    double rate;            /* bits/s at most; 0: no limit */
    const char *congestion; /* control of TCP; NULL: the kernel's default, which also
                               holds where the kernel does not allow this one */
} mtree_relay_traffic_t;

typedef struct {
    mtree_tcp_t *tcp;
    const mtree_relay_traffic_t *traffic;
    mtree_relay_hello_t hello; /* to relays, with the own number in the job */
    mtree_tcp_secret_t key;    /* of the job */
    char name[16];             /* of the job, for lines of the log */
    mtree_list_t list;
    int count, num_dialing;
    mtree_tcp_budget_t budget; /* of what they send before their calls begin */
} mtree_relay_peers_t;

/* @a hello is what it says to relays, and @a traffic stays.  What the peers send before
 * their calls begin may take @a most bytes; 0: no limit. */
void mtree_relay_peers_init(mtree_relay_peers_t *peers, mtree_tcp_t *tcp,
                            const mtree_relay_hello_t *hello,
                            const mtree_tcp_secret_t *key,
                            const mtree_relay_traffic_t *traffic, size_t most);

/* Close all connections. */
void mtree_relay_peers_cleanup(mtree_relay_peers_t *peers);

/* The connections to number @a number of the job, made or yet to be; NULL: there are as
 * many as there may be. */
mtree_tcp_peer_t *mtree_relay_peers_get(mtree_relay_peers_t *peers, uint32_t number);

/* Take over @a socket to number @a number at @a from, with @a key where the job is
 * encrypted.  False: that peer has a connection, or there are as many as there may be;
 * the caller keeps the socket. */
bool mtree_relay_peers_connect(mtree_relay_peers_t *peers, uint32_t number, int socket,
                               const mtree_tls_key_t *key, const char *from);

/* As mtree_relay_peers_get(), of a relay at @a address, which is dialed at @a now
 * (mtree_clock_seconds()) unless it was. */
mtree_tcp_peer_t *mtree_relay_peers_dial(mtree_relay_peers_t *peers, uint32_t number,
                                         const char *address, double now);

/* Relay @a number does not answer, and messages to it are about to fail. */
typedef void (*mtree_relay_unreached_t)(void *arg, uint32_t number);

/* Continue to dial; @a tell may be NULL. */
void mtree_relay_peers_poll(mtree_relay_peers_t *peers, mtree_relay_unreached_t tell,
                            void *arg, double now);

/* Has relay @a number been dialed in vain? */
bool mtree_relay_peers_is_unreached(const mtree_relay_peers_t *peers, uint32_t number);

#endif
