/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serving: whether mtree takes a call, and the three ways in which it can be made.
 */
#ifndef COLL_MTREE_CALL_DISPATCH_H
#define COLL_MTREE_CALL_DISPATCH_H

#include "coll_mtree/call/coll_args.h"
#include "coll_mtree/select/autotune.h"
#include "coll_mtree/select/base_algorithms.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/transport/transport.h"

#include "base/clock.h"

typedef enum { MTREE_BLOCKING, MTREE_NONBLOCKING, MTREE_PERSISTENT } coll_mtree_form_t;

/* Not an error: the fallback is to be called, on every rank. */
#define MTREE_DECLINED 1

/*
 * Serve @a args, which is taken over, in whatever way it ends: blocking, to its end;
 * nonblocking and persistent, *request_p is the request.  A blocking call's @a trial is
 * to be ended when it has been made; the others' is of no use then.  Besides Open MPI's
 * codes it returns MTREE_DECLINED.
 */
int coll_mtree_dispatch(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        coll_mtree_coll_args_t *args, coll_mtree_form_t form,
                        coll_mtree_trial_t *trial, ompi_request_t **request_p);

/* A call is not mtree's: for the statistics. */
void coll_mtree_dispatch_declined(coll_mtree_count_t *count, coll_mtree_backend_t backend,
                                  coll_mtree_fallback_reason_t reason);

/* The three functions of a collective, from its NAME_task(), which tells what a call asks
 * for. */
#define MTREE_DEFINE_FORMS(_name)                                                        \
    static int _name##_dispatch(MTREE_PARAMETERS_##_name, mca_coll_base_module_t *base,  \
                                coll_mtree_form_t form, coll_mtree_trial_t *trial,       \
                                ompi_request_t **request)                                \
    {                                                                                    \
        coll_mtree_coll_args_t args = {.function = #_name,                               \
                                       .verdict = MTREE_COLL_ARGS_DECLINED};             \
                                                                                         \
        _name##_args(&args, MTREE_ARGUMENTS_##_name);                                    \
        return coll_mtree_dispatch((mca_coll_mtree_module_t *)base, comm, &args, form,   \
                                   trial, request);                                      \
    }                                                                                    \
                                                                                         \
    int coll_mtree_##_name(MTREE_PARAMETERS_##_name, mca_coll_base_module_t *base)       \
    {                                                                                    \
        mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;               \
        coll_mtree_trial_t trial = {.count = {.began = mtree_clock_seconds()}};          \
        int rc = _name##_dispatch(MTREE_ARGUMENTS_##_name, base, MTREE_BLOCKING, &trial, \
                                  NULL);                                                 \
        double began;                                                                    \
                                                                                         \
        if (rc == MTREE_DECLINED) {                                                      \
            began = coll_mtree_source_watch(module);                                     \
            rc = coll_mtree_base_algorithm_##_name(trial.base_algorithm,                 \
                                                   MTREE_ARGUMENTS_##_name, module);     \
            coll_mtree_source_watched(module, began);                                    \
        }                                                                                \
        coll_mtree_autotune_end(&trial, module, comm);                                   \
        coll_mtree_statistics_close(&trial.count);                                       \
        return rc;                                                                       \
    }                                                                                    \
                                                                                         \
    int coll_mtree_i##_name(MTREE_PARAMETERS_##_name, ompi_request_t **request,          \
                            mca_coll_base_module_t *base)                                \
    {                                                                                    \
        coll_mtree_trial_t trial = {.autotuner = NULL};                                  \
        int rc = _name##_dispatch(MTREE_ARGUMENTS_##_name, base, MTREE_NONBLOCKING,      \
                                  &trial, request);                                      \
                                                                                         \
        return rc != MTREE_DECLINED                                                      \
                   ? rc                                                                  \
                   : MTREE_FALLBACK((mca_coll_mtree_module_t *)base, i##_name,           \
                                    MTREE_ARGUMENTS_##_name, request);                   \
    }                                                                                    \
                                                                                         \
    int coll_mtree_##_name##_init(MTREE_PARAMETERS_##_name, struct ompi_info_t *info,    \
                                  ompi_request_t **request,                              \
                                  mca_coll_base_module_t *base)                          \
    {                                                                                    \
        coll_mtree_trial_t trial = {.autotuner = NULL};                                  \
        int rc = _name##_dispatch(MTREE_ARGUMENTS_##_name, base, MTREE_PERSISTENT,       \
                                  &trial, request);                                      \
                                                                                         \
        return rc != MTREE_DECLINED                                                      \
                   ? rc                                                                  \
                   : MTREE_FALLBACK((mca_coll_mtree_module_t *)base, _name##_init,       \
                                    MTREE_ARGUMENTS_##_name, info, request);             \
    }

#endif
