/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pursuits: following a network by calls that never wait.
 *
 * A pursuit is of calls that come in the same order on every rank: the nonblocking ones
 * that share an agreement, or the starts of one persistent request.  Each has its number
 * in that order, the same on all ranks.  When enough has been moved the ranks begin a
 * talk at one of these numbers, in which they tell rank 0 what their gauges say
 * (coll_mtree/adapt/bandwidth_monitor.h), and which brings back another plan or nothing.
 * The answer counts from the second call after that on, on every rank: that call and
 * those behind it wait in the pursuit's queue until it is there, while their callers go
 * on.
 *
 * This cannot hang a program that is right without it: all that such a call waits for is
 * that every rank makes an earlier one, and the end of a collective may depend on that.
 * docs/replan.md has the rules.
 */
#ifndef COLL_MTREE_ADAPT_PURSUIT_H
#define COLL_MTREE_ADAPT_PURSUIT_H

#include "coll_mtree/base/ordered_gate.h"
#include "coll_mtree/plan/planning_context.h"

#include <stdatomic.h>

typedef struct coll_mtree_pursuit coll_mtree_pursuit_t;
typedef struct coll_mtree_inquiry coll_mtree_inquiry_t;

struct coll_mtree_pursuit {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_call_class_t call_class;
    /* A talk is under way, which holds the owner of this: the owner's. */
    void (*retain)(coll_mtree_pursuit_t *pursuit);
    void (*release)(coll_mtree_pursuit_t *pursuit);
    bool is_followed;
    int first_tag; /* of a persistent request's talks; 0: each takes others */
    coll_mtree_ordered_gate_t gate; /* of calls, and of answers when they are due */
    coll_mtree_waiter_t plan_gate;  /* the first in it: there is no plan yet */
    atomic_bool settled;
    const mtree_plan_t *plan; /* for what passes the queue; NULL: none could be made */
    int status;               /* Open MPI's code */
    bool warm;                /* a call has gone over its plan */
    double moved;             /* bytes since the last talk began: the same on all ranks */
    long calls, exchanges;    /* so far; the same */
    coll_mtree_inquiry_t *inquiries; /* all there are */
    coll_mtree_inquiry_t *first;     /* the one that is to be opened with the gate */
    coll_mtree_inquiry_t *latest;    /* the one that began last */
    unsigned version;           /* on rank 0: of the network that it was planned for */
    const mtree_plan_t *newest; /* the last that came, perhaps not in force yet */
    coll_mtree_pursuit_t *next; /* that waits for the same agreement */
};

/*
 * The pursuit of calls of @a call_class, or of the starts of a @a persistent request, for
 * which it takes tags: all ranks call in the same order.  `retain` and `release` are to
 * be set.
 */
void coll_mtree_pursuit_init(coll_mtree_pursuit_t *pursuit,
                             mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                             const coll_mtree_call_class_t *call_class, bool persistent);

/* Free what it holds; no talk is under way, since each holds the communicator. */
void coll_mtree_pursuit_cleanup(coll_mtree_pursuit_t *pursuit);

/* The first @a plan is there, which outlives the pursuit (NULL: there is none), on rank 0
 * for @a version of the network: let calls pass. */
void coll_mtree_pursuit_settle(coll_mtree_pursuit_t *pursuit, const mtree_plan_t *plan,
                               unsigned version);

/* The next nonblocking call of @a bytes, or the next start, is about to wait.  Open MPI's
 * code. */
int coll_mtree_pursuit_count(coll_mtree_pursuit_t *pursuit, double bytes);

#endif
