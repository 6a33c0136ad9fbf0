/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of mtree_bench, in the manner of the OSU micro-benchmarks.
 */
#ifndef MTREE_BENCH_OPTIONS_H
#define MTREE_BENCH_OPTIONS_H

#include "base/status.h"
#include "bench/arrivals.h"
#include "bench/control.h"
#include "bench/operation.h"

#include <stdbool.h>
#include <stddef.h>

#define BENCH_OPTIONS_ROTATE -1

typedef struct {
    const bench_operation_t *operation;
    size_t min_bytes;
    size_t max_bytes;
    int iterations; /* -1: the default for the size */
    int warmup;     /* -1: the default for the size */
    int num_ranks;
    int root;     /* or BENCH_OPTIONS_ROTATE: iteration i has root i modulo the number of
                     ranks */
    int active;   /* ranks that call, from rank 0 on */
    double limit; /* seconds after which no more calls begin; one is timed */
    bench_setting_t settings[BENCH_CONTROL_MOST];
    int num_settings;
    bool staggered; /* ranks enter as `arrivals` says, not all at once */
    bench_arrivals_t arrivals;
    bool total;    /* sizes of a gathering operation are those of its whole result */
    bool together; /* all ranks begin at one time, not as they leave a barrier */
    bool validate;
    bool full;
    bool json;
    bool tasks; /* other command lines follow on standard input */
    bool help;  /* it was asked for, and nothing else is to be done */
} bench_options_t;

/*
 * Read the command line of @a num_ranks ranks; --help is answered on standard output.  On
 * MTREE_ERR_INVALID one line was logged that says which argument is wrong; log and print
 * on one rank only.
 */
mtree_status_t bench_options_parse(int argc, char **argv, int num_ranks,
                                   bench_options_t *options_p);

/* Iterations that are timed, and those that come before, for a message of @a bytes bytes.
 */
int bench_options_iterations(const bench_options_t *options, size_t bytes);
int bench_options_warmup(const bench_options_t *options, size_t bytes);

#endif
