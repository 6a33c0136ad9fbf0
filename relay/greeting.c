/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/greeting.h"

#include "base/bytes.h"
#include "base/log.h"
#include "tcp/crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The flag of an encrypted connection, beside its purpose. */
#define ENCRYPTED ((uint32_t)1 << 8)

_Static_assert(8 + MTREE_RELAY_JOB == MTREE_TCP_SAID, "what who dials says");

void mtree_relay_job_key(const mtree_tcp_secret_t *secret, const mtree_relay_job_id_t *id,
                         mtree_tcp_secret_t *key)
{
    unsigned char text[sizeof("job") + MTREE_RELAY_JOB] = "job";

    memcpy(text + sizeof("job"), id->bytes, MTREE_RELAY_JOB);
    mtree_crypto_code(secret->bytes, MTREE_TCP_SECRET, text, sizeof(text), key->bytes);
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

mtree_status_t mtree_relay_secret_read(const char *path, mtree_tcp_secret_t *key)
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

void mtree_relay_hello_write(const mtree_relay_hello_t *hello,
                             unsigned char said[MTREE_TCP_SAID])
{
    mtree_put32(said, hello->purpose | (hello->is_encrypted ? ENCRYPTED : 0));
    mtree_put32(said + 4, hello->number);
    memcpy(said + 8, hello->job.bytes, MTREE_RELAY_JOB);
}

mtree_status_t mtree_relay_hello_read(const unsigned char said[MTREE_TCP_SAID],
                                      mtree_relay_hello_t *hello)
{
    uint32_t purpose = mtree_get32(said) & ~ENCRYPTED;

    hello->purpose = (mtree_relay_purpose_t)purpose;
    hello->is_encrypted = (mtree_get32(said) & ENCRYPTED) != 0;
    hello->number = mtree_get32(said + 4);
    memcpy(hello->job.bytes, said + 8, MTREE_RELAY_JOB);
    return purpose <= MTREE_RELAY_DATA ? MTREE_OK : MTREE_ERR_INVALID;
}

void mtree_relay_welcome_write(const mtree_relay_welcome_t *welcome,
                               unsigned char said[MTREE_TCP_SAID])
{
    memset(said, 0, MTREE_TCP_SAID);
    mtree_put32(said, welcome->answer);
    mtree_put64(said + 4, welcome->memory);
}

mtree_status_t mtree_relay_welcome_read(const unsigned char said[MTREE_TCP_SAID],
                                        mtree_relay_welcome_t *welcome)
{
    uint32_t answer = mtree_get32(said);

    if (answer > MTREE_RELAY_UNKNOWN) {
        return MTREE_ERR_INVALID;
    }
    welcome->answer = (mtree_relay_answer_t)answer;
    welcome->memory = mtree_get64(said + 4);
    return MTREE_OK;
}
