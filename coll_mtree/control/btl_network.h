/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a job is about cables, Open MPI's TCP transport keeps to the networks that all
 * hosts share (coll_mtree/control/shared_network.h).
 *
 * It pairs all interfaces of two hosts, also those in networks that the other host is not
 * in, and ends the job where a pair has no route.  It does so at the first message to a
 * host, so there is time until then.
 */
#ifndef COLL_MTREE_CONTROL_BTL_NETWORK_H
#define COLL_MTREE_CONTROL_BTL_NETWORK_H

#include "coll_mtree/coll_mtree.h"

/* When the component is opened: publish this host's addresses. */
void coll_mtree_btl_network_publish(void);

/* Before the first message of MPI_COMM_WORLD, @a world: keep to the shared networks. */
void coll_mtree_btl_network_keep(ompi_communicator_t *world);

#endif
