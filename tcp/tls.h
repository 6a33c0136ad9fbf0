/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A socket whose bytes travel encrypted, read and written as if they did not: by TLS 1.3
 * (RFC 8446) of OpenSSL's libssl.  Nothing is handed out before it has been verified.
 *
 * Both ends have a key, a pre-shared one (section 4.2.11), by which each proves itself;
 * there are no certificates and no tickets.  Each handshake agrees on fresh keys, too
 * (psk_dhe_ke), so who learns the key later does not read what has passed.
 */
#ifndef MTREE_TCP_TLS_H
#define MTREE_TCP_TLS_H

#include "tcp/crypto.h"

#include <stdint.h>
#include <sys/types.h>

/* What bytes are encrypted with, in words. */
#define MTREE_TLS_CIPHER "AES-256-GCM"

/* Bytes of a record, at most. */
#define MTREE_TLS_RECORD 16384

/* Records that are sent with a key: fewer than the 2^24.5 that section 5.5 allows. */
#define MTREE_TLS_RECORDS_PER_KEY (1 << 16)

/* The errno when what has come is not what the other end has sent. */
#define MTREE_TLS_ERRNO EBADMSG

/* The same for people: what the other end has done. */
#define MTREE_TLS_REASON "what came was changed on the way, or is of another key"

/* The key of a connection, which no other one has, as one of its ends has it. */
typedef struct {
    unsigned char bytes[MTREE_CRYPTO_KEY];
    bool is_client; /* of two ends one is */
} mtree_tls_key_t;

typedef struct mtree_tls mtree_tls_t;

/* For @a socket, which never waits and stays the caller's; @a key is copied. */
mtree_tls_t *mtree_tls_create(int socket, const mtree_tls_key_t *key);

/* Free, with the key; NULL is allowed.  The other end is told nothing. */
void mtree_tls_destroy(mtree_tls_t *tls);

/*
 * As read(2) and write(2), of a record at a time at most.  Before anything else either of
 * them shakes hands, so after EAGAIN either may go on when the socket has bytes, and when
 * it takes some.  A write has to be repeated with the same bytes then, of which the
 * kernel may have some.  A read may bring less than there is.
 */
ssize_t mtree_tls_read(mtree_tls_t *tls, void *bytes, size_t length);
ssize_t mtree_tls_write(mtree_tls_t *tls, const void *bytes, size_t length);

/* Bytes that the kernel has taken so far, of handshakes and records. */
uint64_t mtree_tls_written(const mtree_tls_t *tls);

#endif
