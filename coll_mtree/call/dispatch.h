/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch: the path of a call from MPI to its backend.
 *
 * 1. Open MPI calls coll_mtree_allreduce() or another function of collectives.c.  It
 *    describes the call (coll_mtree/call/coll_args.h) and passes it to
 *    coll_mtree_dispatch().
 * 2. A call that Open MPI itself made is declined at once.  Where only some ranks know
 * the size of the call, all agree on one.
 * 3. A blocking call applies the replanning replies that are due, because all ranks are
 *    at the same point of the order of calls (coll_mtree/call/plan_sequence.h).
 * 4. The call's class is looked up, once, in the communicator's table.  The statistics
 *    record of the class is opened.
 * 5. The class says who serves (coll_mtree/call/server.h).  The first blocking calls
 *    may wait here for a topology (coll_mtree/topology), and for the plan of the class
 *    (coll_mtree/call/plan_entry.h).
 * 6. A request runs the call over the plan (coll_mtree/call/request.h).  A blocking call
 *    waits for the request, the others return it.
 * 7. A declined call returns MTREE_DECLINED to the function of step 1, which calls the
 *    fallback (MTREE_FALLBACK).
 * 8. A blocking call ends with its time, for the statistics.
 */
#ifndef COLL_MTREE_CALL_DISPATCH_H
#define COLL_MTREE_CALL_DISPATCH_H

#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/call/request.h"

typedef enum { MTREE_BLOCKING, MTREE_NONBLOCKING, MTREE_PERSISTENT } coll_mtree_form_t;

/* One call of a function of MPI. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_form_t form;
    const void *returns_to;      /* the code that made it */
    coll_mtree_coll_args_t args; /* a request takes them over, and frees them */
    coll_mtree_count_t count;
} coll_mtree_mpi_call_t;

/* Not an error: the fallback is to be called, on every rank. */
#define MTREE_DECLINED 1

/* A call of @a function, a string that stays, begins; its args are to be set next. */
void coll_mtree_dispatch_init(coll_mtree_mpi_call_t *call, const char *function,
                              coll_mtree_form_t form, ompi_communicator_t *comm,
                              mca_coll_base_module_t *module);

/*
 * Serve @a call, whose args are freed whatever happens: a blocking one to its end; of the
 * others *request_p becomes the request.  Open MPI's code, or MTREE_DECLINED: the
 * fallback is to serve it.  Then its count is to be closed.
 */
int coll_mtree_dispatch(coll_mtree_mpi_call_t *call, ompi_request_t **request_p);

#endif
