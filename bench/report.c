/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/report.h"
#include "base/log.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define MICROSECONDS 1e6
#define GIGABYTE     1e9
#define WIDTH        18

struct bench_report {
    bench_options_t options;
    json_t *sizes;
    json_t *json; /* NULL: a table is printed */
};

static void print_header(const bench_options_t *options, int num_ranks)
{
    printf("\n# mtree_bench: MPI %s latency, %d ranks%s\n", options->operation->name,
           num_ranks, options->total ? ", sizes of the whole result" : "");
    printf("%-10s%*s%*s", "# Size", WIDTH, "Avg Latency(us)", WIDTH, "Slowest(us)");
    if (options->staggered) {
        printf("%*s%*s", WIDTH, "Last arrival(us)", WIDTH, "After it(us)");
    }
    if (options->full) {
        printf("%*s%*s%*s%*s", WIDTH, "Min Latency(us)", WIDTH, "Max Latency(us)",
               WIDTH - 4, "Iterations", WIDTH, "Processor s/GB");
    }
    printf("%*s\n", options->validate ? WIDTH : 0, options->validate ? "Validation" : "");
    fflush(stdout);
}

/* Processor seconds of all ranks for a gigabyte of the message; 0 for no bytes. */
static double processors_per_gigabyte(const bench_timing_t *timing)
{
    return timing->bytes == 0 ? 0
                              : timing->processors / ((double)timing->bytes / GIGABYTE);
}

/* One line per rank: its time in the call. */
static void print_stays(const bench_timing_t *timing)
{
    for (int rank = 0; rank < timing->num_ranks; rank++) {
        printf("#   rank %-5d%*.2f\n", rank, WIDTH, timing->stays[rank] * MICROSECONDS);
    }
}

static void print_line(const bench_options_t *options, const bench_timing_t *timing)
{
    printf("%-10zu%*.2f%*.2f", timing->bytes, WIDTH, timing->mean * MICROSECONDS, WIDTH,
           timing->slowest_mean * MICROSECONDS);
    if (options->staggered) {
        printf("%*.2f%*.2f", WIDTH, timing->last_arrival * MICROSECONDS, WIDTH,
               timing->tail_mean * MICROSECONDS);
    }
    if (options->full) {
        printf("%*.2f%*.2f%*d%*.3g", WIDTH, timing->min * MICROSECONDS, WIDTH,
               timing->max * MICROSECONDS, WIDTH - 4, timing->iterations, WIDTH,
               processors_per_gigabyte(timing));
    }
    if (options->validate) {
        printf("%*s", WIDTH, (timing->failures == 0) ? "Pass" : "Fail");
    }
    printf("\n");
    if (options->staggered && options->full) {
        print_stays(timing);
    }
    fflush(stdout);
}

mtree_status_t bench_report_create(const bench_options_t *options, int num_ranks,
                                   bench_report_t **report_p)
{
    bench_report_t *report = calloc(1, sizeof(*report));

    if (report == NULL) {
        goto err;
    }
    report->options = *options;
    if (!options->json) {
        print_header(options, num_ranks);
        *report_p = report;
        return MTREE_OK;
    }
    report->sizes = json_array();
    report->json =
        json_pack("{s:s, s:i, s:b, s:b, s:O}", "collective", options->operation->name,
                  "ranks", num_ranks, "total", (int)options->total, "validated",
                  (int)options->validate, "sizes", report->sizes);
    if (report->json == NULL) {
        goto err_free;
    }
    *report_p = report;
    return MTREE_OK;

err_free:
    json_decref(report->sizes);
    free(report);
err:
    mtree_error("no memory for the report");
    return MTREE_ERR_NO_MEMORY;
}

static json_t *timing_to_json(const bench_timing_t *timing)
{
    json_t *calls = json_array();

    for (int i = 0; i < timing->iterations; i++) {
        json_array_append_new(calls, json_real(timing->calls[i] * MICROSECONDS));
    }
    return json_pack(
        "{s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:I}", "bytes",
        (json_int_t)timing->bytes, "iterations", timing->iterations, "avg_us",
        timing->mean * MICROSECONDS, "min_us", timing->min * MICROSECONDS, "max_us",
        timing->max * MICROSECONDS, "slowest_avg_us", timing->slowest_mean * MICROSECONDS,
        "slowest_median_us", timing->slowest_median * MICROSECONDS, "slowest_min_us",
        timing->slowest_min * MICROSECONDS, "slowest_max_us",
        timing->slowest_max * MICROSECONDS, "calls_us", calls, "processor_s_per_gb",
        processors_per_gigabyte(timing), "failures", (json_int_t)timing->failures);
}

static void add_arrivals(const bench_timing_t *timing, json_t *object)
{
    json_t *stays = json_array();

    for (int rank = 0; rank < timing->num_ranks; rank++) {
        json_array_append_new(stays, json_real(timing->stays[rank] * MICROSECONDS));
    }
    json_object_update_new(object,
                           json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "last_arrival_us",
                                     timing->last_arrival * MICROSECONDS, "after_avg_us",
                                     timing->tail_mean * MICROSECONDS, "after_median_us",
                                     timing->tail_median * MICROSECONDS, "after_min_us",
                                     timing->tail_min * MICROSECONDS, "after_max_us",
                                     timing->tail_max * MICROSECONDS, "stay_us", stays));
}

void bench_report_add(bench_report_t *report, const bench_timing_t *timing)
{
    json_t *object;

    if (report->json == NULL) {
        print_line(&report->options, timing);
        return;
    }
    object = timing_to_json(timing);
    if (object != NULL && report->options.staggered) {
        add_arrivals(timing, object);
    }
    if (json_array_append_new(report->sizes, object) != 0) {
        mtree_error("no memory for the report's line of %zu bytes", timing->bytes);
    }
}

void bench_report_destroy(bench_report_t *report)
{
    if (report == NULL) {
        return;
    }
    if (report->json != NULL) {
        json_dumpf(report->json, stdout, JSON_REAL_PRECISION(9));
        printf("\n");
        fflush(stdout);
        json_decref(report->json);
        json_decref(report->sizes);
    }
    free(report);
}
