/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relay: it listens, admits peers that know its secret, and serves the jobs that they
 * begin.
 *
 * Who does not know the secret takes no place from other hosts (tcp/listener.h), and has
 * little time to greet.
 */
#ifndef MTREE_RELAY_SERVER_H
#define MTREE_RELAY_SERVER_H

#include "relay/job.h"
#include "tcp/listener.h"

typedef struct {
    mtree_tcp_ports_t ports;
    mtree_tcp_secret_t secret; /* may be set later */
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
                                   const mtree_tcp_secret_t *secret);

/* Handle what has happened; wait for at most @a seconds if nothing has. */
void mtree_relay_server_poll(mtree_relay_server_t *server, double seconds);

/* From any thread: end the wait of the current poll, or else of the next one. */
void mtree_relay_server_wake(mtree_relay_server_t *server);

void mtree_relay_server_status(const mtree_relay_server_t *server,
                               mtree_relay_status_t *status);

#endif
