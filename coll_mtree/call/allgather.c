/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/memory.h"
#include "coll_mtree/call/blocks.h"
#include "coll_mtree/call/dispatch.h"

#include "schedule/operation.h"

/* Count and datatype may differ between ranks, the bytes of a block may not. */
static void allgather_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allgather))
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_extent(rdtype, &lower, &extent);
    coll_mtree_coll_args_move(args, MTREE_ALLGATHER, rbuf,
                              (size_t)rcount * (size_t)ompi_comm_size(comm), rdtype);
    coll_mtree_coll_args_own_block(
        args, sbuf, (size_t)scount, sdtype,
        mtree_address(rbuf, (ptrdiff_t)ompi_comm_rank(comm) * (ptrdiff_t)rcount * extent),
        (size_t)rcount);
}

MTREE_DEFINE_FORMS(allgather)

/* The same with blocks of any size, anywhere in the result. */
static void allgatherv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allgatherv))
{
    const coll_mtree_int_array_t counts = coll_mtree_counts(rcounts);
    const coll_mtree_int_array_t places = coll_mtree_displs(rdispls);
    int rank = ompi_comm_rank(comm), ranks = ompi_comm_size(comm);
    ptrdiff_t lower, extent;
    size_t size;

    ompi_datatype_type_size(rdtype, &size);
    ompi_datatype_get_extent(rdtype, &lower, &extent);
    coll_mtree_coll_args_move(args, MTREE_ALLGATHER, rbuf,
                              coll_mtree_blocks_sum(counts, ranks), rdtype);
    coll_mtree_coll_args_blocks(args, counts, size, ranks);
    coll_mtree_coll_args_own_block(
        args, sbuf, (size_t)scount, sdtype,
        mtree_address(rbuf, coll_mtree_int_array_at(places, rank) * extent),
        (size_t)coll_mtree_int_array_at(counts, rank));
    if (args->verdict != MTREE_COLL_ARGS_SERVED) {
        return;
    }
    args->displace = coll_mtree_malloc((size_t)ranks * sizeof(*args->displace));
    for (int r = 0; r < ranks; r++) {
        args->displace[r] = coll_mtree_int_array_at(places, r) * extent;
    }
}

MTREE_DEFINE_FORMS(allgatherv)
