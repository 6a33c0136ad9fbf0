/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

static void gather_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(gather))
{
    coll_mtree_side_t blocks = coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, -1);
    coll_mtree_side_t own = coll_mtree_side_of(sbuf, (size_t)scount, sdtype, root);
    size_t bytes = coll_mtree_coll_args_rooted(args, MTREE_GATHER, &blocks, &own,
                                               ompi_comm_rank(comm));

    coll_mtree_coll_args_equal(args, bytes, ompi_comm_size(comm));
}

MTREE_DEFINE_FORMS(gather)

static void gatherv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(gatherv))
{
    coll_mtree_side_t blocks = coll_mtree_side_of_unequal(
        rbuf, coll_mtree_counts(rcounts), coll_mtree_displs(rdispls), rdtype);
    coll_mtree_side_t own = coll_mtree_side_of(sbuf, (size_t)scount, sdtype, root);

    coll_mtree_coll_args_unequal(args,
                                 coll_mtree_coll_args_rooted(args, MTREE_GATHER, &blocks,
                                                             &own, ompi_comm_rank(comm)));
}

MTREE_DEFINE_FORMS(gatherv)
