/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

/* What is received says how long the blocks are, also in place. */
static void alltoall_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoall))
{
    int ranks = ompi_comm_size(comm);

    args->recv = coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, -1);
    args->send = coll_mtree_side_of(sbuf, (size_t)scount, sdtype, -1);
    coll_mtree_coll_args_exchange(args, MTREE_ALLTOALL, sbuf == MPI_IN_PLACE);
    coll_mtree_coll_args_equal(args, rdtype->super.size * (size_t)rcount, ranks);
}

MTREE_DEFINE_FORMS(alltoall)

static void alltoallv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoallv))
{
    int ranks = ompi_comm_size(comm);

    args->recv = coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),
                                            coll_mtree_displs(rdispls), rdtype);
    args->send = coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),
                                            coll_mtree_displs(sdispls), sdtype);
    coll_mtree_coll_args_exchange(args, MTREE_ALLTOALL, sbuf == MPI_IN_PLACE);
    coll_mtree_coll_args_unequal(args, coll_mtree_side_bytes(&args->send, ranks));
}

MTREE_DEFINE_FORMS(alltoallv)

static void alltoallw_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoallw))
{
    int ranks = ompi_comm_size(comm);

    args->recv = coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),
                                            coll_mtree_displs(rdispls), NULL);
    args->recv.types = rdtypes;
    args->send = coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),
                                            coll_mtree_displs(sdispls), NULL);
    args->send.types = sdtypes;
    coll_mtree_coll_args_exchange(args, MTREE_ALLTOALL, sbuf == MPI_IN_PLACE);
    coll_mtree_coll_args_unequal(args, coll_mtree_side_bytes(&args->send, ranks));
}

MTREE_DEFINE_FORMS(alltoallw)
