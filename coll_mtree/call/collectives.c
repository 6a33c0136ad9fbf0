/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that Open MPI calls, each of which describes its call to dispatch. */
#include "coll_mtree/base/blocks.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/dispatch.h"

#include "base/memory.h"
#include "schedule/operation.h"

static void allreduce_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allreduce))
{
    (void)comm;
    coll_mtree_coll_args_fold(args, MTREE_ALLREDUCE, sbuf, rbuf, (size_t)count, dtype,
                              op);
}

static void reduce_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(reduce))
{
    bool is_root = ompi_comm_rank(comm) == root;

    coll_mtree_coll_args_fold(args, MTREE_REDUCE, sbuf, is_root ? rbuf : NULL,
                              (size_t)count, dtype, op);
    args->call.root = root;
}

/* Count and datatype may differ between ranks, their product may not. */
static void bcast_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(bcast))
{
    (void)comm;
    coll_mtree_coll_args_move(args, MTREE_BCAST,
                              coll_mtree_side_of(buffer, (size_t)count, dtype, root),
                              (size_t)count);
    args->call.root = root;
}

/* Count and datatype may differ between ranks, the bytes of a block may not. */
static void allgather_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allgather))
{
    coll_mtree_coll_args_move(args, MTREE_ALLGATHER,
                              coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, -1),
                              (size_t)rcount * (size_t)ompi_comm_size(comm));
    coll_mtree_coll_args_own_block(args, sbuf, (size_t)scount, sdtype,
                                   ompi_comm_rank(comm));
}

/* The same with blocks of any size, anywhere in the result. */
static void allgatherv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allgatherv))
{
    const coll_mtree_int_array_t counts = coll_mtree_counts(rcounts);
    int ranks = ompi_comm_size(comm);

    coll_mtree_coll_args_move(
        args, MTREE_ALLGATHER,
        coll_mtree_side_of_unequal(rbuf, counts, coll_mtree_displs(rdispls), rdtype),
        coll_mtree_blocks_sum(counts, ranks));
    coll_mtree_coll_args_blocks(args, counts, rdtype->super.size, ranks);
    coll_mtree_coll_args_own_block(args, sbuf, (size_t)scount, sdtype,
                                   ompi_comm_rank(comm));
}

/*
 * Rank r gets rcounts[r] elements (no array: rcount each).  The engine writes each block
 * at its place in the whole vector, so the output begins that far before the user's
 * buffer. In place, the result would overwrite what was not sent yet, so it stays in a
 * buffer of its own until the end.
 */
static void fold_blocks_args(coll_mtree_coll_args_t *args, const void *sbuf, void *rbuf,
                             coll_mtree_int_array_t rcounts, size_t rcount,
                             ompi_datatype_t *dtype, ompi_op_t *op,
                             ompi_communicator_t *comm)
{
    int rank = ompi_comm_rank(comm), ranks = ompi_comm_size(comm);
    ptrdiff_t lower, extent;
    size_t count = rcount * (size_t)ranks, first = rcount * (size_t)rank;
    size_t own = rcount;

    if (rcounts.items != NULL) {
        count = coll_mtree_blocks_sum(rcounts, ranks);
        first = coll_mtree_blocks_sum(rcounts, rank);
        own = (size_t)coll_mtree_int_array_at(rcounts, rank);
    }
    ompi_datatype_get_extent(dtype, &lower, &extent);
    coll_mtree_coll_args_fold(args, MTREE_REDUCE_SCATTER, sbuf, rbuf, count, dtype, op);
    if (rcounts.items != NULL) {
        coll_mtree_coll_args_blocks(args, rcounts, 1, ranks);
    }
    args->count = own;
    args->output = mtree_address(rbuf, -(ptrdiff_t)first * extent);
    args->stashed = sbuf == MPI_IN_PLACE;
    args->scatter_to = rbuf;
}

static void reduce_scatter_args(coll_mtree_coll_args_t *args,
                                MTREE_PARAMETERS(reduce_scatter))
{
    fold_blocks_args(args, sbuf, rbuf, coll_mtree_counts(rcounts), 0, dtype, op, comm);
}

static void reduce_scatter_block_args(coll_mtree_coll_args_t *args,
                                      MTREE_PARAMETERS(reduce_scatter_block))
{
    fold_blocks_args(args, sbuf, rbuf, (coll_mtree_int_array_t){NULL}, (size_t)rcount,
                     dtype, op, comm);
}

/*
 * A gather or a scatter: @a blocks, of each rank, counts at the root alone; @a own,
 * between this rank and the root, unless its buffer is MPI_IN_PLACE.
 */
static void rooted_args(coll_mtree_coll_args_t *args, mtree_collective_t collective,
                        coll_mtree_side_t blocks, coll_mtree_side_t own,
                        ompi_communicator_t *comm, bool equal)
{
    const bool gathers = collective == MTREE_GATHER;
    const bool is_root = ompi_comm_rank(comm) == own.only;
    coll_mtree_elements_t block;

    if (is_root) {
        *(gathers ? &args->recv : &args->send) = blocks;
    }
    if (own.buffer != MPI_IN_PLACE) {
        *(gathers ? &args->send : &args->recv) = own;
    }
    args->call.root = own.only;
    block = coll_mtree_side_block(is_root ? &blocks : &own, own.only);
    coll_mtree_coll_args_exchange(args, collective, false,
                                  coll_mtree_elements_bytes(&block),
                                  equal ? ompi_comm_size(comm) : 0);
}

static void gather_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(gather))
{
    rooted_args(args, MTREE_GATHER, coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, -1),
                coll_mtree_side_of(sbuf, (size_t)scount, sdtype, root), comm, true);
}

static void gatherv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(gatherv))
{
    rooted_args(args, MTREE_GATHER,
                coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),
                                           coll_mtree_displs(rdispls), rdtype),
                coll_mtree_side_of(sbuf, (size_t)scount, sdtype, root), comm, false);
}

static void scatter_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scatter))
{
    rooted_args(args, MTREE_SCATTER, coll_mtree_side_of(sbuf, (size_t)scount, sdtype, -1),
                coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, root), comm, true);
}

static void scatterv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scatterv))
{
    rooted_args(args, MTREE_SCATTER,
                coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),
                                           coll_mtree_displs(sdispls), sdtype),
                coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, root), comm, false);
}

/* What is received says how long the blocks are, also in place. */
static void alltoall_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoall))
{
    args->recv = coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, -1);
    args->send = coll_mtree_side_of(sbuf, (size_t)scount, sdtype, -1);
    coll_mtree_coll_args_exchange(args, MTREE_ALLTOALL, sbuf == MPI_IN_PLACE,
                                  rdtype->super.size * (size_t)rcount,
                                  ompi_comm_size(comm));
}

/* The same with blocks of any size; both sides are set. */
static void unequal_args(coll_mtree_coll_args_t *args, ompi_communicator_t *comm)
{
    const bool in_place = args->send.buffer == MPI_IN_PLACE;

    coll_mtree_coll_args_exchange(
        args, MTREE_ALLTOALL, in_place,
        coll_mtree_side_bytes(in_place ? &args->recv : &args->send, ompi_comm_size(comm)),
        0);
}

static void alltoallv_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoallv))
{
    args->recv = coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),
                                            coll_mtree_displs(rdispls), rdtype);
    args->send = coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),
                                            coll_mtree_displs(sdispls), sdtype);
    unequal_args(args, comm);
}

static void alltoallw_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(alltoallw))
{
    args->recv = coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),
                                            coll_mtree_displs(rdispls), NULL);
    args->recv.types = rdtypes;
    args->send = coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),
                                            coll_mtree_displs(sdispls), NULL);
    args->send.types = sdtypes;
    unequal_args(args, comm);
}

/* The result of rank 0 is what it contributes. */
static void scan_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scan))
{
    coll_mtree_coll_args_fold(args, MTREE_SCAN, sbuf, rbuf, (size_t)count, dtype, op);
    if (ompi_comm_rank(comm) == 0) {
        args->recv = coll_mtree_side_of(rbuf, (size_t)count, dtype, 0);
        coll_mtree_coll_args_own_block(args, sbuf, (size_t)count, dtype, 0);
    }
}

/* Rank 0 has no result. */
static void exscan_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(exscan))
{
    (void)comm;
    coll_mtree_coll_args_fold(args, MTREE_SCAN, sbuf, rbuf, (size_t)count, dtype, op);
    args->call.is_exclusive = true;
    /* It would overwrite what this rank contributes. */
    args->stashed = sbuf == MPI_IN_PLACE;
}

/* The byte that a barrier sends up and down the trees of the smallest messages.  It is
 * not reduced, so its value does not matter and all calls share it. */
static char token;

static void barrier_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(barrier))
{
    (void)comm;
    if (!coll_mtree_params.barrier) {
        return;
    }
    coll_mtree_coll_args_move(args, MTREE_ALLREDUCE,
                              coll_mtree_side_of(&token, 1, MPI_BYTE, 0), 1);
    args->verdict = MTREE_COLL_ARGS_SERVED;
}

/* A function of a collective, from its NAME_args(), which sets what the call asks for;
 * the parameters and arguments that it has beside those of all forms. */
#define MTREE_DEFINE_FORM(_name, _function, _form, _request, _parameters, _arguments)    \
    int coll_mtree_##_function(MTREE_PARAMETERS(_name) _parameters,                      \
                               mca_coll_base_module_t *base)                             \
    {                                                                                    \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        coll_mtree_dispatch_init(&call, #_name, _form, comm, base);                      \
        call.returns_to = __builtin_return_address(0);                                   \
        _name##_args(&call.args, MTREE_ARGUMENTS(_name));                                \
        rc = coll_mtree_dispatch(&call, _request);                                       \
        return rc != MTREE_DECLINED                                                      \
                   ? rc                                                                  \
                   : coll_mtree_dispatch_end(                                            \
                         &call, MTREE_FALLBACK(call.module, _function,                   \
                                               MTREE_ARGUMENTS(_name) _arguments));      \
    }

#define MTREE_REQUEST_PARAMETER  , ompi_request_t **request
#define MTREE_REQUEST_ARGUMENT   , request
#define MTREE_REQUEST_PARAMETERS , struct ompi_info_t *info, ompi_request_t **request
#define MTREE_REQUEST_ARGUMENTS  , info, request

#define MTREE_DEFINE_FORMS(_name)                                                        \
    MTREE_DEFINE_FORM(_name, _name, MTREE_BLOCKING, NULL, , )                            \
    MTREE_DEFINE_FORM(_name, i##_name, MTREE_NONBLOCKING, request,                       \
                      MTREE_REQUEST_PARAMETER, MTREE_REQUEST_ARGUMENT)                   \
    MTREE_DEFINE_FORM(_name, _name##_init, MTREE_PERSISTENT, request,                    \
                      MTREE_REQUEST_PARAMETERS, MTREE_REQUEST_ARGUMENTS)

MTREE_FOR_EACH_INTERFACE(MTREE_DEFINE_FORMS)
