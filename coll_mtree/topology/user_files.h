/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that the user names: topology and plan.  Each is read once a process, so what is
 * wrong with it is said once; both are kept until the end of the job.  Callers see to it
 * that one thread at a time comes here.
 */
#ifndef COLL_MTREE_TOPOLOGY_USER_FILES_H
#define COLL_MTREE_TOPOLOGY_USER_FILES_H

#include "planner/plan/plan.h"
#include "topo/topology.h"

/* The topology of coll_mtree_topology; NULL, having said why once, when it cannot be
 * used. */
const mtree_topology_t *coll_mtree_user_files_topology(void);

/* The plan of coll_mtree_plan; NULL when none is given or, having said why once, when it
 * cannot be used. */
const mtree_plan_t *coll_mtree_user_files_plan(void);

/* Free both. */
void coll_mtree_user_files_close(void);

#endif
