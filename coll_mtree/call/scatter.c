/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

/* What all but the root send does not count, nor, in place, what the root receives. */
static void scatter_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS_scatter)
{
    bool is_root = ompi_comm_rank(comm) == root;

    if (is_root) {
        args->send = coll_mtree_side_of(sbuf, scount, sdtype);
    }
    if (rbuf != MPI_IN_PLACE) {
        args->recv = coll_mtree_side_of_one(rbuf, rcount, rdtype, root);
    }
    args->call.root = root;
    coll_mtree_coll_args_exchange(args, MTREE_SCATTER, false);
    coll_mtree_coll_args_equal(args,
                               is_root ? sdtype->super.size * (size_t)scount
                                       : rdtype->super.size * (size_t)rcount,
                               ompi_comm_size(comm));
}

MTREE_DEFINE_FORMS(scatter)

static void scatterv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS_scatterv)
{
    bool is_root = ompi_comm_rank(comm) == root;

    if (is_root) {
        args->send = coll_mtree_side_of(sbuf, 0, sdtype);
        args->send.counts = scounts;
        args->send.displs = displs;
    }
    if (rbuf != MPI_IN_PLACE) {
        args->recv = coll_mtree_side_of_one(rbuf, rcount, rdtype, root);
    }
    args->call.root = root;
    coll_mtree_coll_args_exchange(args, MTREE_SCATTER, false);
    coll_mtree_coll_args_unequal(args, is_root
                                           ? sdtype->super.size * (size_t)scounts[root]
                                           : rdtype->super.size * (size_t)rcount);
}

MTREE_DEFINE_FORMS(scatterv)
