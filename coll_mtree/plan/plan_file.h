/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan that the user saved (coll_mtree_plan), for the calls that it is for.
 */
#ifndef COLL_MTREE_PLAN_PLAN_FILE_H
#define COLL_MTREE_PLAN_PLAN_FILE_H

#include "coll_mtree/plan/planning_context.h"

#include "planner/plan/plan.h"

/*
 * The saved plan, with its hosts numbered as in @a vertices of @a topology, when it is
 * for calls of @a call_class, whose root is a host here, between these hosts; the
 * caller's. NULL when there is none.  That its hosts are others is said, once a process.
 */
mtree_plan_t *coll_mtree_plan_file_get(ompi_communicator_t *comm,
                                       const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       const coll_mtree_call_class_t *call_class);

#endif
