/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run: one call that mtree serves, with all that lives as long as it does; to the user
 * it is the request.
 *
 * Two hold it: its owner (the request's holder, or the blocking call) and, from start to
 * end, the operation that runs; one by arrival does so until nothing is under way. Either
 * may let go first: MPI_Request_free may come while messages are under way.
 */
#ifndef COLL_MTREE_CALL_REQUEST_H
#define COLL_MTREE_CALL_REQUEST_H

#include "coll_mtree/adapt/replan_nonblocking.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/call/buffers.h"
#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/transport/transport.h"

#include <stdatomic.h>

typedef struct coll_mtree_request {
    ompi_coll_base_nbc_request_t super;      /* Open MPI keeps things of its own in it */
    ompi_communicator_t *comm;               /* retained, and with it the module */
    coll_mtree_plan_entry_t *entry;          /* the communicator's */
    coll_mtree_replan_nonblocking_t *replan; /* the plan entry's, or its own */
    coll_mtree_waiter_t waiter;              /* in its queue */
    coll_mtree_replan_nonblocking_t own;     /* of persistent requests: of its starts */
    bool started;                            /* the same: once at least */
    coll_mtree_coll_args_t args;
    coll_mtree_buffers_t data;
    coll_mtree_transport_t transport;
    coll_mtree_transport_t control;        /* of runs by arrival */
    coll_mtree_transfer_record_t transfer; /* whose goodput this is */
    coll_mtree_count_t count;              /* of nonblocking and persistent calls */
    size_t scratch;                        /* bytes of receive slots while it runs */
    int first_tag;
    bool blocking;      /* who made it waits in it */
    bool ring;          /* around the agreement's ring, not over its trees */
    mtree_plan_t *plan; /* that it is prepared for, a reference; NULL: none yet */
    bool by_arrival;    /* then there is no layout */
    mtree_layout_t *layout;
    mtree_goodput_t *goodput; /* of the last start; NULL: by arrival */
    double *came; /* by arrival, as in schedule/arrival/arrival.h; NULL: not wanted */
    double began; /* clock of the last start by arrival */
    atomic_int holders;
    coll_mtree_deferred_release_t deferred;
} coll_mtree_request_t;

OBJ_CLASS_DECLARATION(coll_mtree_request_t);

/*
 * A run of @a args, which is taken over even on failure, with the owner as its holder.
 * NULL: no memory.
 */
coll_mtree_request_t *coll_mtree_request_create(ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *args,
                                                coll_mtree_plan_entry_t *entry,
                                                int first_tag, bool persistent);

/* @a req is a persistent request that was just made for calls of @a call_class: its
 * starts are a replan sequence of their own.  All ranks call in the same order. */
void coll_mtree_request_replan(coll_mtree_request_t *req, mca_coll_mtree_module_t *module,
                               const coll_mtree_call_class_t *call_class);

/* Start it: at once when its plan is there, else when it comes.  Never blocks.  Open
 * MPI's code. */
int coll_mtree_request_start(coll_mtree_request_t *req);

/* Wait for the end; Open MPI's code of how it ended. */
int coll_mtree_request_wait(coll_mtree_request_t *req);

/* The owner lets go. */
void coll_mtree_request_release(coll_mtree_request_t *req);

#endif
