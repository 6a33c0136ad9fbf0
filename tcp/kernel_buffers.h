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

/* Where Linux has them. */
#define MTREE_TCP_KERNEL_FOLDER "/proc/sys/net/ipv4"

/* A buffer's bytes per byte of data, with the kernel's bookkeeping. */
#define MTREE_TCP_BUFFER_OVERHEAD 2

/* Bytes that a connection may have under way by the limits in @a folder; infinite: there
 * are none. */
double mtree_tcp_kernel_buffers_most(const char *folder);

#endif
