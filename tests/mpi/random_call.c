/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/random_case.h"

#if HAS_LARGE_COUNTS
#define CALL(_rc, _form, _request, _name, _lower, ...)                                   \
    MTREE_CALL_ONE(_rc, _form, _request, MPI_##_name##_c, MPI_I##_lower##_c,             \
                   MPI_##_name##_init_c, __VA_ARGS__)
#else
#define CALL MTREE_CALL_FORM
#endif

/* A form of a collective, and return MPI's code. */
#define RUN(_c, _name, _lower, ...)                                                      \
    do {                                                                                 \
        int _rc;                                                                         \
                                                                                         \
        CALL(_rc, (_c)->form, &(_c)->request, _name, _lower, __VA_ARGS__);               \
        return _rc;                                                                      \
    } while (0)

static int call_fold(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    void *recv = c->recv.base;
    int count = c->block / c->recv_layout->items;
    MPI_Datatype type = c->in_place ? c->recv.type : c->send.type;

    switch (c->collective) {
    case ALLREDUCE:
        RUN(c, Allreduce, allreduce, send, recv, count, type, c->op, c->comm);
    case REDUCE:
        RUN(c, Reduce, reduce, send, c->rank == c->root ? recv : NULL, count, type, c->op,
            c->root, c->comm);
    case REDUCE_SCATTER:
        RUN(c, Reduce_scatter, reduce_scatter, send, recv, c->recv_counts, type, c->op,
            c->comm);
    case SCAN:
        RUN(c, Scan, scan, send, recv, count, type, c->op, c->comm);
    case EXSCAN:
        RUN(c, Exscan, exscan, send, recv, count, type, c->op, c->comm);
    default:
        RUN(c, Reduce_scatter_block, reduce_scatter_block, send, recv, count, type, c->op,
            c->comm);
    }
}

static int call_exchange(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    void *recv = c->recv.base, *scattered = c->in_place ? MPI_IN_PLACE : recv;
    const side_t *from = &c->sides[0], *to = &c->sides[1];
    count_t sent = from->counts[c->root], received = to->counts[c->root];
    MPI_Datatype type = c->send.type, recv_type = c->recv.type;

    switch (c->collective) {
    case GATHER:
        RUN(c, Gather, gather, send, sent, type, recv, received, recv_type, c->root,
            c->comm);
    case GATHERV:
        RUN(c, Gatherv, gatherv, send, sent, type, recv, to->counts, to->places,
            recv_type, c->root, c->comm);
    case SCATTER:
        RUN(c, Scatter, scatter, c->send.base, sent, type, scattered, received, recv_type,
            c->root, c->comm);
    case SCATTERV:
        RUN(c, Scatterv, scatterv, c->send.base, from->counts, from->places, type,
            scattered, received, recv_type, c->root, c->comm);
    case ALLTOALL:
        RUN(c, Alltoall, alltoall, send, from->counts[0], type, recv, to->counts[0],
            recv_type, c->comm);
    case ALLTOALLV:
        RUN(c, Alltoallv, alltoallv, send, from->counts, from->places, type, recv,
            to->counts, to->places, recv_type, c->comm);
    default:
        RUN(c, Alltoallw, alltoallw, send, from->counts, from->places, from->types, recv,
            to->counts, to->places, to->types, c->comm);
    }
}

int case_call(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    int sent = send_items(c) / c->send_layout->items, rc;
    int count = c->block / c->recv_layout->items;

    switch (c->collective) {
    case BCAST:
        RUN(c, Bcast, bcast, c->recv.base, count, c->recv.type, c->root, c->comm);
    case ALLGATHER:
        RUN(c, Allgather, allgather, send, sent, c->send.type, c->recv.base, count,
            c->recv.type, c->comm);
    case ALLGATHERV:
        RUN(c, Allgatherv, allgatherv, send, sent, c->send.type, c->recv.base,
            c->recv_counts, c->recv_places, c->recv.type, c->comm);
    case BARRIER:
        MTREE_CALL_FORM(rc, c->form, &c->request, Barrier, barrier, c->comm);
        return rc;
    default:
        return collective_is(c->collective, IS_EXCHANGE) ? call_exchange(c)
                                                         : call_fold(c);
    }
}
