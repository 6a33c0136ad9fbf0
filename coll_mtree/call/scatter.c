/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

static void scatter_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scatter))
{
    coll_mtree_side_t blocks = coll_mtree_side_of(sbuf, (size_t)scount, sdtype, -1);
    coll_mtree_side_t own = coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, root);
    size_t bytes = coll_mtree_coll_args_rooted(args, MTREE_SCATTER, &blocks, &own,
                                               ompi_comm_rank(comm));

    coll_mtree_coll_args_equal(args, bytes, ompi_comm_size(comm));
}

MTREE_DEFINE_FORMS(scatter)

static void scatterv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scatterv))
{
    coll_mtree_side_t blocks = coll_mtree_side_of_unequal(
        sbuf, coll_mtree_counts(scounts), coll_mtree_displs(sdispls), sdtype);
    coll_mtree_side_t own = coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, root);

    coll_mtree_coll_args_unequal(args,
                                 coll_mtree_coll_args_rooted(args, MTREE_SCATTER, &blocks,
                                                             &own, ompi_comm_rank(comm)));
}

MTREE_DEFINE_FORMS(scatterv)
