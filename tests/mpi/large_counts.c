/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions with arrays of large counts and displacements (MPI_Alltoallv_c(), ...),
 * in all three forms, beside those with int.  Blocks differ in length, and lie in the
 * opposite order of the ranks.
 *
 *   large_counts           makes the calls
 *   large_counts is_there  only tells whether there are such functions, from MPI 4 on: 0,
 *                          or 77
 */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4

int main(void)
{
    puts("large_counts: this MPI has no functions for large counts: skipped");
    return 77;
}

#else

#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <stdlib.h>

#define LONGEST 3000

/* As MTREE_CALL_FORM(), and wait for its end. */
#define RUN(_form, _name, _lower, ...)                                                   \
    do {                                                                                 \
        MPI_Request request = MPI_REQUEST_NULL;                                          \
        int rc;                                                                          \
                                                                                         \
        if ((_form) == MTREE_BLOCKING_FORM) {                                            \
            rc = MPI_##_name##_c(__VA_ARGS__);                                           \
        } else if ((_form) == MTREE_NONBLOCKING_FORM) {                                  \
            rc = MPI_I##_lower##_c(__VA_ARGS__, &request);                               \
        } else {                                                                         \
            rc = MPI_##_name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request);             \
            MPI_Start(&request);                                                         \
        }                                                                                \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                           \
        if ((_form) == MTREE_PERSISTENT_FORM) {                                          \
            MPI_Request_free(&request);                                                  \
        }                                                                                \
        mtree_expect(rc == MPI_SUCCESS, #_name ", form %d: %d", (_form), rc);            \
    } while (0)

/* One side of a call: a block for each rank. */
typedef struct {
    int *items;
    MPI_Count *counts;
    MPI_Aint *places;      /* in items */
    MPI_Aint *byte_places; /* the same in bytes */
    MPI_Datatype *types;
} sides_t;

static int rank, ranks;
static sides_t send, recv;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static void make_side(sides_t *side)
{
    const size_t count = (size_t)ranks;

    side->items = allocate(count * LONGEST, sizeof(*side->items));
    side->counts = allocate(count, sizeof(*side->counts));
    side->places = allocate(count, sizeof(*side->places));
    side->byte_places = allocate(count, sizeof(*side->byte_places));
    side->types = allocate(count, sizeof(*side->types));
    for (int r = 0; r < ranks; r++) {
        side->places[r] = (MPI_Aint)(ranks - 1 - r) * LONGEST;
        side->byte_places[r] = side->places[r] * (MPI_Aint)sizeof(int);
        side->types[r] = MPI_INT;
    }
}

static void free_side(sides_t *side)
{
    free(side->items);
    free(side->counts);
    free(side->places);
    free(side->byte_places);
    free(side->types);
}

/* Items that @a from sends to @a to; some are none. */
static MPI_Count length(int from, int to)
{
    return (MPI_Count)((from + 2 * to) % 4 * (LONGEST / 3));
}

/* Item number @a i of them. */
static int item(int from, int to, int i)
{
    return (from * 100 + to) * LONGEST + i;
}

static void fill(void)
{
    for (int r = 0; r < ranks; r++) {
        send.counts[r] = length(rank, r);
        recv.counts[r] = length(r, rank);
        for (int i = 0; i < LONGEST; i++) {
            send.items[send.places[r] + i] = item(rank, r, i);
            recv.items[recv.places[r] + i] = -1;
        }
    }
}

/* Is the block of @a count items at @a place that which @a from has for @a to? */
static void check(const char *name, int form, MPI_Aint place, MPI_Count count, int from,
                  int to)
{
    for (int i = 0; i < LONGEST; i++) {
        int expected = i < count ? item(from, to, i) : -1;

        if (recv.items[place + i] != expected) {
            mtree_expect(false, "%s, form %d, of rank %d, item %d: %d, not %d", name,
                         form, from, i, recv.items[place + i], expected);
            return;
        }
    }
    mtree_expect(true, "%s", name);
}

static void check_all(const char *name, int form)
{
    for (int r = 0; r < ranks; r++) {
        check(name, form, recv.places[r], recv.counts[r], r, rank);
    }
}

static void exchange(int form)
{
    fill();
    RUN(form, Alltoallv, alltoallv, send.items, send.counts, send.places, MPI_INT,
        recv.items, recv.counts, recv.places, MPI_INT, MPI_COMM_WORLD);
    check_all("alltoallv", form);
    fill();
    RUN(form, Alltoallw, alltoallw, send.items, send.counts, send.byte_places, send.types,
        recv.items, recv.counts, recv.byte_places, recv.types, MPI_COMM_WORLD);
    check_all("alltoallw", form);
}

static void rooted(int form, int root)
{
    fill();
    RUN(form, Gatherv, gatherv, send.items + send.places[root], send.counts[root],
        MPI_INT, recv.items, recv.counts, recv.places, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < ranks; r++) {
        check("gatherv", form, recv.places[r], recv.counts[r], r, root);
    }
    fill();
    RUN(form, Scatterv, scatterv, send.items, send.counts, send.places, MPI_INT,
        recv.items, recv.counts[root], MPI_INT, root, MPI_COMM_WORLD);
    check("scatterv", form, 0, recv.counts[root], root, rank);
}

/* Every rank gets what each has for the last one. */
static void gather_all(int form)
{
    const int last = ranks - 1;

    fill();
    for (int r = 0; r < ranks; r++) {
        recv.counts[r] = length(r, last);
    }
    RUN(form, Allgatherv, allgatherv, send.items + send.places[last], send.counts[last],
        MPI_INT, recv.items, recv.counts, recv.places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        check("allgatherv", form, recv.places[r], recv.counts[r], r, last);
    }
}

/* Rank r gets the sum of so many items as rank 0 has for it. */
static void reduce(int form)
{
    int expected = 0;
    MPI_Aint first = 0;

    fill();
    for (int r = 0; r < ranks; r++) {
        recv.counts[r] = length(0, r);
        first += r < rank ? recv.counts[r] : 0;
    }
    for (int i = 0; i < ranks * LONGEST; i++) {
        send.items[i] = rank + i % 1000;
    }
    RUN(form, Reduce_scatter, reduce_scatter, send.items, recv.items, recv.counts,
        MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < recv.counts[rank]; i++) {
        expected = ranks * (ranks - 1) / 2 + ranks * (int)((first + i) % 1000);
        if (recv.items[i] != expected) {
            mtree_expect(false, "reduce_scatter, form %d, item %d: %d, not %d", form, i,
                         recv.items[i], expected);
            return;
        }
    }
    mtree_expect(true, "reduce_scatter");
}

/* Large counts of the functions without arrays. */
static void simple(int form)
{
    const MPI_Count count = LONGEST;

    fill();
    if (rank == 1) {
        for (int i = 0; i < LONGEST; i++) {
            recv.items[i] = item(1, 0, i);
        }
    }
    RUN(form, Bcast, bcast, recv.items, count, MPI_INT, 1, MPI_COMM_WORLD);
    check("bcast", form, 0, count, 1, 0);
    for (int i = 0; i < LONGEST; i++) {
        send.items[i] = rank == 0 ? item(0, 2, i) : 0;
        recv.items[i] = -1;
    }
    RUN(form, Allreduce, allreduce, send.items, recv.items, count, MPI_INT, MPI_SUM,
        MPI_COMM_WORLD);
    check("allreduce", form, 0, count, 0, 2);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return EXIT_SUCCESS;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_side(&send);
    make_side(&recv);
    for (int form = 0; form < MTREE_FORMS; form++) {
        exchange(form);
        rooted(form, ranks - 1);
        gather_all(form);
        reduce(form);
        simple(form);
    }
    free_side(&send);
    free_side(&recv);
    return mtree_expect_end("large_counts");
}

#endif
