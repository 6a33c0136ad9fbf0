/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/sealed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Records that are read at a time, at most. */
#define RECORDS 4

/* Parts that a write may have. */
#define MOST_PARTS 2

struct mtree_sealed {
    mtree_record_flow_t out, in;
    uint64_t written;
    size_t out_plain;            /* bytes of the caller's in `record` */
    size_t out_length, out_sent; /* bytes of `record`, and those the kernel has */
    size_t in_at, in_count;      /* bytes of `read` that were opened; all */
    size_t plain_length, plain_at;
    unsigned char record[MTREE_RECORD_LONGEST];
    unsigned char read[RECORDS * MTREE_RECORD_LONGEST];
    unsigned char plain[MTREE_RECORD_BYTES]; /* of the last record */
};

mtree_sealed_t *mtree_sealed_create(const mtree_record_keys_t *keys)
{
    mtree_sealed_t *sealed = malloc(sizeof(*sealed));

    if (sealed == NULL) {
        return NULL;
    }
    memset(sealed, 0, offsetof(mtree_sealed_t, record));
    if (mtree_record_flow_init(&sealed->out, &keys->send, true) != MTREE_OK ||
        mtree_record_flow_init(&sealed->in, &keys->receive, false) != MTREE_OK) {
        mtree_sealed_destroy(sealed);
        return NULL;
    }
    return sealed;
}

void mtree_sealed_destroy(mtree_sealed_t *sealed)
{
    if (sealed != NULL) {
        mtree_record_flow_cleanup(&sealed->out);
        mtree_record_flow_cleanup(&sealed->in);
        free(sealed);
    }
}

/* Make a record of the first bytes of @a parts; false: libcrypto has failed. */
static bool seal_next(mtree_sealed_t *sealed, const struct iovec *parts, int count)
{
    struct iovec taken[MOST_PARTS];
    size_t room = MTREE_RECORD_BYTES;

    for (int i = 0; i < count; i++) {
        taken[i] = parts[i];
        taken[i].iov_len = parts[i].iov_len < room ? parts[i].iov_len : room;
        room -= taken[i].iov_len;
    }
    sealed->out_plain = MTREE_RECORD_BYTES - room;
    sealed->out_sent = 0;
    sealed->out_length = mtree_record_seal(&sealed->out, taken, count, sealed->record);
    return sealed->out_length > 0;
}

ssize_t mtree_sealed_write(mtree_sealed_t *sealed, int socket, const struct iovec *parts,
                           int count)
{
    if (sealed->out_length == 0 && !seal_next(sealed, parts, count)) {
        errno = EIO;
        return -1;
    }
    while (sealed->out_sent < sealed->out_length) {
        ssize_t sent = send(socket, sealed->record + sealed->out_sent,
                            sealed->out_length - sealed->out_sent, MSG_NOSIGNAL);

        if (sent < 0) {
            return -1;
        }
        sealed->out_sent += (size_t)sent;
        sealed->written += (size_t)sent;
    }
    sealed->out_length = 0;
    return (ssize_t)sealed->out_plain;
}

uint64_t mtree_sealed_written(const mtree_sealed_t *sealed)
{
    return sealed->written;
}

/* Open the next record that is complete; as mtree_record_open(). */
static int open_next(mtree_sealed_t *sealed)
{
    size_t taken;
    int opened = mtree_record_open(&sealed->in, sealed->read + sealed->in_at,
                                   sealed->in_count - sealed->in_at, sealed->plain,
                                   &sealed->plain_length, &taken);

    sealed->plain_at = 0;
    if (opened <= 0) {
        sealed->plain_length = 0;
        return opened;
    }
    sealed->in_at += taken;
    return 1;
}

/* Have the next record in `plain`: 1, as read(2) otherwise. */
static ssize_t fetch(mtree_sealed_t *sealed, int socket)
{
    int opened;

    while ((opened = open_next(sealed)) == 0) {
        ssize_t count;

        sealed->in_count -= sealed->in_at;
        memmove(sealed->read, sealed->read + sealed->in_at, sealed->in_count);
        sealed->in_at = 0;
        count = recv(socket, sealed->read + sealed->in_count,
                     sizeof(sealed->read) - sealed->in_count, 0);
        if (count <= 0) {
            return count;
        }
        sealed->in_count += (size_t)count;
    }
    if (opened < 0) {
        errno = MTREE_SEALED_ERRNO;
    }
    return opened;
}

ssize_t mtree_sealed_read(mtree_sealed_t *sealed, int socket, const struct iovec *parts,
                          int count)
{
    size_t total = 0;

    if (sealed->plain_at == sealed->plain_length) {
        ssize_t fetched = fetch(sealed, socket);

        if (fetched <= 0) {
            return fetched;
        }
    }
    for (int i = 0; i < count; i++) {
        size_t left = sealed->plain_length - sealed->plain_at;
        size_t length = parts[i].iov_len < left ? parts[i].iov_len : left;

        memcpy(parts[i].iov_base, sealed->plain + sealed->plain_at, length);
        sealed->plain_at += length;
        total += length;
    }
    return (ssize_t)total;
}
