/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/random_case.h"

#if HAS_LARGE_COUNTS
#define CALL(_rc, _form, _request, _name, _lower, ...)                                   \
    MTREE_CALL_ONE(_rc, _form, _request, MPI_##_name##_c, MPI_I##_lower##_c,             \
                   MPI_##_name##_init_c, __VA_ARGS__)
#else
#define CALL MTREE_CALL_FORM
#endif

/* A form of a collective; errors end the job. */
#define RUN(_c, _name, _lower, ...)                                                      \
    do {                                                                                 \
        int _rc;                                                                         \
                                                                                         \
        CALL(_rc, (_c)->form, &(_c)->request, _name, _lower, __VA_ARGS__);               \
        (void)_rc;                                                                       \
    } while (0)

static void case_call_fold(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    int count = c->block / c->recv_layout->items;
    MPI_Op op = c->op;
    MPI_Datatype type = c->in_place ? c->recv.type : c->send.type;

    switch (c->collective) {
    case ALLREDUCE:
        RUN(c, Allreduce, allreduce, send, c->recv.base, count, type, op, c->comm);
        break;
    case REDUCE:
        RUN(c, Reduce, reduce, send, c->rank == c->root ? c->recv.base : NULL, count,
            type, op, c->root, c->comm);
        break;
    case REDUCE_SCATTER:
        RUN(c, Reduce_scatter, reduce_scatter, send, c->recv.base, c->recv_counts, type,
            op, c->comm);
        break;
    case SCAN:
        RUN(c, Scan, scan, send, c->recv.base, count, type, op, c->comm);
        break;
    case EXSCAN:
        RUN(c, Exscan, exscan, send, c->recv.base, count, type, op, c->comm);
        break;
    default:
        RUN(c, Reduce_scatter_block, reduce_scatter_block, send, c->recv.base, count,
            type, op, c->comm);
        break;
    }
}

static void case_call_rooted(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    void *recv = c->in_place ? MPI_IN_PLACE : c->recv.base;
    const side_t *from = &c->sides[0], *to = &c->sides[1];
    count_t sent = from->counts[c->root], received = to->counts[c->root];
    MPI_Datatype type = c->send.type, recv_type = c->recv.type;

    switch (c->collective) {
    case GATHER:
        RUN(c, Gather, gather, send, sent, type, c->recv.base, received, recv_type,
            c->root, c->comm);
        break;
    case GATHERV:
        RUN(c, Gatherv, gatherv, send, sent, type, c->recv.base, to->counts, to->places,
            recv_type, c->root, c->comm);
        break;
    case SCATTER:
        RUN(c, Scatter, scatter, c->send.base, sent, type, recv, received, recv_type,
            c->root, c->comm);
        break;
    default:
        RUN(c, Scatterv, scatterv, c->send.base, from->counts, from->places, type, recv,
            received, recv_type, c->root, c->comm);
        break;
    }
}

static void case_call_alltoall(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    const side_t *from = &c->sides[0], *to = &c->sides[1];
    MPI_Datatype type = c->send.type, recv_type = c->recv.type;

    switch (c->collective) {
    case ALLTOALL:
        RUN(c, Alltoall, alltoall, send, from->counts[0], type, c->recv.base,
            to->counts[0], recv_type, c->comm);
        break;
    case ALLTOALLV:
        RUN(c, Alltoallv, alltoallv, send, from->counts, from->places, type, c->recv.base,
            to->counts, to->places, recv_type, c->comm);
        break;
    default:
        RUN(c, Alltoallw, alltoallw, send, from->counts, from->places, from->types,
            c->recv.base, to->counts, to->places, to->types, c->comm);
        break;
    }
}

void case_call(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    int send_count = send_items(c) / c->send_layout->items, rc;

    switch (c->collective) {
    case BCAST:
        RUN(c, Bcast, bcast, c->recv.base, c->block / c->recv_layout->items, c->recv.type,
            c->root, c->comm);
        break;
    case ALLGATHER:
        RUN(c, Allgather, allgather, send, send_count, c->send.type, c->recv.base,
            c->block / c->recv_layout->items, c->recv.type, c->comm);
        break;
    case ALLGATHERV:
        RUN(c, Allgatherv, allgatherv, send, send_count, c->send.type, c->recv.base,
            c->recv_counts, c->recv_places, c->recv.type, c->comm);
        break;
    case BARRIER:
        MTREE_CALL_FORM(rc, c->form, &c->request, Barrier, barrier, c->comm);
        (void)rc;
        break;
    default:
        if (is_alltoall(c)) {
            case_call_alltoall(c);
        } else if (is_exchange(c)) {
            case_call_rooted(c);
        } else {
            case_call_fold(c);
        }
        break;
    }
}
