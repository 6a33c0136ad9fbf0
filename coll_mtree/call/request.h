/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request: one call that mtree serves, with everything that lives as long as the call.
 * Nonblocking and persistent calls return it to the user.
 *
 * It is counted by its holders: its owner (the user, or the blocking call), and the
 * operation from its start to its end; an arrival-ordered operation until none of its
 * messages is under way.  Either may be released first, since MPI_Request_free may be
 * called while messages are under way.
 */
#ifndef COLL_MTREE_CALL_REQUEST_H
#define COLL_MTREE_CALL_REQUEST_H

#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/call/buffers.h"
#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/tcp/transport.h"
#include "coll_mtree/transport/transport.h"
#include "schedule/operation.h"

#include <stdatomic.h>

typedef struct coll_mtree_request {
    ompi_coll_base_nbc_request_t super; /* Open MPI has fields of its own in it */
    atomic_int holders;
    coll_mtree_deferred_release_t deferred;
    ompi_communicator_t *comm; /* retained, and with it the module */
    mca_coll_mtree_module_t *module;
    coll_mtree_comm_class_t *comm_class; /* the module's */
    coll_mtree_plan_entry_t *entry;      /* held; NULL: it goes over the default plan */
    mtree_list_t waiting;                /* for the plan of the entry */
    void (*pass)(struct coll_mtree_request *req); /* called when it is there */
    coll_mtree_coll_args_t args;
    coll_mtree_windowed_call_t call; /* not of a persistent request, which has tags of
                                        its own */
    int first_tag;
    int slot;                              /* of a persistent request's tags */
    bool blocking;                         /* its owner waits in it */
    coll_mtree_transfer_record_t transfer; /* that its goodput is added to */
    coll_mtree_count_t count;              /* of nonblocking and persistent calls */
    const mtree_placement_t *placement;    /* once the call has begun */
    /* Made once, for `part`: */
    mtree_plan_part_t *part; /* of its plan, a reference; NULL: none yet */
    coll_mtree_buffers_t buffers;
    coll_mtree_transport_t transport;
    coll_mtree_tcp_operation_t tcp;
    bool over_tcp;                  /* `tcp` has begun */
    uint32_t starts;                /* of a persistent request, so far */
    coll_mtree_transport_t control; /* of arrival-ordered operations */
    mtree_layout_t *layout;         /* NULL: arrival-ordered, without goodput */
    mtree_goodput_t *goodput;       /* of the last start */
    size_t scratch;                 /* bytes of receive slots while it runs */
} coll_mtree_request_t;

OBJ_CLASS_DECLARATION(coll_mtree_request_t);

/* When the component is opened. */
void coll_mtree_requests_open(void);

/* A request of the call of @a args, which it takes over, with the entry of @a comm_class,
 * held by its owner.  All ranks call in the same order. */
coll_mtree_request_t *coll_mtree_request_create(mca_coll_mtree_module_t *module,
                                                ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *args,
                                                coll_mtree_comm_class_t *comm_class,
                                                bool persistent);

/* A call that has a number never begins on this rank, or has failed: no call waits for it
 * any more. */
void coll_mtree_calls_break(mca_coll_mtree_module_t *module);

/* Start it; its messages begin when its plan is known.  Never blocks. */
void coll_mtree_request_start(coll_mtree_request_t *req);

/* Release the owner's reference. */
void coll_mtree_request_release(coll_mtree_request_t *req);

#endif
