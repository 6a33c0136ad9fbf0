/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cryptography that mtree uses beside TLS (tcp/tls.h), by OpenSSL's libcrypto: codes
 * are HMAC-SHA256 (RFC 2104), and keys are agreed on by X25519 (RFC 7748).
 */
#ifndef MTREE_TCP_CRYPTO_H
#define MTREE_TCP_CRYPTO_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define MTREE_CRYPTO_KEY  32
#define MTREE_CRYPTO_CODE 32

/* Open the library @a file of OpenSSL's, and have the @a count functions of these @a
 * names in @a functions, a struct of as many pointers.  Without one nothing can be
 * vouched for, nor may it go in the clear: the process ends, with a line. */
void mtree_crypto_open(const char *file, const char *const *names, size_t count,
                       void *functions);

/* Random bytes; MTREE_ERR_IO: the kernel gives none. */
mtree_status_t mtree_crypto_draw(void *bytes, size_t length);

/* Are the bytes the same?  That takes as long whichever differ. */
bool mtree_crypto_equals(const unsigned char *a, const unsigned char *b, size_t length);

/* The code of @a length bytes by a key of @a key_length bytes. */
void mtree_crypto_code(const void *key, size_t key_length, const void *bytes,
                       size_t length, unsigned char code[MTREE_CRYPTO_CODE]);

/*
 * Draw a private key, and the public key of it that the other end is told.  Who hears
 * both public keys does not learn what the ends share.  False: the kernel gives no random
 * bytes, or libcrypto has failed.
 */
bool mtree_crypto_pair_draw(unsigned char own[MTREE_CRYPTO_KEY],
                            unsigned char told[MTREE_CRYPTO_KEY]);

/* What the private key @a own shares with the end that told @a theirs, any bytes.  False:
 * they are no public key. */
bool mtree_crypto_share(const unsigned char own[MTREE_CRYPTO_KEY],
                        const unsigned char theirs[MTREE_CRYPTO_KEY],
                        unsigned char shared[MTREE_CRYPTO_KEY]);

#endif
