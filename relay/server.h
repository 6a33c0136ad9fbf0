/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relay: it listens, admits peers that know its secret, and serves the jobs that they
 * begin.
 *
 * A connection is pending until its peer has proved that it knows the key of its job. One
 * that takes longer than a greeting takes is closed.  When MTREE_RELAY_PENDING
 * are pending the oldest one is closed of the host that most of them come from.  So who
 * does not know the key takes no place from other hosts.
 */
#ifndef MTREE_RELAY_SERVER_H
#define MTREE_RELAY_SERVER_H

#include "relay/job.h"
#include "tcp/socket.h"

/* Pending connections at a time. */
#define MTREE_RELAY_PENDING 64

typedef struct {
    mtree_tcp_ports_t ports;
    mtree_relay_key_t secret; /* may be set later */
    int most_jobs;
    uint64_t memory; /* bytes of all calls together */
    mtree_relay_traffic_t traffic;
} mtree_relay_options_t;

typedef struct {
    int jobs, calls, peers, pending;
    uint64_t memory; /* bytes in use */
    uint64_t jobs_so_far, turned_away;
    mtree_relay_done_t done;
} mtree_relay_status_t;

typedef struct mtree_relay_server mtree_relay_server_t;

/* MTREE_ERR_IO: no port is free, which is logged. */
mtree_status_t mtree_relay_server_create(const mtree_relay_options_t *options,
                                         mtree_relay_server_t **server_p);
void mtree_relay_server_destroy(mtree_relay_server_t *server);

uint16_t mtree_relay_server_port(const mtree_relay_server_t *server);

/* The secret of the jobs that it serves, before it is polled. */
void mtree_relay_server_set_secret(mtree_relay_server_t *server,
                                   const mtree_relay_key_t *secret);

/* Handle what has happened; wait for at most @a seconds if nothing has. */
void mtree_relay_server_poll(mtree_relay_server_t *server, double seconds);

/* From any thread: end the wait of the current poll, or else of the next one. */
void mtree_relay_server_wake(mtree_relay_server_t *server);

void mtree_relay_server_status(const mtree_relay_server_t *server,
                               mtree_relay_status_t *status);

#endif
