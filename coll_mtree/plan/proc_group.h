/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process groups: the processes of a communicator in the order of their ranks.
 * Communicators of the same processes share one group object, and with it their plans and
 * statistics.
 *
 * A group is found by the hash of its processes' names and confirmed by the names.  The
 * modules of its communicators hold it.  Of the groups without a holder the last used
 * ones are kept: programs make communicators of the same processes again and again.
 */
#ifndef COLL_MTREE_PLAN_PROC_GROUP_H
#define COLL_MTREE_PLAN_PROC_GROUP_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

#include "base/hash.h"

/* Groups that are kept although no communicator of theirs is left. */
#define COLL_MTREE_IDLE_GROUPS 32

typedef struct coll_mtree_proc_group {
    mtree_hash_link_t link;
    mtree_list_t idle; /* in the list of those without a holder */
    int holders;
    uint64_t identity; /* hash of the names; the same on all ranks */
    int num_procs;
    opal_process_name_t *names;   /* [num_procs] by rank */
    coll_mtree_hosts_t hosts;     /* of the ranks, once the placement is known */
    mtree_placement_t *placement; /* of the ranks; NULL: not needed yet */
    /* coll_mtree/call/agreed.c's, with what frees it; NULL: nothing is agreed on */
    struct coll_mtree_agreed *agreed;
    void (*free_agreed)(struct coll_mtree_agreed *agreed);
    /* coll_mtree/plan/planning_context.c's, on rank 0; NULL: not made yet */
    struct coll_mtree_planning_context *context;
    /* coll_mtree/report/statistics.c's, with what forgets the context; NULL: none */
    struct coll_mtree_group *statistics;
    void (*leave_statistics)(struct coll_mtree_group *statistics);
} coll_mtree_proc_group_t;

/* The group of the processes of @a comm, which the caller holds from now on.
 * From any thread of the program; the time is linear in the ranks. */
coll_mtree_proc_group_t *coll_mtree_proc_group_hold(ompi_communicator_t *comm);

/* Release it; NULL is allowed. */
void coll_mtree_proc_group_release(coll_mtree_proc_group_t *group);

/* The same, held by @a module, whose communicator @a comm is, as long as it lives. */
coll_mtree_proc_group_t *coll_mtree_proc_group_of(mca_coll_mtree_module_t *module,
                                                  ompi_communicator_t *comm);

/* Who runs where, as the processes have published it: the placement of @a module. */
void coll_mtree_proc_group_place(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm);

/* With the component: free all groups. */
void coll_mtree_proc_group_close(void);

#endif
