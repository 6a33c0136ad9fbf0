/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/agreed_size.h"

/* The ranks agree on the size of a call of which this rank has *bytes_p. */
static int agree(const coll_mtree_mpi_call_t *call, double *bytes_p)
{
    int rc = MTREE_FALLBACK(call->module, allreduce, MPI_IN_PLACE, bytes_p, 1, MPI_DOUBLE,
                            MPI_SUM, call->comm);

    /* Of an all-to-all the size is what one rank sends. */
    if (!mtree_collective_has_root(call->args.call.collective)) {
        *bytes_p /= ompi_comm_size(call->comm);
    }
    return rc;
}

int coll_mtree_agreed_size_set(coll_mtree_mpi_call_t *call)
{
    coll_mtree_coll_args_t *args = &call->args;
    coll_mtree_size_estimate_t *estimate = &call->module->sizes[args->call.collective];
    double bytes = (double)args->own_bytes;
    int rc = OMPI_SUCCESS;

    /* All ranks know by now that the fallback serves. */
    if (!args->call.unequal || call->module->unserved) {
        return OMPI_SUCCESS;
    }
    if (call->form == MTREE_PERSISTENT) {
        rc = agree(call, &bytes);
    } else if (call->form == MTREE_BLOCKING &&
               coll_mtree_size_estimate_add(estimate, bytes, &bytes)) {
        rc = agree(call, &bytes);
        coll_mtree_size_estimate_set(estimate, bytes);
    } else {
        bytes = estimate->is_agreed ? estimate->agreed : 0;
    }
    coll_mtree_coll_args_size(args, bytes);
    return rc;
}
