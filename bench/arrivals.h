/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns of arrival: how many seconds after the barrier each rank enters the call of an
 * iteration.
 */
#ifndef MTREE_BENCH_ARRIVALS_H
#define MTREE_BENCH_ARRIVALS_H

#include "base/status.h"

typedef enum {
    BENCH_ARRIVALS_ALL,      /* all at once */
    BENCH_ARRIVALS_ONE_LATE, /* the last rank after the span, all others at once */
    BENCH_ARRIVALS_INTERVAL, /* one after another, the last one after the span */
    BENCH_ARRIVALS_RANDOM,   /* anywhere in the span, drawn anew for each call */
    BENCH_ARRIVALS_RAMP,     /* one after another, ever farther apart, up to the span */
    BENCH_ARRIVALS_FILE      /* as a file lists them */
} bench_arrivals_kind_t;

typedef struct {
    bench_arrivals_kind_t kind;
    double span; /* seconds */
    int num_lines;
    int num_ranks;   /* of a line */
    double *seconds; /* [num_lines x num_ranks], of a file; owned */
} bench_arrivals_t;

/*
 * The pattern of that name: all, one-late, interval, random, ramp, or the path of a file.
 * Each line of the file has a time in seconds per rank, @a num_ranks in all; calls use
 * the lines in turn.  On MTREE_ERR_INVALID one line was logged.  The span stays as it is.
 */
mtree_status_t bench_arrivals_read(const char *name, int num_ranks,
                                   bench_arrivals_t *arrivals);

/* Free what it owns. */
void bench_arrivals_cleanup(bench_arrivals_t *arrivals);

/* Seconds after which @a rank of @a num_ranks enters iteration @a iteration. */
double bench_arrivals_get(const bench_arrivals_t *arrivals, int rank, int num_ranks,
                          int iteration);

/* Sleep: a rank that computes makes no progress in MPI. */
void bench_arrivals_wait(double seconds);

#endif
