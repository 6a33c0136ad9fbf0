/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files that the user names: a topology and a plan.  Each is read once per process,
 * so an error in it is logged once; both are kept until the end of the job.  One thread
 * at a time may call.
 */
#ifndef COLL_MTREE_TOPOLOGY_USER_FILES_H
#define COLL_MTREE_TOPOLOGY_USER_FILES_H

#include "planner/plan/plan.h"
#include "topo/topology.h"

/* The topology of coll_mtree_topology; NULL, which is logged once, when it cannot be
 * used. */
const mtree_topology_t *coll_mtree_user_files_topology(void);

/* The plan of coll_mtree_plan; NULL when none is given or, which is logged once, when it
 * cannot be used. */
const mtree_plan_t *coll_mtree_user_files_plan(void);

/* No round trip between two hosts takes longer by coll_mtree_topology, seconds; 0: each
 * link is short, or names its ends, or there is no such file. */
double coll_mtree_user_files_trip(void);

/* Free both. */
void coll_mtree_user_files_close(void);

#endif
