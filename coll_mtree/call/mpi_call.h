/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI's functions, and who serves each.
 *
 * This gathers the facts, from the call, its class and the communicator;
 * coll_mtree/call/server.h decides by them.  coll_mtree/call/dispatch.h follows a call
 * from its beginning to its end.
 */
#ifndef COLL_MTREE_CALL_MPI_CALL_H
#define COLL_MTREE_CALL_MPI_CALL_H

#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/call/request.h"

typedef enum { MTREE_BLOCKING, MTREE_NONBLOCKING, MTREE_PERSISTENT } coll_mtree_form_t;

/* One call of a function of MPI. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_form_t form;
    const void *returns_to; /* the code that made it */
    coll_mtree_coll_args_t args; /* a request takes them over, and frees them */
    coll_mtree_count_t count;
} coll_mtree_mpi_call_t;

/*
 * Who serves @a call of @a comm_class; *reason_p is why, where that is the fallback.  A
 * blocking call, and the making of a persistent request, waits for the plan of its class,
 * and may wait for a topology.  Open MPI's code.
 */
int coll_mtree_mpi_call_choose(const coll_mtree_mpi_call_t *call,
                               coll_mtree_comm_class_t *comm_class,
                               coll_mtree_backend_t *backend_p,
                               coll_mtree_fallback_reason_t *reason_p);

/* @a backend serves @a call; if the call keeps its order, later ones of its class may
 * have to stay with that. */
void coll_mtree_mpi_call_note(const coll_mtree_mpi_call_t *call,
                              coll_mtree_comm_class_t *comm_class,
                              coll_mtree_backend_t backend);

#endif
