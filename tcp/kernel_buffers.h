/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's limits of TCP buffers.
 *
 * What a connection has under way is held at both its ends, so it carries at most that
 * per round trip.  Linux sizes these buffers itself, up to a limit, and takes half of
 * each for its own bookkeeping.
 */
#ifndef MTREE_TCP_KERNEL_BUFFERS_H
#define MTREE_TCP_KERNEL_BUFFERS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Where Linux has them. */
#define MTREE_TCP_KERNEL_FOLDER "/proc/sys/net/ipv4"

/* Bytes: at least, at first, at most. */
typedef struct {
    unsigned long send[3], receive[3];
} mtree_tcp_kernel_buffers_t;

/* MTREE_ERR_IO: @a folder has none.  Nothing is logged. */
mtree_status_t mtree_tcp_kernel_buffers_read(const char *folder,
                                             mtree_tcp_kernel_buffers_t *buffers);

/* Write the command that lets a connection have @a bytes under way; false: it may by now,
 * or the command has more than @a size bytes. */
bool mtree_tcp_kernel_buffers_command(const mtree_tcp_kernel_buffers_t *buffers,
                                      double bytes, char *command, size_t size);

#endif
