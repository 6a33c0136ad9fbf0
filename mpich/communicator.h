/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree keeps of a communicator of MPICH's: the hosts of its ranks, its plans, and a
 * copy of it for messages.
 *
 * Rank 0 reads the topology that MTREE_TOPOLOGY names and plans, in the first call of
 * each kind; the others wait for their parts.  So the functions here are collective.
 */
#ifndef MTREE_MPICH_COMMUNICATOR_H
#define MTREE_MPICH_COMMUNICATOR_H

#include "mpich/transport.h"

#include "coll_mtree/base/class_table.h"
#include "schedule/call.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"

typedef struct {
    MPI_Comm comm; /* the copy; MPI_COMM_NULL: MPICH serves all calls */
    int rank, num_ranks;
    mtree_placement_t *placement;
    int *vertices; /* [hosts] rank 0: in the topology */
    coll_mtree_class_table_t plans;
    mtree_mpich_transport_t transport;
} mtree_mpich_communicator_t;

/*
 * What is kept of @a comm, until it is freed.  NULL: MPICH serves its calls; rank 0 has
 * logged why, where that is a mistake.
 */
mtree_mpich_communicator_t *mtree_mpich_communicator_find(MPI_Comm comm);

/* This rank's part of the plan for calls like @a call; NULL: MPICH serves them.  It stays
 * the communicator's. */
const mtree_plan_part_t *mtree_mpich_communicator_part(mtree_mpich_communicator_t *own,
                                                       const mtree_call_t *call);

#endif
