/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tcp/crypto.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

mtree_status_t mtree_crypto_draw(void *bytes, size_t length)
{
    return getrandom(bytes, length, 0) == (ssize_t)length ? MTREE_OK : MTREE_ERR_IO;
}

#ifdef HAVE_LIBCRYPTO

#include "base/log.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>

/* What is called of libcrypto.  It is opened where a code, a key or a cipher is first
 * wanted: it takes most of the memory that mtree does, and most ranks do without. */
/* clang-format off */
#define FUNCTIONS(F)                                                                     \
    F(EVP_CIPHER_CTX_ctrl) F(EVP_CIPHER_CTX_free) F(EVP_CIPHER_CTX_new)                  \
    F(EVP_CipherFinal_ex) F(EVP_CipherInit_ex) F(EVP_CipherUpdate)                       \
    F(EVP_PKEY_CTX_free) F(EVP_PKEY_CTX_new) F(EVP_PKEY_derive) F(EVP_PKEY_derive_init)  \
    F(EVP_PKEY_derive_set_peer) F(EVP_PKEY_free) F(EVP_PKEY_get_raw_public_key)          \
    F(EVP_PKEY_new_raw_private_key) F(EVP_PKEY_new_raw_public_key) F(EVP_aes_256_gcm)    \
    F(EVP_sha256) F(HMAC)
/* clang-format on */

typedef struct {
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
} libcrypto_t;

static libcrypto_t opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void mtree_crypto_open(const char *file, const char *const *names, size_t count,
                       void *functions)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *function = library;

    for (size_t i = 0; i < count && function != NULL; i++) {
        function = dlsym(library, names[i]);
        memcpy((char *)functions + i * sizeof(function), &function, sizeof(function));
    }
    if (function == NULL) {
        mtree_error("OpenSSL cannot be opened: %s; the process ends", dlerror());
        exit(EXIT_FAILURE);
    }
}

static void open_library(void)
{
#define NAME(name) #name,
    static const char *const names[] = {FUNCTIONS(NAME)};

    mtree_crypto_open(LIBCRYPTO_LIBRARY, names, sizeof(names) / sizeof(*names), &opened);
}

static const libcrypto_t *libcrypto(void)
{
    (void)pthread_once(&once, open_library);
    return &opened;
}

void mtree_crypto_code(const void *key, size_t key_length, const void *bytes,
                       size_t length, unsigned char code[MTREE_CRYPTO_CODE])
{
    unsigned code_length = MTREE_CRYPTO_CODE;

    (void)libcrypto()->HMAC(libcrypto()->EVP_sha256(), key, (int)key_length, bytes,
                            length, code, &code_length);
}

bool mtree_crypto_pair_draw(unsigned char own[MTREE_CRYPTO_KEY],
                            unsigned char told[MTREE_CRYPTO_KEY])
{
    size_t length = MTREE_CRYPTO_KEY;
    bool is_drawn = mtree_crypto_draw(own, MTREE_CRYPTO_KEY) == MTREE_OK;
    EVP_PKEY *key = is_drawn ? libcrypto()->EVP_PKEY_new_raw_private_key(
                                   EVP_PKEY_X25519, NULL, own, MTREE_CRYPTO_KEY)
                             : NULL;

    is_drawn =
        key != NULL && libcrypto()->EVP_PKEY_get_raw_public_key(key, told, &length) == 1;
    libcrypto()->EVP_PKEY_free(key);
    return is_drawn;
}

bool mtree_crypto_share(const unsigned char own[MTREE_CRYPTO_KEY],
                        const unsigned char theirs[MTREE_CRYPTO_KEY],
                        unsigned char shared[MTREE_CRYPTO_KEY])
{
    size_t length = MTREE_CRYPTO_KEY;
    EVP_PKEY *key =
        libcrypto()->EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, own, length);
    EVP_PKEY *peer =
        libcrypto()->EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, theirs, length);
    EVP_PKEY_CTX *context = key == NULL ? NULL : libcrypto()->EVP_PKEY_CTX_new(key, NULL);
    bool is_shared = context != NULL && peer != NULL &&
                     libcrypto()->EVP_PKEY_derive_init(context) == 1 &&
                     libcrypto()->EVP_PKEY_derive_set_peer(context, peer) == 1 &&
                     libcrypto()->EVP_PKEY_derive(context, shared, &length) == 1;

    libcrypto()->EVP_PKEY_CTX_free(context);
    libcrypto()->EVP_PKEY_free(peer);
    libcrypto()->EVP_PKEY_free(key);
    return is_shared;
}

struct mtree_cipher {
    EVP_CIPHER_CTX *context;
    bool seals;
};

mtree_cipher_t *mtree_cipher_create(const unsigned char key[MTREE_CRYPTO_KEY], bool seals)
{
    mtree_cipher_t *cipher = calloc(1, sizeof(*cipher));

    if (cipher == NULL) {
        return NULL;
    }
    cipher->seals = seals;
    cipher->context = libcrypto()->EVP_CIPHER_CTX_new();
    if (cipher->context == NULL ||
        libcrypto()->EVP_CipherInit_ex(cipher->context, libcrypto()->EVP_aes_256_gcm(),
                                       NULL, key, NULL, seals) != 1) {
        mtree_cipher_destroy(cipher);
        return NULL;
    }
    return cipher;
}

void mtree_cipher_destroy(mtree_cipher_t *cipher)
{
    if (cipher != NULL) {
        libcrypto()->EVP_CIPHER_CTX_free(cipher->context);
        free(cipher);
    }
}

bool mtree_cipher_set_key(mtree_cipher_t *cipher,
                          const unsigned char key[MTREE_CRYPTO_KEY])
{
    return libcrypto()->EVP_CipherInit_ex(cipher->context, NULL, NULL, key, NULL,
                                          cipher->seals) == 1;
}

/* Begin the next record. */
static bool cipher_begin(mtree_cipher_t *cipher, const unsigned char *nonce,
                         const void *known, size_t known_length)
{
    int length;

    return libcrypto()->EVP_CipherInit_ex(cipher->context, NULL, NULL, NULL, nonce,
                                          cipher->seals) == 1 &&
           libcrypto()->EVP_CipherUpdate(cipher->context, NULL, &length, known,
                                         (int)known_length) == 1;
}

bool mtree_cipher_seal(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const struct iovec *parts, int count,
                       unsigned char *sealed)
{
    bool is_sealed = cipher_begin(cipher, nonce, known, known_length);
    int length;

    for (int i = 0; i < count && is_sealed; i++) {
        is_sealed =
            libcrypto()->EVP_CipherUpdate(cipher->context, sealed, &length,
                                          parts[i].iov_base, (int)parts[i].iov_len) == 1;
        sealed += parts[i].iov_len;
    }
    return is_sealed &&
           libcrypto()->EVP_CipherFinal_ex(cipher->context, sealed, &length) == 1 &&
           libcrypto()->EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_GET_TAG,
                                            MTREE_CRYPTO_TAG, sealed) == 1;
}

bool mtree_cipher_open(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const unsigned char *sealed, size_t length,
                       unsigned char *plain)
{
    int opened;

    return cipher_begin(cipher, nonce, known, known_length) &&
           libcrypto()->EVP_CipherUpdate(cipher->context, plain, &opened, sealed,
                                         (int)length) == 1 &&
           libcrypto()->EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_TAG,
                                            MTREE_CRYPTO_TAG,
                                            (void *)(sealed + length)) == 1 &&
           libcrypto()->EVP_CipherFinal_ex(cipher->context, plain + opened, &opened) == 1;
}

#else

void mtree_crypto_code(const void *key, size_t key_length, const void *bytes,
                       size_t length, unsigned char code[MTREE_CRYPTO_CODE])
{
    (void)key;
    (void)key_length;
    (void)bytes;
    (void)length;
    (void)code;
}

bool mtree_crypto_pair_draw(unsigned char own[MTREE_CRYPTO_KEY],
                            unsigned char told[MTREE_CRYPTO_KEY])
{
    (void)own;
    (void)told;
    return false;
}

bool mtree_crypto_share(const unsigned char own[MTREE_CRYPTO_KEY],
                        const unsigned char theirs[MTREE_CRYPTO_KEY],
                        unsigned char shared[MTREE_CRYPTO_KEY])
{
    (void)own;
    (void)theirs;
    (void)shared;
    return false;
}

mtree_cipher_t *mtree_cipher_create(const unsigned char key[MTREE_CRYPTO_KEY], bool seals)
{
    (void)key;
    (void)seals;
    return NULL;
}

void mtree_cipher_destroy(mtree_cipher_t *cipher)
{
    (void)cipher;
}

bool mtree_cipher_set_key(mtree_cipher_t *cipher,
                          const unsigned char key[MTREE_CRYPTO_KEY])
{
    (void)cipher;
    (void)key;
    return false;
}

bool mtree_cipher_seal(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const struct iovec *parts, int count,
                       unsigned char *sealed)
{
    (void)cipher;
    (void)nonce;
    (void)known;
    (void)known_length;
    (void)parts;
    (void)count;
    (void)sealed;
    return false;
}

bool mtree_cipher_open(mtree_cipher_t *cipher,
                       const unsigned char nonce[MTREE_CRYPTO_NONCE], const void *known,
                       size_t known_length, const unsigned char *sealed, size_t length,
                       unsigned char *plain)
{
    (void)cipher;
    (void)nonce;
    (void)known;
    (void)known_length;
    (void)sealed;
    (void)length;
    (void)plain;
    return false;
}

#endif
