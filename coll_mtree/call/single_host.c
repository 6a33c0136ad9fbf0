/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/single_host.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
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
    (void)coll_mtree_autotuner_init(
        comm_class->autotuner, call_class,
        (mtree_forecast_t){.confidence = MTREE_FORECAST_SLOWER,
                           .base_algorithms = base_algorithms_of(call_class, ranks)},
        true);
    return true;
}

/* A call of @a function, of @a bytes in all, begins.  Open MPI's code; on success
 * trial.base_algorithm is what serves it. */
static int local_begin(coll_mtree_mpi_call_t *call, mtree_collective_t collective,
                       size_t bytes, int root)
{
    coll_mtree_call_class_t call_class =
        coll_mtree_call_class_of(collective, root, bytes, NULL, -1);
    coll_mtree_comm_class_t *comm_class =
        coll_mtree_comm_class_get(call->module, &call_class);

    if (comm_class == NULL || (comm_class->autotuner == NULL &&
                               !make_autotuner(comm_class, ompi_comm_size(call->comm)))) {
        return coll_mtree_no_memory(call->comm);
    }
    coll_mtree_statistics_open(&call->trial.count, call->module, call->comm,
                               call->args.function, comm_class, (double)bytes);
    coll_mtree_dispatch_declined(
        &call->trial.count,
        coll_mtree_autotune_begin(comm_class->autotuner, &call->trial),
        COLL_MTREE_REASON_LOCAL);
    return OMPI_SUCCESS;
}

/* The bytes of all; the same on all ranks. */
static size_t bytes_of(const ompi_datatype_t *dtype, size_t count)
{
    return dtype->super.size * count;
}

/* The same, of a reduction; 0: it must go to the fallback. */
static size_t bytes_of_reduction(ompi_op_t *op, ompi_datatype_t *dtype, size_t count)
{
    coll_mtree_reduction_t reduction = coll_mtree_reduction_of(op, dtype);

    return coll_mtree_trial_is_allowed(&reduction, coll_mtree_params.autotune,
                                       coll_mtree_params.deterministic)
               ? bytes_of(dtype, count)
               : 0;
}

static size_t total_of(coll_mtree_mpi_counts_t counts, ompi_communicator_t *comm)
{
    return coll_mtree_blocks_sum(coll_mtree_counts(counts), ompi_comm_size(comm));
}

static size_t all_of(coll_mtree_mpi_count_t count, ompi_communicator_t *comm)
{
    return (size_t)count * (size_t)ompi_comm_size(comm);
}

/* The blocking function of a collective, on one host; _type is a datatype that ranks may
 * have each of their own. */
#define DEFINE_LOCAL(_name, _collective, _root, _bytes, _type)                           \
    static int local_##_name(MTREE_PARAMETERS_##_name, mca_coll_base_module_t *base)     \
    {                                                                                    \
        size_t bytes = (_bytes);                                                         \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        if (bytes < COLL_MTREE_SINGLE_HOST_BYTES) {                                      \
            return MTREE_FALLBACK((mca_coll_mtree_module_t *)base, _name,                \
                                  MTREE_ARGUMENTS_##_name);                              \
        }                                                                                \
        coll_mtree_dispatch_init(&call, #_name, MTREE_BLOCKING, comm, base);             \
        call.trial.is_predefined = ompi_datatype_is_predefined(_type);                   \
        rc = local_begin(&call, _collective, bytes, _root);                              \
        return rc != OMPI_SUCCESS                                                        \
                   ? rc                                                                  \
                   : coll_mtree_dispatch_end(&call,                                      \
                                             coll_mtree_base_algorithm_##_name(          \
                                                 call.trial.base_algorithm,              \
                                                 MTREE_ARGUMENTS_##_name, call.module)); \
    }

/* The datatype of what a rank contributes to an allgather counts where it is another. */
static ompi_datatype_t *odd_type(const void *sbuf, ompi_datatype_t *sdtype,
                                 ompi_datatype_t *rdtype)
{
    return sbuf == MPI_IN_PLACE || ompi_datatype_is_predefined(sdtype) ? rdtype : sdtype;
}

DEFINE_LOCAL(allreduce, MTREE_ALLREDUCE, 0, bytes_of_reduction(op, dtype, (size_t)count),
             dtype)
DEFINE_LOCAL(reduce, MTREE_REDUCE, root, bytes_of_reduction(op, dtype, (size_t)count),
             dtype)
DEFINE_LOCAL(bcast, MTREE_BCAST, root, bytes_of(dtype, (size_t)count), dtype)
DEFINE_LOCAL(allgather, MTREE_ALLGATHER, 0, bytes_of(rdtype, all_of(rcount, comm)),
             odd_type(sbuf, sdtype, rdtype))
DEFINE_LOCAL(allgatherv, MTREE_ALLGATHER, 0, bytes_of(rdtype, total_of(rcounts, comm)),
             odd_type(sbuf, sdtype, rdtype))
DEFINE_LOCAL(reduce_scatter, MTREE_REDUCE_SCATTER, 0,
             bytes_of_reduction(op, dtype, total_of(rcounts, comm)), dtype)
DEFINE_LOCAL(reduce_scatter_block, MTREE_REDUCE_SCATTER, 0,
             bytes_of_reduction(op, dtype, all_of(rcount, comm)), dtype)

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
