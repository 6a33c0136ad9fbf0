/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What peers and relays say when they greet (tcp/greeting.h), by the job's key.
 *
 * A site keeps a secret in a file, which a relay and the jobs that may use it know.  Each
 * job has a key derived from it, from which neither the secret nor another job's key can
 * be computed.  Messages after the greeting are encrypted (tcp/tls.h) if the peer says
 * so. Those that are not are not signed, either.
 */
#ifndef MTREE_RELAY_GREETING_H
#define MTREE_RELAY_GREETING_H

#include "base/status.h"
#include "tcp/greeting.h"

#include <stdint.h>

#define MTREE_RELAY_JOB 16

/* Bytes of the shortest and of the longest secret. */
#define MTREE_RELAY_LEAST_SECRET 16
#define MTREE_RELAY_MOST_SECRET  4096

/* The job's number, which no other job has. */
typedef struct {
    unsigned char bytes[MTREE_RELAY_JOB];
} mtree_relay_job_id_t;

/* By what a process proves to the relays of a job that it is of the job. */
typedef struct {
    mtree_relay_job_id_t job;
    mtree_tcp_secret_t key;
} mtree_relay_pass_t;

/*
 * The key of the secret in the file @a path.  Each error is logged: MTREE_ERR_IO, the
 * file cannot be read; MTREE_ERR_INVALID, others than its owner may read it, or it is too
 * short or too long.
 */
mtree_status_t mtree_relay_secret_read(const char *path, mtree_tcp_secret_t *key);

/* The key of the job @a id. */
void mtree_relay_job_key(const mtree_tcp_secret_t *secret, const mtree_relay_job_id_t *id,
                         mtree_tcp_secret_t *key);

/* Seconds of silence of the other end's kernel after which a connection is lost: of one
 * that carries calls, and of one over which a job is begun. */
#define MTREE_RELAY_SILENCE     8
#define MTREE_RELAY_JOB_SILENCE 16

/* What a connection is for. */
typedef enum {
    MTREE_RELAY_CONTROL, /* the peer, a rank 0, begins the job */
    MTREE_RELAY_DATA     /* messages of calls */
} mtree_relay_purpose_t;

typedef struct {
    mtree_relay_purpose_t purpose;
    uint32_t number; /* of the peer: its rank in MPI_COMM_WORLD, or a relay's number with
                        MTREE_RELAY_IS_RELAY; of a control connection the number that the
                        relay is to have */
    bool is_encrypted; /* what follows the greeting */
    mtree_relay_job_id_t job;
} mtree_relay_hello_t;

/* Relays of a job at most; each has a number below that, which has a flag among the
 * numbers of the job. */
#define MTREE_RELAY_RELAYS   64
#define MTREE_RELAY_IS_RELAY ((uint32_t)1 << 31)

/* The answer in a welcome. */
typedef enum {
    MTREE_RELAY_WELCOMED,
    MTREE_RELAY_FULL,   /* it has as many jobs as it may */
    MTREE_RELAY_UNKNOWN /* it does not know the job, or somebody else began it */
} mtree_relay_answer_t;

typedef struct {
    mtree_relay_answer_t answer;
    uint64_t memory; /* bytes that a call may take there */
} mtree_relay_welcome_t;

/* What a peer says, and what a relay answers.  MTREE_ERR_INVALID: no peer and no relay of
 * this version says that; *hello is what it would be. */
void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char said[MTREE_TCP_SAID]);
mtree_status_t mtree_relay_hello_read(const unsigned char said[MTREE_TCP_SAID],
                                      mtree_relay_hello_t *hello);
void mtree_relay_welcome_write(const mtree_relay_welcome_t *welcome,
                               unsigned char said[MTREE_TCP_SAID]);
mtree_status_t mtree_relay_welcome_read(const unsigned char said[MTREE_TCP_SAID],
                                        mtree_relay_welcome_t *welcome);

#endif
