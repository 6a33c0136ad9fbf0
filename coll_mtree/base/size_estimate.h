/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Size estimates: the size of calls of which each rank knows its own part alone, such as
 * MPI_Alltoallv().  Now and then the ranks add up what they had since the last time, all
 * at the same call; in between the last sum holds.  A decision, without messages.
 */
#ifndef COLL_MTREE_BASE_SIZE_ESTIMATE_H
#define COLL_MTREE_BASE_SIZE_ESTIMATE_H

#include <stdbool.h>

/* The ranks agree at calls 1, 2, 4, 8, ... up to this number, and then at each multiple
 * of it. */
#define COLL_MTREE_SIZE_ESTIMATE_INTERVAL 32

typedef struct {
    unsigned calls; /* so far */
    unsigned since; /* of them since the ranks agreed */
    double bytes;   /* of this rank in those */
    double agreed;  /* bytes of a call; counts once is_agreed */
    bool is_agreed;
} coll_mtree_size_estimate_t;

/* Count a call of which this rank has @a bytes.  True: the ranks are to agree, on the sum
 * of *mean_p, which is this rank's part of the calls since the last time. */
bool coll_mtree_size_estimate_add(coll_mtree_size_estimate_t *estimate, double bytes,
                                  double *mean_p);

/* They have agreed on @a bytes. */
void coll_mtree_size_estimate_set(coll_mtree_size_estimate_t *estimate, double bytes);

#endif
