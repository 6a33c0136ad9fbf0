/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

/* What all but the root receive does not count, nor, in place, what the root sends. */
static void gather_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS_gather)
{
    bool is_root = ompi_comm_rank(comm) == root;

    if (is_root) {
        args->recv = coll_mtree_side_of(rbuf, rcount, rdtype);
    }
    if (sbuf != MPI_IN_PLACE) {
        args->send = coll_mtree_side_of_one(sbuf, scount, sdtype, root);
    }
    args->call.root = root;
    coll_mtree_coll_args_exchange(args, MTREE_GATHER, false);
    coll_mtree_coll_args_equal(args,
                               is_root ? rdtype->super.size * (size_t)rcount
                                       : sdtype->super.size * (size_t)scount,
                               ompi_comm_size(comm));
}

MTREE_DEFINE_FORMS(gather)

static void gatherv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS_gatherv)
{
    bool is_root = ompi_comm_rank(comm) == root;

    if (is_root) {
        args->recv = coll_mtree_side_of(rbuf, 0, rdtype);
        args->recv.counts = rcounts;
        args->recv.displs = displs;
    }
    if (sbuf != MPI_IN_PLACE) {
        args->send = coll_mtree_side_of_one(sbuf, scount, sdtype, root);
    }
    args->call.root = root;
    coll_mtree_coll_args_exchange(args, MTREE_GATHER, false);
    coll_mtree_coll_args_unequal(args, is_root
                                           ? rdtype->super.size * (size_t)rcounts[root]
                                           : sdtype->super.size * (size_t)scount);
}

MTREE_DEFINE_FORMS(gatherv)
