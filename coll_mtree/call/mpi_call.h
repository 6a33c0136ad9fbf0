/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI's functions, and which backend serves each.
 *
 * This gathers the facts, from the call, its class and the communicator;
 * coll_mtree/call/backend_choice.h decides by them.  coll_mtree/call/dispatch.h follows
 * a call from its beginning to its end.
 */
#ifndef COLL_MTREE_CALL_MPI_CALL_H
#define COLL_MTREE_CALL_MPI_CALL_H

#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/call/comm_class.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/select/autotune.h"

typedef enum { MTREE_BLOCKING, MTREE_NONBLOCKING, MTREE_PERSISTENT } coll_mtree_form_t;

/* Not an error: the fallback is to be called, on every rank. */
#define MTREE_DECLINED 1

/* One call of a function of MPI. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_form_t form;
    coll_mtree_coll_args_t args;
    bool args_taken; /* by a request, which frees them */
    coll_mtree_trial_t trial;
    double watch_began; /* clock; of a blocking call that the fallback serves */
} coll_mtree_mpi_call_t;

/*
 * What serves @a call of @a comm_class; *reason_p is why, where that is the fallback.
 * The call may become part of a trial of the autotuner.  Where no topology is known yet,
 * a blocking call may wait until one is.
 */
coll_mtree_backend_t coll_mtree_mpi_call_choose(coll_mtree_mpi_call_t *call,
                                                coll_mtree_comm_class_t *comm_class,
                                                coll_mtree_fallback_reason_t *reason_p);

/* @a backend serves @a call; if the call keeps its order of additions, later ones of its
 * class may have to stay with that. */
void coll_mtree_mpi_call_note(const coll_mtree_mpi_call_t *call,
                              coll_mtree_comm_class_t *comm_class,
                              coll_mtree_backend_t backend);

/* Does @a call go to the fallback at once, or after a short wait, because its class has
 * no plan yet that all ranks know?  Only calls that the fallback may serve meanwhile do.
 */
bool coll_mtree_mpi_call_is_hurried(const coll_mtree_mpi_call_t *call,
                                    const coll_mtree_comm_class_t *comm_class);

/* Why the fallback serves the blocking @a call, which has waited for a plan. */
coll_mtree_fallback_reason_t
coll_mtree_mpi_call_reason(const coll_mtree_mpi_call_t *call,
                           const coll_mtree_comm_class_t *comm_class);

#endif
