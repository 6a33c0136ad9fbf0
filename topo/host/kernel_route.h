/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's routes: the device and gateway through which this host sends to another,
 * as `ip route get` shows them.  No packet is sent.
 */
#ifndef MTREE_TOPO_HOST_KERNEL_ROUTE_H
#define MTREE_TOPO_HOST_KERNEL_ROUTE_H

#include "base/address.h"

typedef struct {
    int device;              /* the kernel's index of it */
    mtree_address_t gateway; /* none: the other host is on the device's network, or behind
                              * a network that forwards invisibly */
} mtree_kernel_route_t;

/* The first hop of packets to @a to.  MTREE_ERR_IO, not logged, when the kernel does not
 * answer. */
mtree_status_t mtree_kernel_route_find(const mtree_address_t *to,
                                       mtree_kernel_route_t *first_hop_p);

#endif
