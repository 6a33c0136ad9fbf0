/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/options.h"

#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"
#include "tools/options.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The OSU benchmarks' own defaults: messages above LARGE bytes get fewer iterations. */
#define LARGE            8192
#define DEFAULT_MAX      (1 << 20)
#define ITERATIONS       1000
#define ITERATIONS_LARGE 100
#define WARMUP           200
#define WARMUP_LARGE     10

/* The time of a pattern's last arrival (seconds). */
#define DEFAULT_SPAN 1.0

static mtree_status_t parse_size(const char *text, size_t *bytes_p)
{
    const char *why;
    size_t bytes;

    if (mtree_units_parse_size(text, &bytes, &why) != MTREE_OK) {
        mtree_error("-m: size '%s': %s; give bytes, or 64k, 16M", text, why);
        return MTREE_ERR_INVALID;
    }
    if (bytes == 0 || bytes > INT_MAX) {
        mtree_error("-m: size '%s': must be from 1 to %d bytes", text, INT_MAX);
        return MTREE_ERR_INVALID;
    }
    *bytes_p = bytes;
    return MTREE_OK;
}

/* MIN:MAX, MIN:, :MAX or MAX; what is not given keeps its value. */
static mtree_status_t take_sizes(const command_t *command, void *data, const char *value)
{
    const char *colon = strchr(value, ':');
    const char *max = colon == NULL ? value : colon + 1;
    bench_options_t *options = data;
    mtree_status_t status = MTREE_OK;
    char min[32];

    (void)command;
    if (colon != NULL && colon != value) {
        (void)snprintf(min, sizeof(min), "%.*s", (int)(colon - value), value);
        status = parse_size(min, &options->min_bytes);
    }
    return status == MTREE_OK && *max != '\0' ? parse_size(max, &options->max_bytes)
                                              : status;
}

static mtree_status_t take_operation(const command_t *command, void *data,
                                     const char *value)
{
    mtree_nearest_t nearest = mtree_nearest_begin(value);
    char advice[MTREE_NEAREST_ADVICE];
    const bench_operation_t *operation;
    bench_options_t *options = data;

    (void)command;
    options->operation = bench_operation_find(value);
    if (options->operation == NULL) {
        for (int i = 0; (operation = bench_operation_get(i)) != NULL; i++) {
            mtree_nearest_offer(&nearest, operation->name);
        }
        mtree_error("--collective %s: no such operation%s; --help lists them", value,
                    mtree_nearest_advice(&nearest, "", advice));
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t take_root(const command_t *command, void *data, const char *value)
{
    bench_options_t *options = data;
    char *end;
    long root = strtol(value, &end, 10);

    (void)command;
    if (strcmp(value, "rotate") == 0) {
        options->root = BENCH_OPTIONS_ROTATE;
        return MTREE_OK;
    }
    if (end == value || *end != '\0' || root < 0 || root >= options->num_ranks) {
        mtree_error("--root %s: there are %d ranks, numbered from 0; or give rotate",
                    value, options->num_ranks);
        return MTREE_ERR_INVALID;
    }
    options->root = (int)root;
    return MTREE_OK;
}

static mtree_status_t take_arrival(const command_t *command, void *data,
                                   const char *value)
{
    bench_options_t *options = data;

    (void)command;
    options->staggered = true;
    bench_arrivals_cleanup(&options->arrivals);
    return bench_arrivals_read(value, options->num_ranks, &options->arrivals);
}

static mtree_status_t take_control(const command_t *command, void *data,
                                   const char *value)
{
    bench_options_t *options = data;

    (void)command;
    if (options->num_settings == BENCH_CONTROL_MOST) {
        mtree_error("--control %s: only %d variables can be set", value,
                    BENCH_CONTROL_MOST);
        return MTREE_ERR_INVALID;
    }
    options->settings[options->num_settings++].text = value;
    return MTREE_OK;
}

/* Sizes that make sense for the operation: reductions are of whole floats, a barrier has
 * one size. */
static mtree_status_t settle_sizes(bench_options_t *options)
{
    size_t unit = options->operation->unit;

    if (unit == 0) {
        options->min_bytes = 0;
        options->max_bytes = 0;
    } else if (options->min_bytes < unit) {
        options->min_bytes = unit;
    }
    if (options->min_bytes > options->max_bytes) {
        mtree_error("-m: the least size, %zu bytes, is above the greatest, %zu",
                    options->min_bytes, options->max_bytes);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* Some of the ranks, and the root one of them. */
static mtree_status_t settle_ranks(const bench_options_t *options)
{
    if (options->active > options->num_ranks || options->root >= options->active) {
        mtree_error("--active %d: give from %d to %d, the ranks up to the root, and all",
                    options->active, options->root < 0 ? 1 : options->root + 1,
                    options->num_ranks);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

#define MEMBER(_name) offsetof(bench_options_t, _name)

static const option_t rows[] = {
    {"collective", 't', OPTION_OTHER, .argument = "NAME", .take = take_operation,
     .help = "the operation (default allreduce)"},
    {"message-size", 'm', OPTION_OTHER, .argument = "MIN:MAX", .take = take_sizes,
     .help = "sizes in bytes, doubling (also 64k, 16M; also MAX; default 1:1M, "
             "reductions from 4)"},
    {"iterations", 'i', OPTION_WHOLE, MEMBER(iterations), .argument = "N", .least = 1,
     .help = "timed calls for each size (default 1000; 100 above 8k)"},
    {"warmup", 'x', OPTION_WHOLE, MEMBER(warmup), .argument = "N",
     .help = "calls before them (default 200; 10 above 8k)"},
    {"validation", 'c', OPTION_FLAG, MEMBER(validate),
     .help = "check every element of every result"},
    {"full", 'f', OPTION_FLAG, MEMBER(full),
     .help = "print minimum, maximum, iterations and processor time too"},
    {"root", 0, OPTION_OTHER, .argument = "N|rotate", .take = take_root,
     .help = "the root of collectives that have one (default 0)"},
    {"total", 0, OPTION_FLAG, MEMBER(total),
     .help = "sizes of (all)gather(v) count the whole result, not one rank's part"},
    {"together", 0, OPTION_FLAG, MEMBER(together),
     .help = "all ranks begin a call at one time, by their clocks"},
    {"active", 0, OPTION_WHOLE, MEMBER(active), .argument = "N", .least = 1,
     .help = "the first N ranks call, the others wait for their end"},
    {"arrival", 0, OPTION_OTHER, .argument = "PATTERN", .take = take_arrival,
     .help = "who comes when: all, one-late, interval, random, ramp, or a file with one "
             "line per call: seconds of each rank"},
    {"span", 0, OPTION_TIME, MEMBER(arrivals.span), .argument = "TIME", .example = "2s",
     .help = "by when a pattern's last rank comes (default 1s)"},
    {"limit", 0, OPTION_TIME, MEMBER(limit), .argument = "TIME", .example = "2s",
     .help = "begin no more calls after it, but time one"},
    {"control", 0, OPTION_OTHER, .argument = "NAME=NUMBER", .take = take_control,
     .help = "set this control variable of MPI (MPI_T) before the communicator is made"},
    {"json", 0, OPTION_FLAG, MEMBER(json),
     .help = "print one JSON object instead of the table"},
    {"tasks", 0, OPTION_FLAG, MEMBER(tasks),
     .help = "read such options from standard input: each line is a measurement, until "
             "its end"},
    {0}};

static void print_operations(void)
{
    const bench_operation_t *operation;

    printf("\nOperations:");
    for (int i = 0; (operation = bench_operation_get(i)) != NULL; i++) {
        printf(" %s", operation->name);
    }
    printf("\nThe exit status is 1 when a result is wrong.\n");
}

static const command_t command = {
    .name = "mtree_bench",
    .is_program = true,
    .usage = "[OPTION]...",
    .help = "Times a collective operation as the OSU micro-benchmarks do.\n",
    .examples = {"mpirun -n 4 mtree_bench -t allreduce -m 64k:1M -c",
                 "mpirun -n 4 mtree_bench -t bcast --root rotate --json"},
    .print_more = print_operations,
    .needs = "it takes options alone",
};

mtree_status_t bench_options_parse(int argc, char **argv, int num_ranks,
                                   bench_options_t *options_p)
{
    bench_options_t options = {.operation = bench_operation_find("allreduce"),
                               .min_bytes = 1,
                               .max_bytes = DEFAULT_MAX,
                               .arrivals = {.span = DEFAULT_SPAN},
                               .num_ranks = num_ranks,
                               .active = num_ranks,
                               .limit = INFINITY,
                               .iterations = -1,
                               .warmup = -1};
    const option_group_t groups[] = {{rows, .data = &options}, {0}};
    const int code = options_read(&command, groups, argc, argv);
    mtree_status_t status = MTREE_OK;

    options.help = code == COMMAND_OK;
    if (code == COMMAND_MISUSED) {
        return MTREE_ERR_INVALID;
    }
    status = settle_ranks(&options);
    if (status == MTREE_OK) {
        status = settle_sizes(&options);
    }
    if (status == MTREE_OK) {
        *options_p = options;
    }
    return status;
}

int bench_options_iterations(const bench_options_t *options, size_t bytes)
{
    if (options->iterations >= 0) {
        return options->iterations;
    }
    return (bytes > LARGE) ? ITERATIONS_LARGE : ITERATIONS;
}

int bench_options_warmup(const bench_options_t *options, size_t bytes)
{
    if (options->warmup >= 0) {
        return options->warmup;
    }
    return (bytes > LARGE) ? WARMUP_LARGE : WARMUP;
}
