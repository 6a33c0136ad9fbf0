/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The peers of a job at a relay: the ranks, which dial it, and the other relays, of which
 * it dials those with a higher number that are its neighbours in a plan.
 */
#ifndef MTREE_RELAY_PEERS_H
#define MTREE_RELAY_PEERS_H

#include "base/list.h"
#include "relay/channel.h"
#include "relay/greeting.h"
#include "relay/plan.h"
#include "tcp/tcp.h"

/* Bytes that peers may send before their calls begin, however little memory calls have:
 * those of a call that is refused for that. */
#define MTREE_RELAY_LEAST_EARLY ((size_t)64 << 20)

/* Limits of a job's peers, and of the traffic to each. */
typedef struct {
    int most_peers;         /* connections at a time; 0: no limit */
    double patience;        /* seconds that another relay has to answer; 0: the usual */
    double rate;            /* bits/s at most; 0: no limit */
    const char *congestion; /* control of TCP; NULL: the kernel's default, which also
                               holds where the kernel does not allow this one */
} mtree_relay_traffic_t;

typedef struct {
    mtree_tcp_t *tcp;
    const mtree_relay_traffic_t *traffic;
    mtree_relay_hello_t hello; /* to other relays; with the relay's number in the job */
    mtree_relay_key_t key;     /* of the job */
    char name[16];             /* of the job, for lines of the log */
    mtree_list_t list;
    int count, num_dialing, num_connected;
    mtree_tcp_budget_t budget; /* of what they send before their calls begin */
} mtree_relay_peers_t;

/* @a hello is that of the control connection.  @a traffic stays.  What the peers send
 * before their calls begin may take @a most bytes, or MTREE_RELAY_LEAST_EARLY. */
void mtree_relay_peers_init(mtree_relay_peers_t *peers, mtree_tcp_t *tcp,
                            const mtree_relay_hello_t *hello,
                            const mtree_relay_key_t *key,
                            const mtree_relay_traffic_t *traffic, size_t most);

/* Close all connections. */
void mtree_relay_peers_cleanup(mtree_relay_peers_t *peers);

/* The connections to number @a number of the job, made or yet to be; NULL: no memory. */
mtree_tcp_peer_t *mtree_relay_peers_get(mtree_relay_peers_t *peers, uint32_t number);

/* Take over @a socket to number @a number at @a from, with @a key where the job is
 * encrypted.  False: that peer has a connection, there are as many as there may be, or
 * there is no memory; the caller keeps the socket. */
bool mtree_relay_peers_connect(mtree_relay_peers_t *peers, uint32_t number, int socket,
                               const mtree_tls_key_t *key, const char *from);

/* Begin to dial relays that are neighbours in @a plan and not yet connected, at @a now
 * (mtree_clock_seconds()). */
void mtree_relay_peers_dial(mtree_relay_peers_t *peers, const mtree_relay_plan_t *plan,
                            double now);

/* Continue to dial.  A relay that does not answer is reported over @a channel before
 * messages to it fail, so that rank 0 knows the cause of calls that fail. */
void mtree_relay_peers_poll(mtree_relay_peers_t *peers, mtree_relay_channel_t *channel,
                            double now);

#endif
