/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tcp/tls.h"

#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* As OpenSSL names it, and its number (RFC 8446, B.4). */
#define SUITE "TLS_AES_256_GCM_SHA384"
#define SUITE_NUMBER                                                                     \
    {                                                                                    \
        0x13, 0x02                                                                       \
    }

/* The key's: each connection has one. */
#define IDENTITY "mtree"

/* Bytes that are read at a time, at most. */
#define READ (4 * (MTREE_TLS_RECORD + SSL3_RT_MAX_ENCRYPTED_OVERHEAD))

/* What is called of libssl, and by it of libcrypto. */
/* clang-format off */
#define FUNCTIONS(F)                                                                     \
    F(BIO_clear_flags) F(BIO_get_data) F(BIO_meth_new) F(BIO_meth_set_ctrl)              \
    F(BIO_meth_set_read) F(BIO_meth_set_write) F(BIO_new) F(BIO_set_data)                \
    F(BIO_set_flags) F(BIO_set_init) F(ERR_clear_error) F(SSL_CIPHER_find)               \
    F(SSL_CTX_ctrl) F(SSL_CTX_new) F(SSL_CTX_set_cert_verify_callback)                   \
    F(SSL_CTX_set_ciphersuites) F(SSL_CTX_set_default_read_buffer_len)                   \
    F(SSL_CTX_set_num_tickets) F(SSL_CTX_set_psk_find_session_callback)                  \
    F(SSL_CTX_set_psk_use_session_callback) F(SSL_SESSION_new)                           \
    F(SSL_SESSION_set1_master_key) F(SSL_SESSION_set_cipher)                             \
    F(SSL_SESSION_set_protocol_version) F(SSL_free) F(SSL_get_error) F(SSL_get_rbio)     \
    F(SSL_key_update) F(SSL_new) F(SSL_read) F(SSL_set_accept_state) F(SSL_set_bio)      \
    F(SSL_set_connect_state) F(SSL_set_verify) F(SSL_write) F(TLS_method)
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
    SSL_CTX *context;
    BIO_METHOD *method;
    pthread_once_t once;
} lib = {.once = PTHREAD_ONCE_INIT};

struct mtree_tls {
    SSL *ssl;
    int socket;
    mtree_tls_key_t key;
    int read_error, write_error; /* errno of the last read, of a write that has failed */
    uint64_t written;
    uint64_t records; /* that were written */
};

/* The socket, as libssl sees it. */
static int socket_read(BIO *bio, char *bytes, int length)
{
    mtree_tls_t *tls = lib.BIO_get_data(bio);
    ssize_t count = recv(tls->socket, bytes, (size_t)length, 0);

    lib.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    tls->read_error = count < 0 ? errno : 0;
    if (tls->read_error == EAGAIN) {
        lib.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
    }
    return (int)count;
}

/* What cannot be sent any more is forgotten: libssl is to go on with what has come. */
static int socket_write(BIO *bio, const char *bytes, int length)
{
    mtree_tls_t *tls = lib.BIO_get_data(bio);
    ssize_t count = send(tls->socket, bytes, (size_t)length, MSG_NOSIGNAL);

    lib.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (count >= 0) {
        tls->written += (size_t)count;
        return (int)count;
    }
    if (errno == EAGAIN) {
        lib.BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    tls->write_error = errno;
    return length;
}

static long socket_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

/* The key as libssl has it.  Who names another identity has another key. */
static int find_key(SSL *ssl, const unsigned char *identity, size_t length,
                    SSL_SESSION **session_p)
{
    static const unsigned char suite[] = SUITE_NUMBER;
    const mtree_tls_t *tls = lib.BIO_get_data(lib.SSL_get_rbio(ssl));
    SSL_SESSION *session = *session_p = lib.SSL_SESSION_new();

    (void)identity;
    (void)length;
    return session != NULL &&
           lib.SSL_SESSION_set1_master_key(session, tls->key.bytes, MTREE_CRYPTO_KEY) &&
           lib.SSL_SESSION_set_cipher(session, lib.SSL_CIPHER_find(ssl, suite)) &&
           lib.SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION);
}

static int offer_key(SSL *ssl, const EVP_MD *digest, const unsigned char **identity_p,
                     size_t *length_p, SSL_SESSION **session_p)
{
    (void)digest;
    *identity_p = (const unsigned char *)IDENTITY;
    *length_p = strlen(IDENTITY);
    return find_key(ssl, *identity_p, *length_p, session_p);
}

/* Who has a certificate instead of the key is another one. */
static int refuse_certificate(X509_STORE_CTX *store, void *arg)
{
    (void)store;
    (void)arg;
    return 0;
}

/* Where it is needed nothing may go in the clear: without it the process ends. */
static void open_library(void)
{
#define NAME(name) #name,
    static const char *const names[] = {FUNCTIONS(NAME)};
    const long mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;

    mtree_crypto_open(LIBSSL_LIBRARY, names, sizeof(names) / sizeof(*names), &lib);
    lib.method = lib.BIO_meth_new(BIO_TYPE_SOURCE_SINK, "mtree");
    lib.context = lib.SSL_CTX_new(lib.TLS_method());
    if (lib.method == NULL || lib.context == NULL ||
        !lib.SSL_CTX_ctrl(lib.context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION,
                          NULL) ||
        !lib.SSL_CTX_set_ciphersuites(lib.context, SUITE)) {
        mtree_error("OpenSSL cannot be opened: it has no " SUITE "; the process ends");
        exit(EXIT_FAILURE);
    }
    (void)lib.BIO_meth_set_read(lib.method, socket_read);
    (void)lib.BIO_meth_set_write(lib.method, socket_write);
    (void)lib.BIO_meth_set_ctrl(lib.method, socket_control);
    (void)lib.SSL_CTX_ctrl(lib.context, SSL_CTRL_MODE, mode, NULL);
    (void)lib.SSL_CTX_ctrl(lib.context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF,
                           NULL);
    (void)lib.SSL_CTX_ctrl(lib.context, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    lib.SSL_CTX_set_default_read_buffer_len(lib.context, READ);
    (void)lib.SSL_CTX_set_num_tickets(lib.context, 0);
    lib.SSL_CTX_set_cert_verify_callback(lib.context, refuse_certificate, NULL);
    lib.SSL_CTX_set_psk_use_session_callback(lib.context, offer_key);
    lib.SSL_CTX_set_psk_find_session_callback(lib.context, find_key);
}

mtree_tls_t *mtree_tls_create(int socket, const mtree_tls_key_t *key)
{
    mtree_tls_t *tls = mtree_calloc(1, sizeof(*tls));
    BIO *bio;

    (void)pthread_once(&lib.once, open_library);
    tls->socket = socket;
    tls->key = *key;
    tls->ssl = mtree_existing(lib.SSL_new(lib.context));
    bio = mtree_existing(lib.BIO_new(lib.method));
    lib.BIO_set_data(bio, tls);
    lib.BIO_set_init(bio, 1);
    lib.SSL_set_bio(tls->ssl, bio, bio);
    if (key->is_client) {
        lib.SSL_set_verify(tls->ssl, SSL_VERIFY_PEER, NULL);
        lib.SSL_set_connect_state(tls->ssl);
    } else {
        lib.SSL_set_accept_state(tls->ssl);
    }
    return tls;
}

void mtree_tls_destroy(mtree_tls_t *tls)
{
    if (tls != NULL) {
        lib.SSL_free(tls->ssl);
        explicit_bzero(tls, sizeof(*tls));
        free(tls);
    }
}

/* As read(2), when libssl has returned @a result. */
static ssize_t conclude(mtree_tls_t *tls, int result)
{
    if (result > 0) {
        return result;
    }
    switch (lib.SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
    case SSL_ERROR_SYSCALL:
        errno = tls->read_error;
        return errno == 0 ? 0 : -1;
    default:
        lib.ERR_clear_error();
        errno = tls->read_error = tls->write_error = MTREE_TLS_ERRNO;
        return -1;
    }
}

ssize_t mtree_tls_read(mtree_tls_t *tls, void *bytes, size_t length)
{
    lib.ERR_clear_error();
    return conclude(tls, lib.SSL_read(tls->ssl, bytes, (int)length));
}

ssize_t mtree_tls_write(mtree_tls_t *tls, const void *bytes, size_t length)
{
    const size_t most = length < MTREE_TLS_RECORD ? length : MTREE_TLS_RECORD;
    ssize_t count;

    lib.ERR_clear_error();
    count = conclude(tls, lib.SSL_write(tls->ssl, bytes, (int)most));
    if (count == 0 || tls->write_error != 0) {
        errno = count == 0 ? EPIPE : tls->write_error;
        return -1;
    }
    if (count > 0 && ++tls->records % MTREE_TLS_RECORDS_PER_KEY == 0) {
        (void)lib.SSL_key_update(tls->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
    }
    return count;
}

uint64_t mtree_tls_written(const mtree_tls_t *tls)
{
    return tls->written;
}
