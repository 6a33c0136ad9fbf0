/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/secret.h"

#include "base/log.h"
#include "tcp/crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that a MAC is of, at most, with the name of who makes it. */
#define MOST_BYTES 256

void mtree_relay_mac(const mtree_relay_key_t *key, const char *who, const void *bytes,
                     size_t length, unsigned char result[MTREE_RELAY_KEY])
{
    unsigned char text[MOST_BYTES];
    size_t prefix = strlen(who) + 1; /* its NUL keeps it apart from what follows */

    if (prefix + length > sizeof(text)) {
        length = sizeof(text) - prefix;
    }
    memcpy(text, who, prefix);
    memcpy(text + prefix, bytes, length);
    mtree_crypto_code(key->bytes, sizeof(key->bytes), text, prefix + length, result);
}

void mtree_relay_job_key(const mtree_relay_key_t *secret, const mtree_relay_job_id_t *id,
                         mtree_relay_key_t *key)
{
    mtree_relay_mac(secret, "job", id->bytes, sizeof(id->bytes), key->bytes);
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
