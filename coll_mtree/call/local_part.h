/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of plans that each rank makes by itself, without a message from rank 0.  They
 * are the caller's.
 */
#ifndef COLL_MTREE_CALL_LOCAL_PART_H
#define COLL_MTREE_CALL_LOCAL_PART_H

#include "coll_mtree/call/default_plan.h"

#include "schedule/plan_part.h"

/* The part of @a host of a ring of all hosts.  MTREE_ERR_NO_MEMORY, or the error of
 * mtree_ring_create(). */
mtree_status_t coll_mtree_ring_part_create(mtree_collective_t collective, int host,
                                           int num_hosts, mtree_plan_part_t **part_p);

/* The part of @a rank of the default plan, with rank @a root where the collective has
 * one.  MTREE_ERR_NO_MEMORY. */
mtree_status_t coll_mtree_default_part_create(mtree_collective_t collective, int root,
                                              int rank, int num_ranks,
                                              mtree_plan_part_t **part_p);

#endif
