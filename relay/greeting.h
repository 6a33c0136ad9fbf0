/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greetings: a peer that dials a relay, and the relay, prove to each other that they know
 * the job's key, without sending it.
 *
 *     relay    CHALLENGE: a nonce
 *     peer     HELLO: job, number of the peer, another nonce, and the MAC of it and both
 *     relay    WELCOME: its answer and limits, and the MAC of these, the hello and both;
 *              zeros where the peer's MAC was wrong
 *
 * Both begin with the version, which each end sends as soon as they are connected.
 *
 * Nonces are fresh, and a MAC includes which end made it, so no greeting can be replayed.
 * The hello says whether the messages after the greeting are encrypted (tcp/tls.h).
 * Messages that are not encrypted are not signed.
 *
 * A site keeps a secret in a file, which a relay and the jobs that may use it know.  Each
 * job has a key derived from it, from which neither the secret nor another job's key can
 * be computed.  MACs are those of tcp/crypto.h.
 */
#ifndef MTREE_RELAY_GREETING_H
#define MTREE_RELAY_GREETING_H

#include "base/status.h"
#include "tcp/tls.h"

#include <stdint.h>

#define MTREE_RELAY_KEY   32
#define MTREE_RELAY_JOB   16
#define MTREE_RELAY_NONCE 32

/* Bytes of the shortest and of the longest secret. */
#define MTREE_RELAY_LEAST_SECRET 16
#define MTREE_RELAY_MOST_SECRET  4096

typedef struct {
    unsigned char bytes[MTREE_RELAY_KEY];
} mtree_relay_key_t;

/* The job's number, which no other job has. */
typedef struct {
    unsigned char bytes[MTREE_RELAY_JOB];
} mtree_relay_job_id_t;

/* By what a process proves to the relays of a job that it is of the job. */
typedef struct {
    mtree_relay_job_id_t job;
    mtree_relay_key_t key;
} mtree_relay_pass_t;

/*
 * The key of the secret in the file @a path.  Each error is logged: MTREE_ERR_IO, the
 * file cannot be read; MTREE_ERR_INVALID, others than its owner may read it, or it is too
 * short or too long.
 */
mtree_status_t mtree_relay_secret_read(const char *path, mtree_relay_key_t *key);

/* The key of the job @a id. */
void mtree_relay_job_key(const mtree_relay_key_t *secret, const mtree_relay_job_id_t *id,
                         mtree_relay_key_t *key);

#define MTREE_RELAY_MAGIC     4
#define MTREE_RELAY_HELLO     (12 + MTREE_RELAY_JOB + MTREE_RELAY_NONCE)
#define MTREE_RELAY_PROVED    (MTREE_RELAY_HELLO + MTREE_RELAY_KEY)
#define MTREE_RELAY_CHALLENGE (MTREE_RELAY_MAGIC + MTREE_RELAY_NONCE)
#define MTREE_RELAY_WELCOME   (12 + MTREE_RELAY_KEY)

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
    unsigned char nonce[MTREE_RELAY_NONCE];
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

/* The first bytes of either end. */
void mtree_relay_magic_write(unsigned char bytes[MTREE_RELAY_MAGIC]);

/* What is wrong with the first bytes of the other end, for a line; NULL: nothing, they
 * are of this version. */
const char *mtree_relay_magic_fault(const unsigned char bytes[MTREE_RELAY_MAGIC]);

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char bytes[MTREE_RELAY_HELLO]);

/* MTREE_ERR_INVALID: no hello of this version.  Nothing is logged. */
mtree_status_t mtree_relay_hello_read(const unsigned char bytes[MTREE_RELAY_HELLO],
                                      mtree_relay_hello_t *hello);

/* What an end of a greeting knows of it. */
typedef struct {
    mtree_relay_key_t key;
    unsigned char hello[MTREE_RELAY_HELLO]; /* its last bytes are the peer's nonce */
    unsigned char nonce[MTREE_RELAY_NONCE]; /* the relay's */
} mtree_relay_greeting_t;

/* The hello of @a greeting, with its MAC; and is that MAC of who knows the key? */
void mtree_relay_hello_prove(const mtree_relay_greeting_t *greeting,
                             unsigned char bytes[MTREE_RELAY_PROVED]);
bool mtree_relay_hello_is_proved(const mtree_relay_greeting_t *greeting,
                                 const unsigned char bytes[MTREE_RELAY_PROVED]);

/* The key of the messages after @a greeting, at the end (@a is_relay) that it is of. */
void mtree_relay_tls_key(const mtree_relay_greeting_t *greeting, bool is_relay,
                         mtree_tls_key_t *key);

/* The welcome after a greeting.  MTREE_ERR_INVALID: @a bytes are none of who knows the
 * key. */
void mtree_relay_welcome_write(const mtree_relay_greeting_t *greeting,
                               const mtree_relay_welcome_t *welcome,
                               unsigned char bytes[MTREE_RELAY_WELCOME]);
mtree_status_t mtree_relay_welcome_read(const mtree_relay_greeting_t *greeting,
                                        const unsigned char bytes[MTREE_RELAY_WELCOME],
                                        mtree_relay_welcome_t *welcome);

#endif
