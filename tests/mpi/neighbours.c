/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/neighbours.h"
#include "tests/mpi/scratch.h"

/* A ring: neighbour 0 is the rank before, neighbour 1 the rank behind. */
typedef struct {
    mtree_scratch_t scratch;
    int peer[2];
} ring_t;

/* Block k goes to neighbour k, and its items say so. */
static void fill(ring_t *ring)
{
    mtree_scratch_t *s = &ring->scratch;
    int i;

    mtree_scratch_fill(s, 0);
    for (i = 0; i < s->count; i++) {
        s->send[s->count + i] = mtree_scratch_item(s->rank, 1, i);
    }
}

static void expect_gathered(ring_t *ring, const char *what)
{
    mtree_scratch_t *s = &ring->scratch;

    mtree_scratch_expect(s, what, 0, s->count, ring->peer[0], 0);
    mtree_scratch_expect(s, what, s->count, s->count, ring->peer[1], 0);
}

/*
 * We are neighbour 1 of the rank before us and neighbour 0 of the one behind.  On rings
 * of one or two ranks these are the same rank, and which of its blocks comes first
 * differs between the topologies.
 */
static void expect_exchanged(ring_t *ring, const char *what)
{
    mtree_scratch_t *s = &ring->scratch;

    if (ring->peer[0] != ring->peer[1]) {
        mtree_scratch_expect(s, what, 0, s->count, ring->peer[0], 1);
        mtree_scratch_expect(s, what, s->count, s->count, ring->peer[1], 0);
    }
}

static void check_gathers(ring_t *ring)
{
    mtree_scratch_t *s = &ring->scratch;
    int counts[2] = {s->count, s->count};
    int displs[2] = {0, s->count};

    fill(ring);
    MTREE_RUN(s, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, s->send, s->count,
              MPI_INT, s->recv, s->count, MPI_INT, s->comm);
    expect_gathered(ring, "neighbor_allgather");

    fill(ring);
    MTREE_RUN(s, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, s->send, s->count,
              MPI_INT, s->recv, counts, displs, MPI_INT, s->comm);
    expect_gathered(ring, "neighbor_allgatherv");
}

static void check_exchanges(ring_t *ring)
{
    mtree_scratch_t *s = &ring->scratch;
    int counts[2] = {s->count, s->count};
    int displs[2] = {0, s->count};
    MPI_Aint offsets[2] = {0, (MPI_Aint)s->count * (MPI_Aint)sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    fill(ring);
    MTREE_RUN(s, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, s->send, s->count,
              MPI_INT, s->recv, s->count, MPI_INT, s->comm);
    expect_exchanged(ring, "neighbor_alltoall");

    fill(ring);
    MTREE_RUN(s, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, s->send, counts, displs,
              MPI_INT, s->recv, counts, displs, MPI_INT, s->comm);
    expect_exchanged(ring, "neighbor_alltoallv");

    fill(ring);
    MTREE_RUN(s, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, s->send, counts,
              offsets, types, s->recv, counts, offsets, types, s->comm);
    expect_exchanged(ring, "neighbor_alltoallw");
}

static void check_ring(MPI_Comm comm, const char *name, bool nonblocking, int count)
{
    ring_t ring;
    int num_ranks;

    /* There are two blocks even on a ring of one rank. */
    MPI_Comm_size(comm, &num_ranks);
    mtree_scratch_init(&ring.scratch, comm, name, nonblocking, 2 * count);
    ring.scratch.count = count;
    ring.peer[0] = (ring.scratch.rank + num_ranks - 1) % num_ranks;
    ring.peer[1] = (ring.scratch.rank + 1) % num_ranks;
    check_gathers(&ring);
    check_exchanges(&ring);
    mtree_scratch_cleanup(&ring.scratch);
}

void mtree_neighbours_check(MPI_Comm comm, bool nonblocking, int count)
{
    int around = 1;
    MPI_Comm cart, graph;
    int num_ranks, rank;
    int peers[2];
    int weights[2] = {1, 1};

    MPI_Comm_size(comm, &num_ranks);
    MPI_Comm_rank(comm, &rank);
    peers[0] = (rank + num_ranks - 1) % num_ranks;
    peers[1] = (rank + 1) % num_ranks;

    MPI_Cart_create(comm, 1, &num_ranks, &around, 0, &cart);
    check_ring(cart, "a Cartesian ring", nonblocking, count);
    MPI_Comm_free(&cart);

    MPI_Dist_graph_create_adjacent(comm, 2, peers, weights, 2, peers, weights,
                                   MPI_INFO_NULL, 0, &graph);
    check_ring(graph, "a graph ring", nonblocking, count);
    MPI_Comm_free(&graph);
}
