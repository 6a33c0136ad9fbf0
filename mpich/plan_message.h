/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans on their way from rank 0 to all ranks of a communicator.
 */
#ifndef MTREE_MPICH_PLAN_MESSAGE_H
#define MTREE_MPICH_PLAN_MESSAGE_H

#include "schedule/placement.h"
#include "schedule/plan_part.h"

#include <mpi.h>

/* This rank's part, which is the caller's, of the @a plan that rank 0 gives; NULL: it
 * gives NULL.  Collective over @a comm, whose ranks are placed by @a placement. */
mtree_plan_part_t *mtree_mpich_plan_share(MPI_Comm comm,
                                          const mtree_placement_t *placement,
                                          const mtree_plan_t *plan);

#endif
