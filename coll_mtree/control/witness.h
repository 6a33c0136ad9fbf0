/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are the ranks of a communicator set alike?  What a process concludes from another one,
 * its witness, where it has not learned the settings of all.
 *
 * Each process publishes the first rank of MPI_COMM_WORLD that is set otherwise than
 * itself, since it stops to ask there.
 */
#ifndef COLL_MTREE_CONTROL_WITNESS_H
#define COLL_MTREE_CONTROL_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    COLL_MTREE_ALIKE,
    COLL_MTREE_DIFFERENT,
    COLL_MTREE_UNKNOWN
} coll_mtree_likeness_t;

typedef struct {
    int rank;      /* in MPI_COMM_WORLD, as all here */
    int different; /* the first that is set otherwise; the number of ranks: none is */
} coll_mtree_witness_t;

/*
 * What @a likeness of a world of @a ranks, whose first rank that is set otherwise is
 * @a different, is as text, for others to read; "" where it is unknown.  False: it does
 * not fit into @a size bytes.
 */
bool coll_mtree_witness_write(coll_mtree_likeness_t likeness, int different, int ranks,
                              char *text, size_t size);

/* Read @a text (NULL: none) to *different_p.  False: nothing is to be learned from it. */
bool coll_mtree_witness_read(const char *text, int *different_p);

/* Are the @a count ranks @a ranks (-1: of another world) set alike, as far as @a witness
 * tells? */
coll_mtree_likeness_t coll_mtree_witness_judge(const coll_mtree_witness_t *witness,
                                               const int *ranks, int count);

#endif
