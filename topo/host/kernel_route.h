/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First hops: through which device and gateway this host sends to another, as the
 * kernel's own tables say (what `ip route get` asks), without a packet.
 */
#ifndef MTREE_TOPO_HOST_KERNEL_ROUTE_H
#define MTREE_TOPO_HOST_KERNEL_ROUTE_H

#include "base/address.h"

typedef struct {
    int device;              /* the kernel's index of it */
    mtree_address_t gateway; /* none: what the device leads to is the other host itself,
                              * or a network that forwards without being seen */
} mtree_kernel_route_t;

/* Where packets to @a to go first.  MTREE_ERR_IO without a message when the kernel does
 * not say. */
mtree_status_t mtree_kernel_route_find(const mtree_address_t *to,
                                       mtree_kernel_route_t *first_hop_p);

#endif
