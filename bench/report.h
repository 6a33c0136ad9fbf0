/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree_bench prints: a table in the OSU micro-benchmarks' format, or one JSON
 * object.
 */
#ifndef MTREE_BENCH_REPORT_H
#define MTREE_BENCH_REPORT_H

#include "bench/options.h"

#include <stddef.h>

/*
 * Times in seconds.  `mean`, `min` and `max` are over ranks, of each rank's mean over
 * iterations, as OSU has them; `slowest_*` are over iterations, of the time of the
 * slowest rank, which is the time of the operation.  `processors` is what a call takes of
 * the processors, all ranks together; a rank that waits polls, so that waiting counts.
 */
typedef struct {
    size_t bytes;
    int iterations;
    double mean, min, max;
    double slowest_mean, slowest_median, slowest_min, slowest_max;
    const double *calls; /* [iterations] of the slowest rank, in order; the caller's */
    double processors;
    double
        last_arrival; /* mean over iterations; of staggered arrivals, as what follows */
    double tail_mean, tail_median, tail_min,
        tail_max; /* over iterations, from the last
                     arrival to the last completion */
    int num_ranks;
    const double *stays; /* [num_ranks] mean of each rank's time in the call; the
                            caller's */
    long failures;       /* ranks and iterations with a wrong result */
} bench_timing_t;

typedef struct bench_report bench_report_t;

/* Begin the report of a run on @a num_ranks ranks; a table's header is printed at once.
 */
mtree_status_t bench_report_create(const bench_options_t *options, int num_ranks,
                                   bench_report_t **report_p);

/* Add one size: a table's line is printed at once. */
void bench_report_add(bench_report_t *report, const bench_timing_t *timing);

/* Print what was held back until the end, and free; NULL is allowed. */
void bench_report_destroy(bench_report_t *report);

#endif
