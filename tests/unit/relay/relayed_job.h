/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job in one process, over real sockets: ranks, each on a host of its own, and relays,
 * each a server.  Nothing runs but in relayed_poll().
 */
#ifndef TESTS_UNIT_RELAY_RELAYED_JOB_H
#define TESTS_UNIT_RELAY_RELAYED_JOB_H

#include "relay/channel.h"
#include "relay/dialer.h"
#include "relay/server.h"
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "tests/unit/schedule/vectors.h"

#define RELAYED_RANKS  4
#define RELAYED_RELAYS 2

typedef struct {
    mtree_transport_t transport;
    int rank;
    mtree_tcp_t *tcp;
    mtree_tcp_peer_t *peers[RELAYED_RANKS + RELAYED_RELAYS];
    mtree_layout_t *layout;
    mtree_operation_t *operation;
    bool has_ended;
} relayed_rank_t;

/* The job of a test, which relayed_destroy() ends after it. */
extern struct relayed_job {
    mtree_tcp_secret_t secret, key;
    mtree_relay_job_id_t id;
    int num_ranks, num_relays;
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    mtree_relay_server_t *servers[RELAYED_RELAYS]; /* NULL: it has been killed */
    char addresses[RELAYED_RELAYS][32];
    mtree_relay_channel_t channels[RELAYED_RELAYS];
    relayed_rank_t ranks[RELAYED_RANKS];
    mtree_relay_start_t start;
    vectors_t vectors;
    mtree_status_t status;   /* of the last call */
    mtree_tls_key_t tls_key; /* of the last connection that was dialed */
    const char *reason;      /* why that was not made */
    int num_refused;
    int num_unreached, unreached; /* relays that others say they cannot reach; the last */
} job;

/* Are jobs that are made from now on encrypted, and are their relays told addresses of
 * each other at which nobody is? */
extern bool relayed_encrypts, relayed_cuts;

/* Connections that their relays let a job have; 0: no limit. */
extern int relayed_most_peers;

/* Bytes of the chunks of calls; 0: as mtree will. */
extern size_t relayed_chunk;

/* Ranks that reach each other through relays alone: one after the other, as a chain of
 * @a num_relays between rank 0 and the others.  Each relay has @a memory bytes. */
void relayed_create(int num_ranks, int num_relays, uint64_t memory);
void relayed_destroy(void);

/* Two ranks and a relay with memory for anything, in a fixture; a test may make another
 * job in its place. */
#define RELAYED_MEMORY ((uint64_t)64 << 20)
void relayed_create_usual(void);

/* Dial relay @a i; the socket, or -1. */
int relayed_dial(int i, const mtree_relay_hello_t *hello, const mtree_tcp_secret_t *key);

/* Dial it as rank @a number of the job; the socket. */
int relayed_enter(int i, int number);

/* A connection to relay 0 over which nothing is said. */
int relayed_connect(void);

/* What relay 0 says of itself. */
mtree_relay_status_t relayed_status(void);

/* Tell relay @a i the job's plan as plan @a number; calls are over plan 1. */
void relayed_tell_plan(int i, uint32_t number);

/* Begin a call of @a units numbers. */
void relayed_begin(mtree_collective_t collective, int root, size_t units);

/* Let all of them work once. */
void relayed_poll(void);

/* Until the call has ended on all ranks, at most some seconds; did it? */
bool relayed_finish(void);

/* Relay @a i is gone. */
void relayed_kill(int i);

/* All ranks have what MPI says; and free what the call has. */
void relayed_verify(void);
void relayed_end(void);

/* A whole call, which succeeds; and a sum that a relay refuses. */
void relayed_call(mtree_collective_t collective, int root, size_t units);
void relayed_refused_call(size_t units);

#endif
