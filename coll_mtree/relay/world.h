/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coll_mtree_relays world: hosts of MPI_COMM_WORLD relay for the communicators that none
 * of their processes is in.
 *
 * The first process of each host listens when the component is opened, and publishes its
 * address with what the transports publish (the modex).  Rank 0 publishes the secret that
 * all of them share in this job.  With MPI_COMM_WORLD each process reads them, and the
 * relays begin.
 */
#ifndef COLL_MTREE_RELAY_WORLD_H
#define COLL_MTREE_RELAY_WORLD_H

#include "coll_mtree/coll_mtree.h"
#include "relay/greeting.h"
#include "topo/topology.h"

/* When the component is opened.  Does nothing unless the user asks for it. */
void coll_mtree_relay_world_publish(void);

/* With MPI_COMM_WORLD, before there are other communicators. */
void coll_mtree_relay_world_begin(ompi_communicator_t *world);

/* From any thread from then on.  Relay @a i, from 0 on: its vertex in @a topology, -1
 * where that does not have its host, and its address for relay/dialer.h, until the
 * component is closed.  False: there are no more. */
bool coll_mtree_relay_world_get(const mtree_topology_t *topology, int i, int *vertex_p,
                                const char **address_p);

/* Their secret; false: there is none. */
bool coll_mtree_relay_world_secret(mtree_tcp_secret_t *secret);

/* With the component; all processes have left MPI_COMM_WORLD. */
void coll_mtree_relay_world_close(void);

#endif
