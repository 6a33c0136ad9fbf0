/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host of a rank, as the rank describes it to all others: each process publishes it
 * (coll_mtree/control/modex.h), so that no message tells who runs where.
 */
#ifndef COLL_MTREE_CONTROL_HOST_H
#define COLL_MTREE_CONTROL_HOST_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/control/local_rank.h"

#include "base/address.h"
#include "topo/host/locality.h"

/* Bytes that a host's name takes. */
#define COLL_MTREE_NAME_LENGTH 256

#define COLL_MTREE_HOST_ADDRESSES 4

/* Published as it is: all processes of a communicator store numbers in the same way. */
typedef struct {
    char name[COLL_MTREE_NAME_LENGTH];
    double speed; /* of its fastest interface, by the system, bits/s; 0: not known */
    /* Of the interfaces that Open MPI's TCP transport uses, IPv4 first; then none. */
    mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES];
    mtree_locality_t locality; /* of the rank on the host */
    int near_fabric; /* in place of `near`, where messages go over a fabric; -1: the host
                        has none */
} coll_mtree_host_t;

/* The hosts of the ranks of a communicator. */
typedef struct {
    coll_mtree_host_numbers_t numbers;
    coll_mtree_host_t *list; /* [numbers.num_hosts] by the first rank of each */
} coll_mtree_hosts_t;

/* What carries messages to other hosts: "tcp", whose interfaces the addresses and the
 * speed are of, or the name of Open MPI's PML, of whose network they say nothing. */
const char *coll_mtree_host_fabric(void);

/* What is known from MPI_Init's beginning on: the addresses of this process's host and
 * their speed as above, and the process's local rank. */
double coll_mtree_host_addresses(mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES]);
coll_mtree_local_rank_t coll_mtree_host_local_rank(void);

/* This process's host, when the component is opened. */
void coll_mtree_host_describe(coll_mtree_host_t *host);

/* Where the rank is that has described @a host, by the network that carries messages. */
mtree_locality_t coll_mtree_host_locality(const coll_mtree_host_t *host);

/* Log where the ranks of a host are, for the first host on which they differ. */
void coll_mtree_host_log_places(ompi_communicator_t *comm,
                                const mtree_placement_t *placement);

#endif
