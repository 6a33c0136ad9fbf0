/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces of this host are in networks that all hosts of the job share, where
 * others, such as cables, lead to some of them alone.
 */
#ifndef COLL_MTREE_CONTROL_SHARED_NETWORK_H
#define COLL_MTREE_CONTROL_SHARED_NETWORK_H

#include "topo/host/interface.h"

#include <stddef.h>

/* At first this host's interfaces, with zeros. */
typedef struct {
    mtree_interface_t own[MTREE_HOST_INTERFACES]; /* [count] */
    bool
        is_apart[MTREE_HOST_INTERFACES]; /* a process met has no address in its network */
    int count;
} coll_mtree_shared_networks_t;

/* Meet a process whose host has @a addresses [num]. */
void coll_mtree_shared_networks_meet(coll_mtree_shared_networks_t *networks,
                                     const mtree_address_t *addresses, int num);

/* Write the names of the interfaces in shared networks into @a names, with commas between
 * them; false: all interfaces are, or none is, or not the first one, from which Open MPI
 * connects, or they do not fit. */
bool coll_mtree_shared_networks_name(const coll_mtree_shared_networks_t *networks,
                                     char *names, size_t size);

#endif
