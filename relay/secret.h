/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secrets: what a relay and those who may use it have in common.
 *
 * A site keeps one in a file.  Of it each job has a key of its own, which shows neither
 * the secret nor the key of another job.  Codes are those of tcp/crypto.h.
 */
#ifndef MTREE_RELAY_SECRET_H
#define MTREE_RELAY_SECRET_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define MTREE_RELAY_KEY   32
#define MTREE_RELAY_JOB   16
#define MTREE_RELAY_NONCE 32

/* Bytes of the shortest and of the longest secret. */
#define MTREE_RELAY_LEAST_SECRET 16
#define MTREE_RELAY_MOST_SECRET  4096

typedef struct {
    unsigned char bytes[MTREE_RELAY_KEY];
} mtree_relay_key_t;

/* A number that no other job has. */
typedef struct {
    unsigned char bytes[MTREE_RELAY_JOB];
} mtree_relay_job_id_t;

/* MTREE_ERR_UNSUPPORTED, which is logged: mtree is built without libcrypto, and nobody
 * can prove that he knows a secret. */
mtree_status_t mtree_relay_supported(void);

/*
 * The key of the secret in the file @a path.  Each error is logged: MTREE_ERR_IO, the
 * file cannot be read; MTREE_ERR_INVALID, others than its owner may read it, or it is too
 * short or too long; and those of mtree_relay_supported().
 */
mtree_status_t mtree_relay_secret_read(const char *path, mtree_relay_key_t *key);

/* The key of the job @a id. */
void mtree_relay_job_key(const mtree_relay_key_t *secret, const mtree_relay_job_id_t *id,
                         mtree_relay_key_t *key);

/* The code of @a length bytes, said by @a who. */
void mtree_relay_code(const mtree_relay_key_t *key, const char *who, const void *bytes,
                      size_t length, unsigned char code[MTREE_RELAY_KEY]);

/* Are the codes the same?  Takes as long whichever bytes differ. */
bool mtree_relay_code_equals(const unsigned char a[MTREE_RELAY_KEY],
                             const unsigned char b[MTREE_RELAY_KEY]);

#endif
