/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that Open MPI calls.  Each has a row, DESCRIBE_name, that describes its
 * call to dispatch by its parameters; what needs more than a row is a function before.
 */
#include "coll_mtree/base/blocks.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/dispatch.h"

#include "base/memory.h"
#include "schedule/operation.h"

/* The block that this rank has from the beginning, unless it is in its place. */
static void set_own_block(coll_mtree_coll_args_t *args, coll_mtree_side_t own)
{
    if (own.buffer != MPI_IN_PLACE) {
        args->send = own;
    }
}

/* The blocks of @a result, of which this rank contributes @a own.  Count and datatype may
 * differ between ranks, the bytes of a block may not. */
static void describe_allgather(coll_mtree_coll_args_t *args, coll_mtree_side_t result,
                               coll_mtree_side_t own, ompi_communicator_t *comm)
{
    const int ranks = ompi_comm_size(comm);
    const bool is_equal = result.counts.items == NULL;

    coll_mtree_coll_args_move(args, MTREE_ALLGATHER, result,
                              is_equal ? result.count * (size_t)ranks
                                       : coll_mtree_blocks_sum(result.counts, ranks));
    if (!is_equal) {
        coll_mtree_coll_args_blocks(args, result.counts, result.type->super.size, ranks);
    }
    set_own_block(args, own);
}

/*
 * Each rank gets its block of the sum, which goes to the place of @a result.  The engine
 * writes each block at its place in the whole vector, so the output begins that far
 * before the user's buffer.  In place, the result would overwrite what was not sent yet,
 * so it stays in a buffer of its own until the end.
 */
static void describe_reduce_scatter(coll_mtree_coll_args_t *args, const void *sbuf,
                                    coll_mtree_side_t result, ompi_op_t *op,
                                    ompi_communicator_t *comm)
{
    const int rank = ompi_comm_rank(comm), ranks = ompi_comm_size(comm);
    const bool is_equal = result.counts.items == NULL;
    void *rbuf = (void *)result.buffer;
    size_t count = result.count * (size_t)ranks, first = result.count * (size_t)rank;
    ptrdiff_t lower, extent;

    if (!is_equal) {
        count = coll_mtree_blocks_sum(result.counts, ranks);
        first = coll_mtree_blocks_sum(result.counts, rank);
    }
    ompi_datatype_get_extent(result.type, &lower, &extent);
    coll_mtree_coll_args_fold(args, MTREE_REDUCE_SCATTER, sbuf, rbuf, count, result.type,
                              op);
    if (!is_equal) {
        coll_mtree_coll_args_blocks(args, result.counts, 1, ranks);
    }
    args->count = coll_mtree_side_block(&result, rank).count;
    args->output = mtree_address(rbuf, -(ptrdiff_t)first * extent);
    args->stashed = sbuf == MPI_IN_PLACE;
    args->scatter_to = rbuf;
}

/*
 * A gather or a scatter: @a blocks, of each rank, counts at the root alone; @a own,
 * between this rank and the root, unless its buffer is MPI_IN_PLACE.
 */
static void describe_rooted(coll_mtree_coll_args_t *args, mtree_collective_t collective,
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

/* In place what is received says how long the blocks are; where all are equal it always
 * may. */
static void describe_alltoall(coll_mtree_coll_args_t *args, coll_mtree_side_t send,
                              coll_mtree_side_t recv, ompi_communicator_t *comm,
                              bool equal)
{
    const int ranks = ompi_comm_size(comm);
    const bool in_place = send.buffer == MPI_IN_PLACE;

    args->send = send;
    args->recv = recv;
    coll_mtree_coll_args_exchange(
        args, MTREE_ALLTOALL, in_place,
        equal ? recv.type->super.size * recv.count
              : coll_mtree_side_bytes(in_place ? &args->recv : &args->send, ranks),
        equal ? ranks : 0);
}

/* The result of rank 0 is what it contributes; of an exclusive scan it has none, and in
 * place results would overwrite what ranks contribute. */
static void describe_scan(coll_mtree_coll_args_t *args, bool exclusive,
                          coll_mtree_side_t own, void *rbuf, ompi_op_t *op,
                          ompi_communicator_t *comm)
{
    coll_mtree_coll_args_fold(args, MTREE_SCAN, own.buffer, rbuf, own.count, own.type,
                              op);
    args->call.is_exclusive = exclusive;
    args->stashed = exclusive && own.buffer == MPI_IN_PLACE;
    if (!exclusive && ompi_comm_rank(comm) == 0) {
        args->recv = coll_mtree_side_of(rbuf, own.count, own.type, 0);
        set_own_block(args, own);
    }
}

/* The byte that a barrier sends up and down the trees of the smallest messages.  It is
 * not reduced, so its value does not matter and all calls share it. */
static char token;

static void describe_barrier(coll_mtree_coll_args_t *args)
{
    if (coll_mtree_params.barrier) {
        coll_mtree_coll_args_move(args, MTREE_ALLREDUCE,
                                  coll_mtree_side_of(&token, 1, MPI_BYTE, 0), 1);
        args->verdict = MTREE_COLL_ARGS_SERVED;
    }
}

/* The sides in the parameters of a row: of equal blocks, of which rank @a _only has one
 * (-1: each rank), and of blocks that differ. */
#define SENT(_only)     coll_mtree_side_of(sbuf, (size_t)scount, sdtype, _only)
#define RECEIVED(_only) coll_mtree_side_of(rbuf, (size_t)rcount, rdtype, _only)
#define SENT_V(_type, _types)                                                            \
    coll_mtree_side_of_unequal(sbuf, coll_mtree_counts(scounts),                         \
                               coll_mtree_displs(sdispls), _type, _types)
#define RECEIVED_V(_type, _types)                                                        \
    coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts),                         \
                               coll_mtree_displs(rdispls), _type, _types)

#define DESCRIBE_allreduce(_args)                                                        \
    coll_mtree_coll_args_fold(_args, MTREE_ALLREDUCE, sbuf, rbuf, (size_t)count, dtype,  \
                              op)
#define DESCRIBE_reduce(_args)                                                           \
    coll_mtree_coll_args_fold(_args, MTREE_REDUCE, sbuf,                                 \
                              ompi_comm_rank(comm) == root ? rbuf : NULL, (size_t)count, \
                              dtype, op);                                                \
    (_args)->call.root = root
/* Count and datatype may differ between ranks, their product may not. */
#define DESCRIBE_bcast(_args)                                                            \
    coll_mtree_coll_args_move(_args, MTREE_BCAST,                                        \
                              coll_mtree_side_of(buffer, (size_t)count, dtype, root),    \
                              (size_t)count);                                            \
    (_args)->call.root = root
#define DESCRIBE_allgather(_args)                                                        \
    describe_allgather(_args, RECEIVED(-1), SENT(ompi_comm_rank(comm)), comm)
#define DESCRIBE_allgatherv(_args)                                                       \
    describe_allgather(_args, RECEIVED_V(rdtype, NULL), SENT(ompi_comm_rank(comm)), comm)
#define DESCRIBE_reduce_scatter(_args)                                                   \
    describe_reduce_scatter(_args, sbuf,                                                 \
                            coll_mtree_side_of_unequal(rbuf, coll_mtree_counts(rcounts), \
                                                       (coll_mtree_int_array_t){NULL},   \
                                                       dtype, NULL),                     \
                            op, comm)
#define DESCRIBE_reduce_scatter_block(_args)                                             \
    describe_reduce_scatter(                                                             \
        _args, sbuf, coll_mtree_side_of(rbuf, (size_t)rcount, dtype, -1), op, comm)
#define DESCRIBE_gather(_args)                                                           \
    describe_rooted(_args, MTREE_GATHER, RECEIVED(-1), SENT(root), comm, true)
#define DESCRIBE_gatherv(_args)                                                          \
    describe_rooted(_args, MTREE_GATHER, RECEIVED_V(rdtype, NULL), SENT(root), comm,     \
                    false)
#define DESCRIBE_scatter(_args)                                                          \
    describe_rooted(_args, MTREE_SCATTER, SENT(-1), RECEIVED(root), comm, true)
#define DESCRIBE_scatterv(_args)                                                         \
    describe_rooted(_args, MTREE_SCATTER, SENT_V(sdtype, NULL), RECEIVED(root), comm,    \
                    false)
#define DESCRIBE_alltoall(_args)                                                         \
    describe_alltoall(_args, SENT(-1), RECEIVED(-1), comm, true)
#define DESCRIBE_alltoallv(_args)                                                        \
    describe_alltoall(_args, SENT_V(sdtype, NULL), RECEIVED_V(rdtype, NULL), comm, false)
#define DESCRIBE_alltoallw(_args)                                                        \
    describe_alltoall(_args, SENT_V(NULL, sdtypes), RECEIVED_V(NULL, rdtypes), comm,     \
                      false)
#define DESCRIBE_scan(_args)                                                             \
    describe_scan(_args, false, coll_mtree_side_of(sbuf, (size_t)count, dtype, 0), rbuf, \
                  op, comm)
#define DESCRIBE_exscan(_args)                                                           \
    describe_scan(_args, true, coll_mtree_side_of(sbuf, (size_t)count, dtype, 0), rbuf,  \
                  op, comm)
#define DESCRIBE_barrier(_args) describe_barrier(_args)

/* A function of a collective, by its row; the parameters and arguments that it has beside
 * those of all forms. */
#define MTREE_DEFINE_FORM(_name, _function, _form, _request, _parameters, _arguments)    \
    int coll_mtree_##_function(MTREE_PARAMETERS(_name) _parameters,                      \
                               mca_coll_base_module_t *base)                             \
    {                                                                                    \
        coll_mtree_mpi_call_t call;                                                      \
        int rc;                                                                          \
                                                                                         \
        coll_mtree_dispatch_init(&call, #_name, _form, comm, base);                      \
        call.returns_to = __builtin_return_address(0);                                   \
        DESCRIBE_##_name(&call.args);                                                    \
        rc = coll_mtree_dispatch(&call, _request);                                       \
        if (rc == MTREE_DECLINED) {                                                      \
            rc = MTREE_FALLBACK(call.module, _function,                                  \
                                MTREE_ARGUMENTS(_name) _arguments);                      \
        }                                                                                \
        coll_mtree_statistics_close(&call.count);                                        \
        return rc;                                                                       \
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
