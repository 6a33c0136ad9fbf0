/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cryptography that mtree uses, all of it by OpenSSL's libcrypto: codes are
 * HMAC-SHA256 (RFC 2104), ciphers AES-256-GCM (NIST SP 800-38D), and keys are agreed on
 * by X25519 (RFC 7748).
 */
#ifndef MTREE_TCP_CRYPTO_H
#define MTREE_TCP_CRYPTO_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#define MTREE_CRYPTO_KEY   32
#define MTREE_CRYPTO_CODE  32
#define MTREE_CRYPTO_NONCE 12
#define MTREE_CRYPTO_TAG   16

/* Is mtree built with libcrypto?  Without it nothing below but random bytes works. */
bool mtree_crypto_is_supported(void);

/* Open the library @a file of OpenSSL's, and have the @a count functions of these @a
 * names in @a functions, a struct of as many pointers.  Without one nothing can be
 * vouched for, nor may it go in the clear: the process ends, with a line. */
void mtree_crypto_open(const char *file, const char *const *names, size_t count,
                       void *functions);

/* Random bytes; MTREE_ERR_IO: the kernel gives none. */
mtree_status_t mtree_crypto_draw(void *bytes, size_t length);

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

typedef struct mtree_cipher mtree_cipher_t;

/* A cipher that seals, or one that opens; NULL: no memory. */
mtree_cipher_t *mtree_cipher_create(const unsigned char key[MTREE_CRYPTO_KEY],
                                    bool seals);

/* Free, with the key; NULL is allowed. */
void mtree_cipher_destroy(mtree_cipher_t *cipher);

/* Use @a key from now on; false: no memory. */
bool mtree_cipher_set_key(mtree_cipher_t *cipher,
                          const unsigned char key[MTREE_CRYPTO_KEY]);

/*
 * A record has far fewer bytes than an int counts, as libcrypto does.
 *
 * Encrypt the @a count @a parts, and vouch for them and for the @a known_length bytes @a
 * known, which are not encrypted.  To @a sealed go as many bytes as the parts have, and
 * MTREE_CRYPTO_TAG.  No nonce may be used twice with a key.  False: libcrypto has failed.
 */
bool mtree_cipher_seal(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const struct iovec *parts, int count,
                       unsigned char *sealed);

/* The reverse: of @a length bytes and the tag behind them.  False: they are not what was
 * sealed with this key, nonce and @a known; @a plain is not to be used. */
bool mtree_cipher_open(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const unsigned char *sealed, size_t length,
                       unsigned char *plain);

#endif
