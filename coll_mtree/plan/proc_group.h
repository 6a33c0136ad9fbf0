/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process groups: the processes of a communicator in the order of their ranks.
 * Communicators of the same processes share one group object, and with it their plans and
 * statistics.
 *
 * A group is found by the hash of its processes' names and confirmed by the names.  It
 * lives until the component closes.
 */
#ifndef COLL_MTREE_PLAN_PROC_GROUP_H
#define COLL_MTREE_PLAN_PROC_GROUP_H

#include "coll_mtree/coll_mtree.h"

#include "base/hash.h"

typedef struct coll_mtree_proc_group {
    mtree_hash_link_t link;
    uint64_t identity; /* hash of the names; the same on all ranks */
    int num_procs;
    opal_process_name_t *names; /* [num_procs] by rank */
    /* coll_mtree/plan/planning_context.c's, on rank 0; NULL: not made yet */
    struct coll_mtree_planning_context *context;
    /* coll_mtree/report/statistics.c's; NULL: no calls yet */
    struct coll_mtree_group *statistics;
} coll_mtree_proc_group_t;

/* The group of the processes of @a comm.  NULL: no memory.  From any thread; the time is
 * linear in the ranks, so callers keep the result. */
coll_mtree_proc_group_t *coll_mtree_proc_group_get(ompi_communicator_t *comm);

/* With the component: free all groups.  What they point to was freed before. */
void coll_mtree_proc_group_close(void);

#endif
