/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank tells rank 0 about the host that it runs on.
 */
#ifndef COLL_MTREE_CONTROL_HOST_H
#define COLL_MTREE_CONTROL_HOST_H

#include "base/address.h"
#include "topo/host/locality.h"

/* Bytes that a host's name takes. */
#define COLL_MTREE_NAME_LENGTH 256

#define COLL_MTREE_HOST_ADDRESSES 4

/* Sent as it is: all processes of a communicator keep numbers alike. */
typedef struct {
    char name[COLL_MTREE_NAME_LENGTH];
    double speed;    /* of its fastest interface by the system, bits/s; 0: not known */
    int is_replaced; /* coll_mtree_hosts gives the name: it is not where it says */
    /* Of the interfaces that Open MPI's TCP transport uses, IPv4 first; the rest none. */
    mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES];
    mtree_locality_t locality; /* of the rank in it */
} coll_mtree_host_t;

/* This process's host. */
void coll_mtree_host_describe(coll_mtree_host_t *host);

#endif
