/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packets on the wire that one large segment of the kernel stands for (segmentation
 * offload), so that the relay can lose one of them.
 *
 * A packet here begins with a struct virtio_net_hdr, as packet sockets with
 * PACKET_VNET_HDR give it, then Ethernet's header.
 */
#ifndef MTREE_TOOLS_NETLAB_SEGMENTS_H
#define MTREE_TOOLS_NETLAB_SEGMENTS_H

#include <stddef.h>

/* How many packets @a packet of @a length bytes stands for: 1 unless it is a large
 * segment of TCP over IPv4. */
int netlab_segments_count(const char *packet, size_t length);

/*
 * Write packets @a first to @a first + @a count - 1 of @a packet to @a out, as one large
 * segment again.  Returns its length, which is at most @a length.  @a packet is not the
 * same memory.
 */
size_t netlab_segments_cut(const char *packet, size_t length, int first, int count,
                           char *out);

#endif
