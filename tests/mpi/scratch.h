/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Integer arrays for the tests of every collective, and the items that travel in them.
 */
#ifndef MTREE_TESTS_MPI_SCRATCH_H
#define MTREE_TESTS_MPI_SCRATCH_H

#include <mpi.h>
#include <stdbool.h>

/*
 * One communicator under test.  In the v- and w-variants the part of rank r is count + r
 * ints, and `send` and `recv` have room for the largest part to or from each rank.
 */
typedef struct {
    MPI_Comm comm;
    const char *name;
    bool nonblocking;
    int rank;
    int num_ranks;  /* of the local group */
    int num_remote; /* of the group that data comes from: the same within an
                       intracommunicator */
    int count;      /* ints a rank sends to each */
    int room;
    int *send;
    int *recv;
    int *counts; /* [num_remote] the parts */
    int *displs; /* [num_remote] one part behind the other */
} mtree_scratch_t;

/* Run the blocking or the nonblocking form of a collective with the same arguments. */
#define MTREE_RUN(_scratch, _blocking, _nonblocking, ...)                                \
    do {                                                                                 \
        if ((_scratch)->nonblocking) {                                                   \
            MPI_Request _request;                                                        \
            _nonblocking(__VA_ARGS__, &_request);                                        \
            MPI_Wait(&_request, MPI_STATUS_IGNORE);                                      \
        } else {                                                                         \
            _blocking(__VA_ARGS__);                                                      \
        }                                                                                \
    } while (0)

/* Set up for @a comm; ends the job when memory is missing. */
void mtree_scratch_init(mtree_scratch_t *scratch, MPI_Comm comm, const char *name,
                        bool nonblocking, int count);

/* Free the arrays. */
void mtree_scratch_cleanup(mtree_scratch_t *scratch);

/* What rank @a from sends to rank @a to at position @a i: different for each. */
int mtree_scratch_item(int from, int to, int i);

/* Write `room` items to rank @a to to `send`, and garbage to `recv`. */
void mtree_scratch_fill(mtree_scratch_t *scratch, int to);

/* The same with a block of `count` items to each rank r; with @a parts blocks of
 * counts[r]. */
void mtree_scratch_fill_blocks(mtree_scratch_t *scratch, bool parts);

/* Expect @a num ints at recv[first] to be the items from @a from to @a to. */
void mtree_scratch_expect(const mtree_scratch_t *scratch, const char *what, int first,
                          int num, int from, int to);

/* Expect recv to begin with @a num sums over ranks first_rank .. last_rank of their items
 * to @a to. */
void mtree_scratch_expect_sum(const mtree_scratch_t *scratch, const char *what, int num,
                              int first_rank, int last_rank, int to);

#endif
