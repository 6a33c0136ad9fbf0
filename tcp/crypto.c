/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tcp/crypto.h"

#include "base/log.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

mtree_status_t mtree_crypto_draw(void *bytes, size_t length)
{
    return getrandom(bytes, length, 0) == (ssize_t)length ? MTREE_OK : MTREE_ERR_IO;
}

/* What is called of libcrypto.  It is opened where a code or a key is first wanted: it
 * takes most of the memory that mtree does, and most ranks do without. */
/* clang-format off */
#define FUNCTIONS(F)                                                                     \
    F(CRYPTO_memcmp) F(EVP_PKEY_CTX_free) F(EVP_PKEY_CTX_new) F(EVP_PKEY_derive)         \
    F(EVP_PKEY_derive_init) F(EVP_PKEY_derive_set_peer) F(EVP_PKEY_free)                 \
    F(EVP_PKEY_get_raw_public_key) F(EVP_PKEY_new_raw_private_key)                       \
    F(EVP_PKEY_new_raw_public_key) F(EVP_sha256) F(HMAC)
/* clang-format on */

typedef struct {
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
    pthread_once_t once;
} libcrypto_t;

static libcrypto_t opened = {.once = PTHREAD_ONCE_INIT};

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
    (void)pthread_once(&opened.once, open_library);
    return &opened;
}

bool mtree_crypto_equals(const unsigned char *a, const unsigned char *b, size_t length)
{
    return libcrypto()->CRYPTO_memcmp(a, b, length) == 0;
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
