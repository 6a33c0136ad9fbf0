/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch: the path of a call from MPI to its backend.
 *
 * 1. Open MPI calls coll_mtree_allreduce() or another function that MTREE_DEFINE_FORMS
 *    defines.  It describes the call (coll_mtree/call/coll_args.h) and passes it to
 *    coll_mtree_dispatch().
 * 2. A call that mtree does not serve is declined at once: the operation, the datatype or
 *    the size does not allow it, or Open MPI itself made it.
 * 3. Where only some ranks know the size of the call, all agree on one
 *    (coll_mtree/call/agreed_size.h).  A blocking call applies the replanning replies
 * that are due, because all ranks are at the same point of the order of calls
 * (coll_mtree/adapt).
 * 4. The call's class is looked up, once, in the communicator's table
 *    (coll_mtree/call/comm_class.h).  The statistics record of the class is opened.
 * 5. The backend is chosen from what is the same on all ranks
 *    (coll_mtree/call/mpi_call.h): trees, ring, fallback, or another algorithm of
 *    Open MPI, perhaps by the class's autotuner (coll_mtree/select).  The first blocking
 *    calls may wait here for a topology (coll_mtree/topology).
 * 6. For trees and ring, the class's plan entry is found or made
 *    (coll_mtree/call/plan_entry.h), and a request runs the call over its plan
 *    (coll_mtree/call/request.h).  A blocking call waits for the request, the others
 *    return it.
 * 7. A declined call returns MTREE_DECLINED to the function of step 1, which calls the
 *    fallback (MTREE_FALLBACK) or the chosen algorithm of Open MPI.
 * 8. A blocking call ends with its time: for the autotuner, where the call was part of a
 *    trial, and for the statistics.
 */
#ifndef COLL_MTREE_CALL_DISPATCH_H
#define COLL_MTREE_CALL_DISPATCH_H

#include "coll_mtree/call/mpi_call.h"
#include "coll_mtree/select/base_algorithms.h"

/* A call of @a function, a string that stays, begins; its args are to be set next. */
void coll_mtree_dispatch_init(coll_mtree_mpi_call_t *call, const char *function,
                              coll_mtree_form_t form, ompi_communicator_t *comm,
                              mca_coll_base_module_t *module);

/*
 * Serve @a call, whose args are freed whatever happens: a blocking one to its end; of the
 * others *request_p becomes the request.  Open MPI's code, or MTREE_DECLINED; a blocking
 * call that is declined goes to the base algorithm of its trial, or to the fallback, and
 * then to coll_mtree_dispatch_end().
 */
int coll_mtree_dispatch(coll_mtree_mpi_call_t *call, ompi_request_t **request_p);

/* Open MPI served the blocking @a call, which was declined, with @a code; returns that.
 */
int coll_mtree_dispatch_end(coll_mtree_mpi_call_t *call, int code);

/* Count a call that Open MPI serves. */
void coll_mtree_dispatch_declined(coll_mtree_count_t *count, coll_mtree_backend_t backend,
                                  coll_mtree_fallback_reason_t reason);

/* The blocking function of a collective, from its NAME_args(), which sets what the call
 * asks for; then the nonblocking and the persistent one. */
#define MTREE_DEFINE_BLOCKING(_name)                                                     \
    int coll_mtree_##_name(MTREE_PARAMETERS_##_name, mca_coll_base_module_t *base)       \
    {                                                                                    \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        coll_mtree_dispatch_init(&call, #_name, MTREE_BLOCKING, comm, base);             \
        _name##_args(&call.args, MTREE_ARGUMENTS_##_name);                               \
        rc = coll_mtree_dispatch(&call, NULL);                                           \
        return rc != MTREE_DECLINED                                                      \
                   ? rc                                                                  \
                   : coll_mtree_dispatch_end(&call,                                      \
                                             coll_mtree_base_algorithm_##_name(          \
                                                 call.trial.base_algorithm,              \
                                                 MTREE_ARGUMENTS_##_name, call.module)); \
    }

#define MTREE_DEFINE_NONBLOCKING(_name)                                                  \
    int coll_mtree_i##_name(MTREE_PARAMETERS_##_name, ompi_request_t **request,          \
                            mca_coll_base_module_t *base)                                \
    {                                                                                    \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        coll_mtree_dispatch_init(&call, #_name, MTREE_NONBLOCKING, comm, base);          \
        _name##_args(&call.args, MTREE_ARGUMENTS_##_name);                               \
        rc = coll_mtree_dispatch(&call, request);                                        \
        return rc != MTREE_DECLINED ? rc                                                 \
                                    : MTREE_FALLBACK(call.module, i##_name,              \
                                                     MTREE_ARGUMENTS_##_name, request);  \
    }

#define MTREE_DEFINE_PERSISTENT(_name)                                                   \
    int coll_mtree_##_name##_init(MTREE_PARAMETERS_##_name, struct ompi_info_t *info,    \
                                  ompi_request_t **request,                              \
                                  mca_coll_base_module_t *base)                          \
    {                                                                                    \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        coll_mtree_dispatch_init(&call, #_name, MTREE_PERSISTENT, comm, base);           \
        _name##_args(&call.args, MTREE_ARGUMENTS_##_name);                               \
        rc = coll_mtree_dispatch(&call, request);                                        \
        return rc != MTREE_DECLINED                                                      \
                   ? rc                                                                  \
                   : MTREE_FALLBACK(call.module, _name##_init, MTREE_ARGUMENTS_##_name,  \
                                    info, request);                                      \
    }

#define MTREE_DEFINE_FORMS(_name)                                                        \
    MTREE_DEFINE_BLOCKING(_name)                                                         \
    MTREE_DEFINE_NONBLOCKING(_name)                                                      \
    MTREE_DEFINE_PERSISTENT(_name)

#endif
