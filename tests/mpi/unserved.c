/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/unserved.h"

#include "tests/mpi/expect.h"

#include <stdlib.h>
#include <string.h>

/* Calls on one communicator, of which block r of the buffers is for, or from, peer r. */
typedef struct {
    MPI_Comm comm;
    const char *name;
    bool nonblocking;
    int rank, peers, count; /* ints of a block */
    int *send, *recv;
    int *counts, *displs; /* [peers] of blocks of unequal length in the opposite order */
    const char *what;     /* the last call */
} calls_t;

#define CALL(_calls, _name, _lower, ...)                                                 \
    do {                                                                                 \
        MPI_Request _request;                                                            \
                                                                                         \
        (_calls)->what = #_lower;                                                        \
        if ((_calls)->nonblocking) {                                                     \
            MPI_I##_lower(__VA_ARGS__, &_request);                                       \
            MPI_Wait(&_request, MPI_STATUS_IGNORE);                                      \
        } else {                                                                         \
            MPI_##_name(__VA_ARGS__);                                                    \
        }                                                                                \
    } while (0)

/* The same with other data, whose blocks are as displs has them if @a _reversed. */
#define RUN(_calls, _reversed, ...)                                                      \
    do {                                                                                 \
        fill(_calls, _reversed);                                                         \
        CALL(_calls, __VA_ARGS__);                                                       \
    } while (0)

/* What rank @a from sends to rank @a to at position @a i: different for each. */
static int item(int from, int to, int i)
{
    return 100003 * (from + 1) + 1009 * (to + 1) + i;
}

/* Ints that rank @a r gets, or gives, where blocks are unequal. */
static int part(const calls_t *calls, int r)
{
    return calls->count - r % 3;
}

static void open_calls(calls_t *calls, int peers)
{
    size_t bytes;
    int ranks;

    MPI_Comm_rank(calls->comm, &calls->rank);
    MPI_Comm_size(calls->comm, &ranks);
    bytes = (size_t)peers * (size_t)(calls->count + ranks) * sizeof(int);
    calls->peers = peers;
    calls->send = malloc(bytes);
    calls->recv = malloc(bytes);
    calls->counts = malloc((size_t)peers * 2 * sizeof(int));
    calls->displs = calls->counts + peers;
    for (int r = 0; r < peers; r++) {
        calls->counts[r] = part(calls, r);
        calls->displs[r] = (peers - 1 - r) * calls->count;
    }
}

static void close_calls(calls_t *calls)
{
    free(calls->send);
    free(calls->recv);
    free(calls->counts);
}

/* @a reversed: as displs has the blocks. */
static void fill(calls_t *calls, bool reversed)
{
    for (int r = 0; r < calls->peers; r++) {
        int first = reversed ? calls->displs[r] : r * calls->count;

        for (int i = 0; i < calls->count; i++) {
            calls->send[first + i] = item(calls->rank, r, i);
        }
    }
    memset(calls->recv, 0xff, (size_t)(calls->peers * calls->count) * sizeof(int));
}

/* Where the result @a is_here the @a count ints at @a first are the sums of those from @a
 * from to @a last for @a to. */
static void expect_sum(const calls_t *calls, bool is_here, int first, int count, int from,
                       int last, int to)
{
    int wrong = 0;

    for (int i = 0; i < count && is_here; i++) {
        int sum = 0;

        for (int r = from; r <= last; r++) {
            sum += item(r, to, i);
        }
        wrong += calls->recv[first + i] != sum;
    }
    mtree_expect(wrong == 0, "%s%s on %s: %d of %d ints from rank %d are wrong",
                 calls->nonblocking ? "nonblocking " : "", calls->what, calls->name,
                 wrong, count, from);
}

/* A whole block. */
static void expect(const calls_t *calls, bool is_here, int first, int from, int to)
{
    expect_sum(calls, is_here, first, calls->count, from, from, to);
}

/* A block from each rank for @a to. */
static void expect_all(const calls_t *calls, bool is_here, bool reversed, int to)
{
    for (int r = 0; r < calls->peers; r++) {
        expect_sum(calls, is_here, reversed ? calls->displs[r] : r * calls->count,
                   reversed ? calls->counts[r] : calls->count, r, r, to);
    }
}

/* @a root is MPI_ROOT at the root, MPI_PROC_NULL beside it, and its rank, 0, in the other
 * group. */
static void check_rooted(calls_t *c, int root)
{
    int *send = c->send, *recv = c->recv, count = c->count, last = c->peers - 1;
    int mine = part(c, c->rank);

    RUN(c, false, Bcast, bcast, root == MPI_ROOT ? send : recv, count, MPI_INT, root,
        c->comm);
    expect(c, root == 0, 0, 0, 0);
    RUN(c, false, Scatter, scatter, send, count, MPI_INT, recv, count, MPI_INT, root,
        c->comm);
    expect(c, root == 0, 0, 0, c->rank);
    RUN(c, true, Scatterv, scatterv, send, c->counts, c->displs, MPI_INT, recv, mine,
        MPI_INT, root, c->comm);
    expect_sum(c, root == 0, 0, mine, 0, 0, c->rank);
    RUN(c, false, Gather, gather, send, count, MPI_INT, recv, count, MPI_INT, root,
        c->comm);
    expect_all(c, root == MPI_ROOT, false, 0);
    RUN(c, false, Gatherv, gatherv, send, mine, MPI_INT, recv, c->counts, c->displs,
        MPI_INT, root, c->comm);
    expect_all(c, root == MPI_ROOT, true, 0);
    RUN(c, false, Reduce, reduce, send, recv, count, MPI_INT, MPI_SUM, root, c->comm);
    expect_sum(c, root == MPI_ROOT, 0, count, 0, last, 0);
}

static void check_all(calls_t *c)
{
    int *send = c->send, *recv = c->recv, count = c->count, last = c->peers - 1, ranks;

    CALL(c, Barrier, barrier, c->comm);
    RUN(c, false, Allreduce, allreduce, send, recv, count, MPI_INT, MPI_SUM, c->comm);
    expect_sum(c, true, 0, count, 0, last, 0);
    RUN(c, false, Allgather, allgather, send, count, MPI_INT, recv, count, MPI_INT,
        c->comm);
    expect_all(c, true, false, 0);
    RUN(c, false, Allgatherv, allgatherv, send, part(c, c->rank), MPI_INT, recv,
        c->counts, c->displs, MPI_INT, c->comm);
    expect_all(c, true, true, 0);
    RUN(c, false, Alltoall, alltoall, send, count, MPI_INT, recv, count, MPI_INT,
        c->comm);
    expect_all(c, true, false, c->rank);
    /* The vectors of both groups have one length, so blocks are `peers` long here and
     * `ranks` there. */
    MPI_Comm_size(c->comm, &ranks);
    for (int i = 0; i < ranks * c->peers; i++) {
        send[i] = 1 + c->rank;
    }
    CALL(c, Reduce_scatter_block, reduce_scatter_block, send, recv, c->peers, MPI_INT,
         MPI_SUM, c->comm);
    mtree_expect(recv[0] == c->peers * (c->peers + 1) / 2,
                 "reduce_scatter_block on %s: the first is %d", c->name, recv[0]);
}

void mtree_inter_check(MPI_Comm comm, bool is_root_group, bool nonblocking, int count)
{
    calls_t calls = {.comm = comm,
                     .name = "an intercommunicator",
                     .nonblocking = nonblocking,
                     .count = count};
    int peers;

    MPI_Comm_remote_size(comm, &peers);
    open_calls(&calls, peers);
    check_rooted(&calls, !is_root_group ? 0 : calls.rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
    check_all(&calls);
    close_calls(&calls);
}

/* We are neighbour 1 of the rank before us and neighbour 0 of the one behind.  On rings
 * of one or two ranks these are the same rank, and which of its blocks comes first
 * differs between the topologies. */
static void expect_exchanged(calls_t *c, const int *peer)
{
    if (peer[0] != peer[1]) {
        expect(c, true, 0, peer[0], 1);
        expect(c, true, c->count, peer[1], 0);
    }
}

static void check_ring(MPI_Comm comm, const char *name, bool nonblocking, int count,
                       const int *peer)
{
    calls_t calls = {
        .comm = comm, .name = name, .nonblocking = nonblocking, .count = count};
    calls_t *c = &calls;
    int *send, *recv, displs[2] = {0, count}, counts[2] = {count, count};
    MPI_Aint offsets[2] = {0, (MPI_Aint)count * (MPI_Aint)sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    open_calls(c, 2);
    send = c->send;
    recv = c->recv;
    RUN(c, false, Neighbor_allgather, neighbor_allgather, send, count, MPI_INT, recv,
        count, MPI_INT, comm);
    expect(c, true, 0, peer[0], 0);
    expect(c, true, count, peer[1], 0);
    RUN(c, false, Neighbor_allgatherv, neighbor_allgatherv, send, count, MPI_INT, recv,
        counts, c->displs, MPI_INT, comm);
    expect(c, true, count, peer[0], 0);
    expect(c, true, 0, peer[1], 0);
    RUN(c, false, Neighbor_alltoall, neighbor_alltoall, send, count, MPI_INT, recv, count,
        MPI_INT, comm);
    expect_exchanged(c, peer);
    RUN(c, false, Neighbor_alltoallv, neighbor_alltoallv, send, counts, displs, MPI_INT,
        recv, counts, displs, MPI_INT, comm);
    expect_exchanged(c, peer);
    RUN(c, false, Neighbor_alltoallw, neighbor_alltoallw, send, counts, offsets, types,
        recv, counts, offsets, types, comm);
    expect_exchanged(c, peer);
    close_calls(c);
}

void mtree_neighbours_check(MPI_Comm comm, bool nonblocking, int count)
{
    int around = 1, weights[2] = {1, 1}, peers[2], ranks, rank;
    MPI_Comm cart, graph;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    peers[0] = (rank + ranks - 1) % ranks;
    peers[1] = (rank + 1) % ranks;
    MPI_Cart_create(comm, 1, &ranks, &around, 0, &cart);
    check_ring(cart, "a Cartesian ring", nonblocking, count, peers);
    MPI_Comm_free(&cart);
    MPI_Dist_graph_create_adjacent(comm, 2, peers, weights, 2, peers, weights,
                                   MPI_INFO_NULL, 0, &graph);
    check_ring(graph, "a graph ring", nonblocking, count, peers);
    MPI_Comm_free(&graph);
}
