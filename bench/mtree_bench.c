/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree_bench: times MPI collectives in the manner of the OSU micro-benchmarks, and
 * checks their results.
 */
#include "base/log.h"
#include "bench/communicators.h"
#include "bench/operation.h"
#include "bench/options.h"
#include "bench/pattern.h"
#include "bench/report.h"
#include "bench/tasks.h"
#include "bench/together.h"

#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const bench_options_t *options;
    const bench_pattern_t *pattern;
    bench_call_t call;
    double *seconds; /* [iterations] of this rank */
    double *slowest; /* [iterations] of the slowest rank, on rank 0; sorted later */
    double *calls;   /* [iterations] the same in their order, until the next size */
    double *arrived; /* [iterations] arrival after the barrier, of this rank; then of the
                        last */
    double *left;    /* [iterations] the same */
    double *stays;   /* [ranks] mean time in the call, on rank 0 */
    double began;    /* time at which this size began */
    double busy;     /* processor seconds of this rank in the timed calls */
    long failures;   /* of this rank */
} bench_t;

/* Processor seconds of this process so far, all its threads together. */
static double processor_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * One call.  Buffers are written before and read after the timed part.  The barrier lets
 * no rank run ahead into it; this rank enters @a late seconds after the barrier, or after
 * the time at which all are to begin together, which its time then runs from.
 */
static double time_call(bench_t *bench, int iteration, double late)
{
    const bench_operation_t *operation = bench->options->operation;
    bench_call_t *call = &bench->call;
    double overslept = 0, start, end, busy;

    call->root = (bench->options->root == BENCH_OPTIONS_ROTATE)
                     ? iteration % call->num_ranks
                     : bench->options->root;
    bench_operation_prepare(operation, call, bench->pattern, iteration);
    MPI_Barrier(call->comm);
    if (bench->options->together) {
        overslept = bench_together_wait(call->comm, late);
    } else {
        bench_arrivals_wait(late);
    }

    busy = processor_time();
    start = MPI_Wtime() - overslept;
    bench_operation_run(operation, call);
    end = MPI_Wtime();
    bench->busy += processor_time() - busy;

    if (bench->options->validate &&
        !bench_operation_check(operation, call, bench->pattern, iteration)) {
        bench->failures++;
    }
    return end - start;
}

/* May one more call begin?  Rank 0's clock decides for all. */
static bool is_in_time(const bench_t *bench)
{
    int in_time = MPI_Wtime() - bench->began < bench->options->limit;

    if (isfinite(bench->options->limit)) {
        MPI_Bcast(&in_time, 1, MPI_INT, 0, bench->call.comm);
    }
    return in_time;
}

/* The iterations that count, after up to @a warmup others: how many of @a iterations
 * there was time for, at least one. */
static int time_calls(bench_t *bench, int iterations, int warmup)
{
    const bench_options_t *options = bench->options;
    int i;

    bench->began = MPI_Wtime();
    for (i = 0; i < warmup && (i == 0 || is_in_time(bench)); i++) {
        time_call(bench, i, 0);
    }
    bench->busy = 0;
    for (i = 0; i < iterations && (i == 0 || is_in_time(bench)); i++) {
        bench->arrived[i] = options->staggered
                                ? bench_arrivals_get(&options->arrivals, bench->call.rank,
                                                     bench->call.num_ranks, i)
                                : 0;
        bench->seconds[i] = time_call(bench, warmup + i, bench->arrived[i]);
        bench->left[i] = bench->arrived[i] + bench->seconds[i];
    }
    return i;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* What a rank measured besides the times of its calls. */
enum { FAILURES, BUSY, NUM_SUMS };

/* Add a rank's times and sums to what rank 0 knows. */
static void add_rank(bench_t *bench, bench_timing_t *timing, const double *measured,
                     int iterations)
{
    const double *seconds = measured + NUM_SUMS;
    double mean = 0.0;

    for (int i = 0; i < iterations; i++) {
        mean += seconds[i] / iterations;
        bench->slowest[i] = fmax(bench->slowest[i], seconds[i]);
    }
    timing->mean += mean / bench->call.num_ranks;
    timing->min = fmin(timing->min, mean);
    timing->max = fmax(timing->max, mean);
    timing->processors += measured[BUSY] / iterations;
    timing->failures += (long)measured[FAILURES];
}

/* Figures of the slowest rank in each call. */
static void add_slowest(bench_t *bench, bench_timing_t *timing, int iterations)
{
    memcpy(bench->calls, bench->slowest, (size_t)iterations * sizeof(double));
    timing->calls = bench->calls;
    qsort(bench->slowest, (size_t)iterations, sizeof(double), compare_doubles);
    for (int i = 0; i < iterations; i++) {
        timing->slowest_mean += bench->slowest[i] / iterations;
    }
    timing->slowest_median =
        (bench->slowest[(iterations - 1) / 2] + bench->slowest[iterations / 2]) / 2.0;
    timing->slowest_min = bench->slowest[0];
    timing->slowest_max = bench->slowest[iterations - 1];
}

/*
 * Gather what all ranks measured, by one collective: between far hosts each takes as long
 * as a call.  The result is complete on rank 0; others know of their own failures.
 */
static mtree_status_t collect(bench_t *bench, size_t bytes, int iterations,
                              bench_timing_t *timing)
{
    const bool is_root = bench->call.rank == 0;
    const int length = NUM_SUMS + iterations;
    const int num_rows = is_root ? bench->call.num_ranks : 1;
    double *own = calloc((size_t)length, sizeof(double));
    double *all = calloc((size_t)num_rows * (size_t)length, sizeof(double));
    mtree_status_t status = own == NULL || all == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;

    *timing = (bench_timing_t){.bytes = bytes,
                               .iterations = iterations,
                               .failures = is_root ? 0 : bench->failures,
                               .min = INFINITY};
    if (status == MTREE_OK) {
        own[FAILURES] = (double)bench->failures;
        own[BUSY] = bench->busy;
        memcpy(own + NUM_SUMS, bench->seconds, (size_t)iterations * sizeof(double));
        MPI_Gather(own, length, MPI_DOUBLE, all, length, MPI_DOUBLE, 0, bench->call.comm);
        for (int rank = 0; is_root && rank < num_rows; rank++) {
            add_rank(bench, timing, all + (size_t)rank * (size_t)length, iterations);
        }
        add_slowest(bench, timing, iterations);
    }
    free(all);
    free(own);
    return status;
}

/*
 * The time from the last arrival to the last completion.  It contains the small
 * differences between the times at which ranks leave the barrier.
 */
static void collect_arrivals(bench_t *bench, int iterations, bench_timing_t *timing)
{
    MPI_Comm comm = bench->call.comm;
    double *last = bench->slowest; /* not needed any more */
    double mean = 0;

    for (int i = 0; i < iterations; i++) {
        mean += bench->seconds[i] / iterations;
    }
    MPI_Gather(&mean, 1, MPI_DOUBLE, bench->stays, 1, MPI_DOUBLE, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, bench->arrived, iterations, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Reduce(bench->left, last, iterations, MPI_DOUBLE, MPI_MAX, 0, comm);
    for (int i = 0; i < iterations; i++) {
        last[i] -= bench->arrived[i];
        timing->last_arrival += bench->arrived[i] / iterations;
        timing->tail_mean += last[i] / iterations;
    }
    qsort(last, (size_t)iterations, sizeof(double), compare_doubles);
    timing->tail_median = (last[(iterations - 1) / 2] + last[iterations / 2]) / 2.0;
    timing->tail_min = last[0];
    timing->tail_max = last[iterations - 1];
    timing->num_ranks = bench->call.num_ranks;
    timing->stays = bench->stays;
}

/* Bytes of the vector that one rank contributes when the user asks for @a bytes. */
static size_t vector_bytes(const bench_t *bench, size_t bytes)
{
    if (bench->options->total && bench_operation_gathers(bench->options->operation)) {
        return bytes / (size_t)bench->call.num_ranks;
    }
    return bytes;
}

static mtree_status_t measure_size(bench_t *bench, size_t bytes, bench_timing_t *timing_p)
{
    int iterations = bench_options_iterations(bench->options, bytes);
    int warmup = bench_options_warmup(bench->options, bytes);
    mtree_status_t status;
    double *calls = realloc(bench->calls, (size_t)iterations * sizeof(double));

    bench->calls = calls != NULL ? calls : bench->calls;
    status = bench_operation_acquire(bench->options->operation,
                                     vector_bytes(bench, bytes), &bench->call);
    if (status != MTREE_OK) {
        return status;
    }
    bench->failures = 0;
    bench->seconds = calloc((size_t)iterations, sizeof(double));
    bench->slowest = calloc((size_t)iterations, sizeof(double));
    bench->arrived = calloc((size_t)iterations, sizeof(double));
    bench->left = calloc((size_t)iterations, sizeof(double));
    if (calls == NULL || bench->seconds == NULL || bench->slowest == NULL ||
        bench->arrived == NULL || bench->left == NULL) {
        mtree_error("no memory for the times of %d iterations: give fewer with -i",
                    iterations);
        status = MTREE_ERR_NO_MEMORY;
        goto release;
    }
    iterations = time_calls(bench, iterations, warmup);
    status = collect(bench, bytes, iterations, timing_p);
    if (status == MTREE_OK && bench->options->staggered) {
        collect_arrivals(bench, iterations, timing_p);
    }

release:
    free(bench->left);
    free(bench->arrived);
    free(bench->slowest);
    free(bench->seconds);
    bench_operation_release(&bench->call);
    return status;
}

static mtree_status_t measure(bench_t *bench, long *failures_p)
{
    const bench_options_t *options = bench->options;
    bench_report_t *report = NULL;
    mtree_status_t status = MTREE_OK;
    bench_timing_t timing;
    size_t bytes;

    bench->stays = calloc((size_t)bench->call.num_ranks, sizeof(double));
    if (bench->stays == NULL) {
        mtree_error("no memory for the times of %d ranks", bench->call.num_ranks);
        return MTREE_ERR_NO_MEMORY;
    }
    if (bench->call.rank == 0) {
        status = bench_report_create(options, bench->call.num_ranks, &report);
    }
    for (bytes = options->min_bytes; status == MTREE_OK; bytes *= 2) {
        status = measure_size(bench, bytes, &timing);
        if (status == MTREE_OK && report != NULL) {
            bench_report_add(report, &timing);
        }
        *failures_p += (status == MTREE_OK) ? timing.failures : 0;
        if (bytes == 0 || bytes > options->max_bytes / 2) {
            break;
        }
    }
    bench_report_destroy(report);
    free(bench->stays);
    free(bench->calls);
    return status;
}

static void discard_line(mtree_log_level_t level, const char *message, void *arg)
{
    (void)level;
    (void)message;
    (void)arg;
}

/* Every rank reads the same command line, so rank 0 alone logs what is wrong with it, and
 * answers --help: no other one prints anything. */
static void mute(const bench_call_t *call)
{
    if (call->rank != 0) {
        (void)freopen("/dev/null", "w", stdout);
        mtree_log_set(discard_line, NULL, MTREE_LOG_ERROR);
    }
}

static mtree_status_t read_options(int argc, char **argv, const bench_call_t *call,
                                   bench_options_t *options_p)
{
    mtree_status_t status;

    mute(call);
    status = bench_options_parse(argc, argv, call->num_ranks, options_p);
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    return status;
}

/* Measure on the ranks that are active. */
static mtree_status_t run(bench_t *bench, const bench_options_t *options,
                          long *failures_p)
{
    bench_pattern_t *pattern = NULL;
    mtree_status_t status;

    bench->call.num_ranks = options->active;
    status = bench_pattern_create(options->active, &pattern);
    if (status == MTREE_OK) {
        bench->options = options;
        bench->pattern = pattern;
        status = measure(bench, failures_p);
    }
    if (status != MTREE_OK) {
        /* Other ranks may be waiting for this one in a collective. */
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    bench_pattern_destroy(pattern);
    return status;
}

/* On the ranks and with the control variables that are asked for. */
static mtree_status_t run_apart(bench_communicators_t *communicators, bench_call_t *call,
                                bench_options_t *options, long *failures_p)
{
    bench_t bench = {.call = *call};
    mtree_status_t status;

    mute(call);
    status = bench_communicators_get(communicators, options, &bench.call.comm);
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    return status == MTREE_OK && bench.call.comm != MPI_COMM_NULL
               ? run(&bench, options, failures_p)
               : status;
}

/* What one command line asks for; @a options_p is what it says. */
static mtree_status_t carry_out(int argc, char **argv,
                                bench_communicators_t *communicators,
                                bench_options_t *options_p, long *failures_p)
{
    bench_call_t call = {.comm = MPI_COMM_WORLD};
    mtree_status_t status;

    MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &call.num_ranks);
    status = read_options(argc, argv, &call, options_p);
    if (status != MTREE_OK || options_p->help || options_p->tasks) {
        return status;
    }
    status = run_apart(communicators, &call, options_p, failures_p);
    bench_arrivals_cleanup(&options_p->arrivals);
    return status;
}

/* The same for each line of standard input, until one is wrong. */
static mtree_status_t carry_out_tasks(bench_communicators_t *communicators,
                                      long *failures_p)
{
    mtree_status_t status = MTREE_OK;
    bench_options_t options;
    bench_task_t task;

    while (status == MTREE_OK && bench_tasks_next(MPI_COMM_WORLD, &task)) {
        status =
            carry_out(task.num_words, task.words, communicators, &options, failures_p);
    }
    return status;
}

int main(int argc, char **argv)
{
    long failures = 0;
    bench_communicators_t communicators = {.count = 0};
    bench_options_t options;
    mtree_status_t status;

    MPI_Init(&argc, &argv);
    status = carry_out(argc, argv, &communicators, &options, &failures);
    if (status == MTREE_OK && options.tasks) {
        status = carry_out_tasks(&communicators, &failures);
    }
    bench_communicators_cleanup(&communicators);
    MPI_Finalize();
    return (status == MTREE_OK && failures == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}
