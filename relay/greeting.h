/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greetings: how who dials a relay and the relay prove to each other that they know the
 * job's key, without saying it.
 *
 *     who dials          HELLO: job, who, a nonce
 *     relay              CHALLENGE: a nonce, and the code of both
 *     who dials          PROOF: another code of both
 *     relay              WELCOME: its limits
 *
 * Nonces are fresh, and a code says which end it is of, so nothing that was heard can be
 * said again.  The hello says whether what follows is encrypted (tcp/record.h); then both
 * nonces are public keys.  If it is not, it is not signed either.
 */
#ifndef MTREE_RELAY_GREETING_H
#define MTREE_RELAY_GREETING_H

#include "relay/secret.h"
#include "tcp/record.h"

#include <stdint.h>

#define MTREE_RELAY_HELLO     (12 + MTREE_RELAY_JOB + MTREE_RELAY_NONCE)
#define MTREE_RELAY_CHALLENGE (MTREE_RELAY_NONCE + MTREE_RELAY_KEY)
#define MTREE_RELAY_PROOF     MTREE_RELAY_KEY
#define MTREE_RELAY_WELCOME   16

/* What a connection is for. */
typedef enum {
    MTREE_RELAY_CONTROL, /* who dials begins the job */
    MTREE_RELAY_DATA     /* messages of calls */
} mtree_relay_purpose_t;

typedef struct {
    mtree_relay_purpose_t purpose;
    uint32_t number; /* of who dials: its rank in MPI_COMM_WORLD, or a relay's number with
                        MTREE_RELAY_IS_RELAY; of a control connection the number that the
                        relay is to have */
    bool is_encrypted; /* what follows the greeting */
    mtree_relay_job_id_t job;
    unsigned char nonce[MTREE_RELAY_NONCE];
} mtree_relay_hello_t;

/* The flag of a relay's number among the numbers of a job. */
#define MTREE_RELAY_IS_RELAY ((uint32_t)1 << 31)

/* What a relay answers in the end. */
typedef enum {
    MTREE_RELAY_WELCOMED,
    MTREE_RELAY_FULL,   /* it has as many jobs as it may */
    MTREE_RELAY_UNKNOWN /* it does not know the job, or somebody else began it */
} mtree_relay_answer_t;

typedef struct {
    mtree_relay_answer_t answer;
    uint64_t memory; /* bytes that a call may take there */
} mtree_relay_welcome_t;

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char bytes[MTREE_RELAY_HELLO]);

/* MTREE_ERR_INVALID: no hello of this version.  Nothing is logged. */
mtree_status_t mtree_relay_hello_read(const unsigned char bytes[MTREE_RELAY_HELLO],
                                      mtree_relay_hello_t *hello);

/* The challenge of a relay with @a nonce to @a hello. */
void mtree_relay_challenge_write(const mtree_relay_key_t *key,
                                 const unsigned char hello[MTREE_RELAY_HELLO],
                                 const unsigned char nonce[MTREE_RELAY_NONCE],
                                 unsigned char bytes[MTREE_RELAY_CHALLENGE]);

/* The proof in answer to @a challenge; false: it is of nobody who knows the key. */
bool mtree_relay_proof_write(const mtree_relay_key_t *key,
                             const unsigned char hello[MTREE_RELAY_HELLO],
                             const unsigned char challenge[MTREE_RELAY_CHALLENGE],
                             unsigned char bytes[MTREE_RELAY_PROOF]);

/* Is @a proof the answer to @a challenge? */
bool mtree_relay_proof_is_right(const mtree_relay_key_t *key,
                                const unsigned char hello[MTREE_RELAY_HELLO],
                                const unsigned char challenge[MTREE_RELAY_CHALLENGE],
                                const unsigned char proof[MTREE_RELAY_PROOF]);

/* Draw a nonce, and what this end keeps of it for mtree_relay_record_keys(), which is
 * nothing unless the connection @a is_encrypted; false: that is not possible now. */
bool mtree_relay_nonce_draw(bool is_encrypted, unsigned char kept[MTREE_CRYPTO_KEY],
                            unsigned char nonce[MTREE_RELAY_NONCE]);

/*
 * The keys of what follows a greeting of @a hello, whose nonce is its last bytes, and the
 * relay's @a nonce, at the end (@a is_relay) that has @a kept.  False: the other nonce is
 * no public key.
 */
bool mtree_relay_record_keys(const mtree_relay_key_t *key,
                             const unsigned char hello[MTREE_RELAY_HELLO],
                             const unsigned char nonce[MTREE_RELAY_NONCE],
                             const unsigned char kept[MTREE_CRYPTO_KEY], bool is_relay,
                             mtree_record_keys_t *keys);

void mtree_relay_welcome_write(const mtree_relay_welcome_t *welcome,
                               unsigned char bytes[MTREE_RELAY_WELCOME]);
mtree_status_t mtree_relay_welcome_read(const unsigned char bytes[MTREE_RELAY_WELCOME],
                                        mtree_relay_welcome_t *welcome);

#endif
