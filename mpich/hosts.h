/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts of a communicator's ranks in the topology that MTREE_TOPOLOGY names.
 */
#ifndef MTREE_MPICH_HOSTS_H
#define MTREE_MPICH_HOSTS_H

#include "topo/topology.h"

#include <mpi.h>

/*
 * The number of hosts of @a comm, and of each rank's host from 0 on in @a host [ranks].
 * On rank 0, also their vertices in @a vertices, which has room for as many as there are
 * ranks.  Less than two: MPICH serves the communicator; rank 0 has logged why, where that
 * is a mistake.  Collective.
 */
int mtree_mpich_hosts_find(MPI_Comm comm, int *host, int *vertices);

/* The topology, on a rank 0 that has found hosts in it. */
const mtree_topology_t *mtree_mpich_hosts_topology(void);

#endif
