/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning by calls that never wait: the nonblocking calls of a plan entry, or the
 * starts of one persistent request.
 *
 * A query begins at a numbered call.  Its reply, a new plan of the class or nothing,
 * applies from the second call after that: this call and those behind it wait in the
 * sequence's gate until the reply is there, while their callers go on.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_NONBLOCKING_H
#define COLL_MTREE_ADAPT_REPLAN_NONBLOCKING_H

#include "coll_mtree/adapt/replan.h"

/* Tags of the queries of a persistent request, some of which may run at once: the start
 * at which a reply is due does not end before the reply is there. */
#define COLL_MTREE_QUERY_TAGS                                                            \
    ((COLL_MTREE_REPLAN_PATIENCE + 2) * COLL_MTREE_EXCHANGE_TAGS)

typedef struct coll_mtree_replan_nonblocking {
    coll_mtree_replan_t super;
    coll_mtree_call_class_t call_class;
    bool is_monitored;
    int first_tag;    /* of a persistent request's queries; 0: each reserves its own */
    long num_queries; /* so far */
    mtree_plan_part_t
        *part;      /* of the plan for what passes the gate; NULL: none was made */
    int status;     /* Open MPI's code for what passes the gate */
    bool warmed_up; /* a call has gone over the plan */
} coll_mtree_replan_nonblocking_t;

/* The sequence of calls of @a call_class, or of the starts of a persistent request, whose
 * queries have COLL_MTREE_QUERY_TAGS from @a first_tag on (0: calls, whose queries
 * reserve tags of their own). */
void coll_mtree_replan_nonblocking_init(coll_mtree_replan_nonblocking_t *self,
                                        mca_coll_mtree_module_t *module,
                                        ompi_communicator_t *comm,
                                        const coll_mtree_call_class_t *call_class,
                                        int first_tag);

/* Free what it holds.  No query runs, since each holds the owner. */
void coll_mtree_replan_nonblocking_cleanup(coll_mtree_replan_nonblocking_t *self);

/* The @a part of the first plan is there (NULL: there is none), on rank 0 for @a version
 * of the network: let calls pass. */
void coll_mtree_replan_nonblocking_settle(coll_mtree_replan_nonblocking_t *self,
                                          const mtree_plan_part_t *part,
                                          unsigned version);

/* The next call, of @a bytes, is about to join the gate. */
void coll_mtree_replan_nonblocking_count(coll_mtree_replan_nonblocking_t *self,
                                         double bytes);

#endif
