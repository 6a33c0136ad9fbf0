/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/greeting.h"

#include "base/bytes.h"
#include "base/log.h"
#include "tcp/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "mtR", and the version in the last byte. */
#define MAGIC   UINT32_C(0x6d745207)
#define VERSION UINT32_C(0xff)

/* The flag of an encrypted connection, beside its purpose. */
#define ENCRYPTED ((uint32_t)1 << 8)

_Static_assert(MTREE_RELAY_PROVED <= MTREE_TCP_PIECE, "a piece's length");

/* Bytes of a welcome before its MAC. */
#define LIMITS (MTREE_RELAY_WELCOME - MTREE_RELAY_KEY)

void mtree_relay_job_key(const mtree_relay_key_t *secret, const mtree_relay_job_id_t *id,
                         mtree_relay_key_t *key)
{
    unsigned char text[sizeof("job") + MTREE_RELAY_JOB] = "job";

    memcpy(text + sizeof("job"), id->bytes, MTREE_RELAY_JOB);
    mtree_crypto_code(secret->bytes, MTREE_RELAY_KEY, text, sizeof(text), key->bytes);
}

/* A file that only its owner may read; *length_p bytes of it go to @a secret. */
static mtree_status_t read_file(const char *path, int file, unsigned char *secret,
                                size_t *length_p)
{
    struct stat status;
    ssize_t length;

    if (fstat(file, &status) != 0) {
        mtree_error("secret %s: %s", path, strerror(errno));
        return MTREE_ERR_IO;
    }
    if (!S_ISREG(status.st_mode)) {
        mtree_error("secret %s: it is no regular file", path);
        return MTREE_ERR_INVALID;
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        mtree_error("secret %s: others than its owner may use it; chmod 600 %s", path,
                    path);
        return MTREE_ERR_INVALID;
    }
    length = read(file, secret, MTREE_RELAY_MOST_SECRET + 1);
    if (length < 0) {
        mtree_error("secret %s: %s", path, strerror(errno));
        return MTREE_ERR_IO;
    }
    if (length < MTREE_RELAY_LEAST_SECRET || length > MTREE_RELAY_MOST_SECRET) {
        mtree_error("secret %s: %zd bytes; %d to %d are needed", path, length,
                    MTREE_RELAY_LEAST_SECRET, MTREE_RELAY_MOST_SECRET);
        return MTREE_ERR_INVALID;
    }
    *length_p = (size_t)length;
    return MTREE_OK;
}

mtree_status_t mtree_relay_secret_read(const char *path, mtree_relay_key_t *key)
{
    unsigned char secret[MTREE_RELAY_MOST_SECRET + 1];
    mtree_status_t status;
    size_t length;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) {
        mtree_error("secret %s: %s", path, strerror(errno));
        return MTREE_ERR_IO;
    }
    status = read_file(path, file, secret, &length);
    (void)close(file);
    if (status == MTREE_OK) {
        mtree_crypto_code("mtree relay 1", 13, secret, length, key->bytes);
    }
    explicit_bzero(secret, sizeof(secret));
    return status;
}

void mtree_relay_magic_write(unsigned char bytes[MTREE_RELAY_MAGIC])
{
    mtree_put32(bytes, MAGIC);
}

const char *mtree_relay_magic_fault(const unsigned char bytes[MTREE_RELAY_MAGIC])
{
    uint32_t magic = mtree_get32(bytes);

    return magic == MAGIC                      ? NULL
           : ((magic ^ MAGIC) & ~VERSION) == 0 ? "it is of another version of mtree"
                                               : "what it sends is no greeting of mtree";
}

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char bytes[MTREE_RELAY_HELLO])
{
    mtree_put32(bytes, MAGIC);
    mtree_put32(bytes + 4, hello->purpose | (hello->is_encrypted ? ENCRYPTED : 0));
    mtree_put32(bytes + 8, hello->number);
    memcpy(bytes + 12, hello->job.bytes, MTREE_RELAY_JOB);
    memcpy(bytes + 12 + MTREE_RELAY_JOB, hello->nonce, MTREE_RELAY_NONCE);
}

mtree_status_t mtree_relay_hello_read(const unsigned char bytes[MTREE_RELAY_HELLO],
                                      mtree_relay_hello_t *hello)
{
    uint32_t purpose = mtree_get32(bytes + 4) & ~ENCRYPTED;

    if (mtree_get32(bytes) != MAGIC || purpose > MTREE_RELAY_DATA) {
        return MTREE_ERR_INVALID;
    }
    hello->purpose = (mtree_relay_purpose_t)purpose;
    hello->is_encrypted = (mtree_get32(bytes + 4) & ENCRYPTED) != 0;
    hello->number = mtree_get32(bytes + 8);
    memcpy(hello->job.bytes, bytes + 12, MTREE_RELAY_JOB);
    memcpy(hello->nonce, bytes + 12 + MTREE_RELAY_JOB, MTREE_RELAY_NONCE);
    return MTREE_OK;
}

/* The message authentication code (MAC) of both nonces, and of @a length bytes of a
 * welcome, made by @a who, whose name's NUL keeps it apart from what follows. */
static void greeting_mac(const mtree_relay_greeting_t *greeting, const char *who,
                         const unsigned char *welcome, size_t length,
                         unsigned char mac[MTREE_RELAY_KEY])
{
    unsigned char
        text[sizeof("welcome") + MTREE_RELAY_HELLO + MTREE_RELAY_NONCE + LIMITS];
    unsigned char *end = text + strlen(who) + 1;

    memcpy(text, who, (size_t)(end - text));
    memcpy(end, greeting->hello, MTREE_RELAY_HELLO);
    end += MTREE_RELAY_HELLO;
    memcpy(end, greeting->nonce, MTREE_RELAY_NONCE);
    end += MTREE_RELAY_NONCE;
    if (length > 0) {
        memcpy(end, welcome, length);
    }
    mtree_crypto_code(greeting->key.bytes, MTREE_RELAY_KEY, text,
                      (size_t)(end - text) + length, mac);
}

/* Is @a mac that of both nonces, and of @a length bytes of a welcome, made by @a who? */
static bool is_mac(const mtree_relay_greeting_t *greeting, const char *who,
                   const unsigned char *welcome, size_t length,
                   const unsigned char mac[MTREE_RELAY_KEY])
{
    unsigned char expected[MTREE_RELAY_KEY];

    greeting_mac(greeting, who, welcome, length, expected);
    return mtree_crypto_equals(expected, mac, MTREE_RELAY_KEY);
}

void mtree_relay_hello_prove(const mtree_relay_greeting_t *greeting,
                             unsigned char bytes[MTREE_RELAY_PROVED])
{
    memcpy(bytes, greeting->hello, MTREE_RELAY_HELLO);
    greeting_mac(greeting, "peer", NULL, 0, bytes + MTREE_RELAY_HELLO);
}

bool mtree_relay_hello_is_proved(const mtree_relay_greeting_t *greeting,
                                 const unsigned char bytes[MTREE_RELAY_PROVED])
{
    return is_mac(greeting, "peer", NULL, 0, bytes + MTREE_RELAY_HELLO);
}

void mtree_relay_tls_key(const mtree_relay_greeting_t *greeting, bool is_relay,
                         mtree_tls_key_t *key)
{
    greeting_mac(greeting, "tls", NULL, 0, key->bytes);
    key->is_client = !is_relay;
}

void mtree_relay_welcome_write(const mtree_relay_greeting_t *greeting,
                               const mtree_relay_welcome_t *welcome,
                               unsigned char bytes[MTREE_RELAY_WELCOME])
{
    mtree_put32(bytes, welcome->answer);
    mtree_put64(bytes + 4, welcome->memory);
    greeting_mac(greeting, "welcome", bytes, LIMITS, bytes + LIMITS);
}

mtree_status_t mtree_relay_welcome_read(const mtree_relay_greeting_t *greeting,
                                        const unsigned char bytes[MTREE_RELAY_WELCOME],
                                        mtree_relay_welcome_t *welcome)
{
    uint32_t answer = mtree_get32(bytes);

    if (!is_mac(greeting, "welcome", bytes, LIMITS, bytes + LIMITS) ||
        answer > MTREE_RELAY_UNKNOWN) {
        return MTREE_ERR_INVALID;
    }
    welcome->answer = (mtree_relay_answer_t)answer;
    welcome->memory = mtree_get64(bytes + 4);
    return MTREE_OK;
}
