/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A socket whose bytes travel in records (tcp/record.h), read and written as if they did
 * not.  Nothing that a record brings is handed out before all of it has been verified.
 */
#ifndef MTREE_TCP_SEALED_H
#define MTREE_TCP_SEALED_H

#include "tcp/record.h"

#include <sys/types.h>

/* The errno after a record that does not open. */
#define MTREE_SEALED_ERRNO EBADMSG

/* The same for people: what the other end has done. */
#define MTREE_SEALED_REASON "what came was changed on the way, or is of another key"

typedef struct mtree_sealed mtree_sealed_t;

/* For a socket that never waits, on which nothing of what @a keys are for has passed;
 * NULL: no memory. */
mtree_sealed_t *mtree_sealed_create(const mtree_record_keys_t *keys);

/* Free, with the keys; NULL is allowed. */
void mtree_sealed_destroy(mtree_sealed_t *sealed);

/*
 * As writev(2), of at most a record at a time: how many bytes the kernel has taken; -1,
 * with errno.  After EAGAIN and EINTR the next call has to be with the same bytes, of
 * which the kernel may have some.
 */
ssize_t mtree_sealed_write(mtree_sealed_t *sealed, int socket, const struct iovec *parts,
                           int count);

/* Bytes of records that the kernel has taken so far. */
uint64_t mtree_sealed_written(const mtree_sealed_t *sealed);

/* As readv(2).  It may bring less than the socket has: only with EAGAIN there is nothing
 * more. */
ssize_t mtree_sealed_read(mtree_sealed_t *sealed, int socket, const struct iovec *parts,
                          int count);

#endif
