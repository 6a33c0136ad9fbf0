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

#include <stdbool.h>
#include <stddef.h>

/* Where Linux has them. */
#define MTREE_TCP_KERNEL_FOLDER "/proc/sys/net/ipv4"

/* Write the command that lets a connection have @a bytes under way, by the limits in @a
 * folder; false: it may by now, the kernel does not say, or the command has more than @a
 * size bytes.  Nothing is logged. */
bool mtree_tcp_kernel_buffers_command(const char *folder, double bytes, char *command,
                                      size_t size);

#endif
