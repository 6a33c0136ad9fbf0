/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/single_host.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/call/blocks.h"
#include "coll_mtree/call/dispatch.h"
#include "coll_mtree/select/base_algorithms.h"

#include "base/clock.h"

#include <stdlib.h>

/* The algorithms that Open MPI does not take by default for @a call_class: all are
 * candidates. */
static unsigned base_algorithms_of(const coll_mtree_call_class_t *call_class, int ranks)
{
    unsigned base_algorithms = 0;

    for (int a = 1; a <= MTREE_BASE_ALGORITHMS; a++) {
        if (mtree_base_algorithm_is_other(call_class->collective, a, ranks,
                                          (size_t)call_class->bytes)) {
            base_algorithms |= 1u << a;
        }
    }
    return base_algorithms;
}

/* Make the autotuner of @a comm_class.  False: no memory. */
static bool make_autotuner(coll_mtree_comm_class_t *comm_class, int ranks)
{
    const coll_mtree_call_class_t *call_class = &comm_class->node.call_class;

    comm_class->autotuner = malloc(sizeof(*comm_class->autotuner));
    if (comm_class->autotuner == NULL) {
        return false;
    }
    (void)coll_mtree_autotune_init(
        comm_class->autotuner, call_class,
        (mtree_forecast_t){MTREE_FORECAST_SLOWER, base_algorithms_of(call_class, ranks)});
    return true;
}

/* A call begins; @a trial says which algorithm makes it. */
static int local_begin(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                       const char *function, mtree_collective_t collective, size_t bytes,
                       int root, coll_mtree_trial_t *trial)
{
    coll_mtree_call_class_t call_class =
        coll_mtree_call_class_of(collective, root, bytes, NULL, -1);
    coll_mtree_comm_class_t *comm_class = coll_mtree_comm_class_get(module, &call_class);

    if (comm_class == NULL || (comm_class->autotuner == NULL &&
                               !make_autotuner(comm_class, ompi_comm_size(comm)))) {
        return coll_mtree_no_memory(comm);
    }
    coll_mtree_statistics_open(&trial->count, module, comm, function, comm_class,
                               (double)bytes);
    coll_mtree_dispatch_declined(&trial->count,
                                 coll_mtree_autotune_begin(comm_class->autotuner, trial),
                                 COLL_MTREE_REASON_LOCAL);
    return OMPI_SUCCESS;
}

static size_t size_of(const ompi_datatype_t *dtype, size_t count)
{
    return dtype->super.size * count;
}

static size_t sum_of(const int *counts, ompi_communicator_t *comm)
{
    return coll_mtree_blocks_sum(counts, ompi_comm_size(comm));
}

/* @a _eligible and @a _bytes of a call are the same on all ranks. */
#define DEFINE_LOCAL(_name, _collective, _root, _eligible, _bytes)                       \
    static int local_##_name(MTREE_PARAMETERS_##_name, mca_coll_base_module_t *base)     \
    {                                                                                    \
        mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;               \
        size_t bytes = (_bytes);                                                         \
        int rc;                                                                          \
                                                                                         \
        if (bytes < COLL_MTREE_SINGLE_HOST_BYTES || !(_eligible)) {                      \
            return MTREE_FALLBACK(module, _name, MTREE_ARGUMENTS_##_name);               \
        }                                                                                \
        coll_mtree_trial_t trial = {.count = {.began = mtree_clock_seconds()}};          \
        rc = local_begin(module, comm, #_name, _collective, bytes, _root, &trial);       \
        if (rc != OMPI_SUCCESS) {                                                        \
            return rc;                                                                   \
        }                                                                                \
        rc = coll_mtree_base_algorithm_##_name(trial.base_algorithm,                     \
                                               MTREE_ARGUMENTS_##_name, module);         \
        coll_mtree_autotune_end(&trial, module, comm);                                   \
        coll_mtree_statistics_close(&trial.count);                                       \
        return rc;                                                                       \
    }

DEFINE_LOCAL(allreduce, MTREE_ALLREDUCE, 0, ompi_op_is_commute(op),
             size_of(dtype, (size_t)count))
DEFINE_LOCAL(reduce, MTREE_REDUCE, root, ompi_op_is_commute(op),
             size_of(dtype, (size_t)count))
DEFINE_LOCAL(bcast, MTREE_BCAST, root, true, size_of(dtype, (size_t)count))
DEFINE_LOCAL(allgather, MTREE_ALLGATHER, 0, true,
             size_of(rdtype, (size_t)rcount *(size_t)ompi_comm_size(comm)))
DEFINE_LOCAL(allgatherv, MTREE_ALLGATHER, 0, true, size_of(rdtype, sum_of(rcounts, comm)))
DEFINE_LOCAL(reduce_scatter, MTREE_REDUCE_SCATTER, 0, ompi_op_is_commute(op),
             size_of(dtype, sum_of(rcounts, comm)))
DEFINE_LOCAL(reduce_scatter_block, MTREE_REDUCE_SCATTER, 0, ompi_op_is_commute(op),
             size_of(dtype, (size_t)rcount *(size_t)ompi_comm_size(comm)))

void coll_mtree_single_host_install(mca_coll_mtree_module_t *module)
{
    module->super.coll_allreduce = local_allreduce;
    module->super.coll_reduce = local_reduce;
    module->super.coll_bcast = local_bcast;
    module->super.coll_allgather = local_allgather;
    module->super.coll_allgatherv = local_allgatherv;
    module->super.coll_reduce_scatter = local_reduce_scatter;
    module->super.coll_reduce_scatter_block = local_reduce_scatter_block;
}
