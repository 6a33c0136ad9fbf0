/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who comes when: patterns of arrival at a collective, as a time after the barrier before
 * it for each rank and iteration.
 */
#ifndef MTREE_BENCH_ARRIVALS_H
#define MTREE_BENCH_ARRIVALS_H

#include "base/status.h"

typedef enum {
    MTREE_ARRIVALS_ALL,      /* all at once */
    MTREE_ARRIVALS_ONE_LATE, /* the last rank after the span, all others at once */
    MTREE_ARRIVALS_INTERVAL, /* one after another, the last one after the span */
    MTREE_ARRIVALS_RANDOM,   /* anywhere in the span, drawn anew for each call */
    MTREE_ARRIVALS_RAMP,     /* one after another, ever farther apart, up to the span */
    MTREE_ARRIVALS_FILE      /* as it was written down */
} mtree_arrivals_kind_t;

typedef struct {
    mtree_arrivals_kind_t kind;
    double span; /* seconds */
    int num_lines;
    int num_ranks;   /* of a line */
    double *seconds; /* [num_lines x num_ranks], of a file; owned */
} mtree_arrivals_t;

/*
 * The pattern that @a name names: all, one-late, interval, random, ramp, or the path of a
 * file with a line for each call, which are used in turns: for each of the @a num_ranks
 * ranks, seconds.  On MTREE_ERR_INVALID one line was logged.  The span stays as it is.
 */
mtree_status_t mtree_arrivals_read(const char *name, int num_ranks,
                                   mtree_arrivals_t *arrivals);

/* Free what it owns. */
void mtree_arrivals_cleanup(mtree_arrivals_t *arrivals);

/* Seconds after which @a rank of @a num_ranks comes in iteration @a iteration. */
double mtree_arrivals_get(const mtree_arrivals_t *arrivals, int rank, int num_ranks,
                          int iteration);

/* Be away for so many seconds, as a rank that computes is: outside MPI. */
void mtree_arrivals_wait(double seconds);

#endif
