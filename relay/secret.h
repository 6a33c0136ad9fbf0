/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secrets: a relay and the jobs that may use it know the same one.
 *
 * A site keeps a secret in a file.  Each job has a key derived from it, from which
 * neither the secret nor another job's key can be computed.  MACs are those of
 * tcp/crypto.h.
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

/* The job's number, which no other job has. */
typedef struct {
    unsigned char bytes[MTREE_RELAY_JOB];
} mtree_relay_job_id_t;

/*
 * The key of the secret in the file @a path.  Each error is logged: MTREE_ERR_IO, the
 * file cannot be read; MTREE_ERR_INVALID, others than its owner may read it, or it is too
 * short or too long.
 */
mtree_status_t mtree_relay_secret_read(const char *path, mtree_relay_key_t *key);

/* The key of the job @a id. */
void mtree_relay_job_key(const mtree_relay_key_t *secret, const mtree_relay_job_id_t *id,
                         mtree_relay_key_t *key);

/* The message authentication code (MAC) of @a length bytes, made by @a who. */
void mtree_relay_mac(const mtree_relay_key_t *key, const char *who, const void *bytes,
                     size_t length, unsigned char mac[MTREE_RELAY_KEY]);

#endif
