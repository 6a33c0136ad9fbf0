/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: what an encrypted connection carries.
 *
 *     length (4 bytes) | that many bytes, encrypted | tag (16 bytes)
 *
 * Each direction of each connection has a key of its own.  Records are numbered, and the
 * number is the nonce: it is not sent, and no two records have the same.  So a record
 * that was changed, left out, said again, or moved to another place, direction or
 * connection does not open.  A connection that is made again (tcp/redial.h) has new keys.
 * After every MTREE_RECORDS_PER_KEY records both ends go on to
 * the code of the key.
 */
#ifndef MTREE_TCP_RECORD_H
#define MTREE_TCP_RECORD_H

#include "tcp/crypto.h"

#include <stdint.h>

/* What they are encrypted with, in words. */
#define MTREE_RECORD_CIPHER "AES-256-GCM"

/* Bytes of a record, at most, without and with what it adds. */
#define MTREE_RECORD_BYTES    16384
#define MTREE_RECORD_OVERHEAD (4 + MTREE_CRYPTO_TAG)
#define MTREE_RECORD_LONGEST  (MTREE_RECORD_BYTES + MTREE_RECORD_OVERHEAD)

/* Fewer than the 2^24.5 after which RFC 8446 (section 5.5) wants another key. */
#define MTREE_RECORDS_PER_KEY (1 << 20)

typedef struct {
    unsigned char bytes[MTREE_CRYPTO_KEY];
} mtree_record_key_t;

/* The keys of a connection, as one end has them. */
typedef struct {
    mtree_record_key_t send, receive;
} mtree_record_keys_t;

/* Bytes that identify a connection, at most. */
#define MTREE_RECORD_CONTEXT 128

/*
 * The keys of a connection between two ends that share @a shared.  @a context, of
 * @a length bytes, is what both know it by, and no other connection has.  One of the ends
 * is the first.
 */
void mtree_record_keys_derive(const mtree_record_key_t *shared, const void *context,
                              size_t length, bool is_first, mtree_record_keys_t *keys);

/* What the keys follow from of a connection that is made again: from @a keys, those of
 * the first time, which do not follow from it. */
void mtree_record_keys_keep(const mtree_record_keys_t *keys, mtree_record_keys_t *kept);

/* The keys of the @a attempt, from 1, at making the connection of @a kept again, where
 * the end that dials has read @a positions[0] bytes, and the other one [1].  No two
 * attempts have the same. */
void mtree_record_keys_renew(const mtree_record_keys_t *kept, uint32_t attempt,
                             const uint64_t positions[2], mtree_record_keys_t *keys);

/* One direction, at one of its ends. */
typedef struct {
    mtree_cipher_t *cipher;
    mtree_record_key_t key;
    uint64_t number; /* of the next record */
} mtree_record_flow_t;

/* MTREE_ERR_NO_MEMORY: nothing is logged. */
mtree_status_t mtree_record_flow_init(mtree_record_flow_t *flow,
                                      const mtree_record_key_t *key, bool seals);
void mtree_record_flow_cleanup(mtree_record_flow_t *flow);

/* Make the next record of @a parts, at most MTREE_RECORD_BYTES of them.  Its length; 0:
 * libcrypto has failed. */
size_t mtree_record_seal(mtree_record_flow_t *flow, const struct iovec *parts, int count,
                         unsigned char record[MTREE_RECORD_LONGEST]);

/* Open the record at the beginning of @a length bytes, any bytes.  1: *plain_length bytes
 * are in @a plain, and the record has *taken_p; 0: it is not complete; -1: it is not the
 * next record. */
int mtree_record_open(mtree_record_flow_t *flow, const unsigned char *bytes,
                      size_t length, unsigned char plain[MTREE_RECORD_BYTES],
                      size_t *plain_length, size_t *taken_p);

#endif
