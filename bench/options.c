/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/options.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"

#include <errno.h>
#include <getopt.h>
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

enum {
    OPTION_ROOT = 256,
    OPTION_TOTAL,
    OPTION_TOGETHER,
    OPTION_JSON,
    OPTION_ARRIVAL,
    OPTION_SPAN,
    OPTION_ACTIVE,
    OPTION_TASKS,
    OPTION_LIMIT,
    OPTION_CONTROL
};

static const struct option long_options[] = {
    {"message-size", required_argument, NULL, 'm'},
    {"iterations", required_argument, NULL, 'i'},
    {"warmup", required_argument, NULL, 'x'},
    {"validation", no_argument, NULL, 'c'},
    {"full", no_argument, NULL, 'f'},
    {"collective", required_argument, NULL, 't'},
    {"root", required_argument, NULL, OPTION_ROOT},
    {"total", no_argument, NULL, OPTION_TOTAL},
    {"together", no_argument, NULL, OPTION_TOGETHER},
    {"active", required_argument, NULL, OPTION_ACTIVE},
    {"arrival", required_argument, NULL, OPTION_ARRIVAL},
    {"span", required_argument, NULL, OPTION_SPAN},
    {"json", no_argument, NULL, OPTION_JSON},
    {"tasks", no_argument, NULL, OPTION_TASKS},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"control", required_argument, NULL, OPTION_CONTROL},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void bench_options_help(FILE *file)
{
    const bench_operation_t *operation;
    int i;

    fprintf(
        file,
        "Usage: mpirun ... mtree_bench [options]\n"
        "Times a collective operation as the OSU micro-benchmarks do.\n"
        "\n"
        "  -t, --collective NAME       the operation (default allreduce)\n"
        "  -m, --message-size MIN:MAX  sizes in bytes, doubling (also 64k, 16M; also "
        "MAX;\n"
        "                              default 1:1M, reductions from 4)\n"
        "  -i, --iterations N          timed calls for each size (default 1000; 100 "
        "above 8k)\n"
        "  -x, --warmup N              calls before them (default 200; 10 above 8k)\n"
        "  -c, --validation            check every element of every result\n"
        "  -f, --full                  print minimum, maximum, iterations and "
        "processor time too\n"
        "      --root N|rotate         the root of collectives that have one (default "
        "0)\n"
        "      --total                 sizes of (all)gather(v) count the whole result, "
        "not\n"
        "                              one rank's part\n"
        "      --together              all ranks begin a call at one time, by their "
        "clocks\n"
        "      --active N              the first N ranks call, the others wait for "
        "their end\n"
        "      --arrival PATTERN       who comes when: all, one-late, interval, random, "
        "ramp,\n"
        "                              or a file with one line per call: seconds of each "
        "rank\n"
        "      --span TIME             by when a pattern's last rank comes (default 1s)\n"
        "      --limit TIME            begin no more calls after it, but time one\n"
        "      --control NAME=NUMBER   set this control variable of MPI (MPI_T) before "
        "the\n"
        "                              communicator is made\n"
        "      --json                  print one JSON object instead of the table\n"
        "      --tasks                 read such options from standard input: each line "
        "is\n"
        "                              a measurement, until its end\n"
        "  -h, --help                  print this\n"
        "\n"
        "Operations:");
    for (i = 0; (operation = bench_operation_get(i)) != NULL; i++) {
        fprintf(file, " %s", operation->name);
    }
    fprintf(file, "\nThe exit status is 1 when a result is wrong.\n");
}

static mtree_status_t parse_number(const char *option, const char *text, int min,
                                   int *number_p)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < min || number > INT_MAX) {
        mtree_error("%s %s: must be a whole number from %d on", option, text, min);
        return MTREE_ERR_INVALID;
    }
    *number_p = (int)number;
    return MTREE_OK;
}

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
static mtree_status_t parse_sizes(char *text, bench_options_t *options)
{
    char *colon = strchr(text, ':');
    char *max = (colon == NULL) ? text : colon + 1;
    mtree_status_t status = MTREE_OK;

    if (colon != NULL && colon != text) {
        *colon = '\0';
        status = parse_size(text, &options->min_bytes);
        *colon = ':';
    }
    if (status == MTREE_OK && *max != '\0') {
        status = parse_size(max, &options->max_bytes);
    }
    return status;
}

static mtree_status_t parse_operation(const char *name, bench_options_t *options)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    char advice[MTREE_NEAREST_ADVICE];
    const bench_operation_t *operation;

    options->operation = bench_operation_find(name);
    if (options->operation == NULL) {
        for (int i = 0; (operation = bench_operation_get(i)) != NULL; i++) {
            mtree_nearest_offer(&nearest, operation->name);
        }
        mtree_error("--collective %s: no such operation%s; --help lists them", name,
                    mtree_nearest_advice(&nearest, "", advice));
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t parse_root(const char *text, int num_ranks, int *root_p)
{
    mtree_status_t status;

    if (strcmp(text, "rotate") == 0) {
        *root_p = BENCH_OPTIONS_ROTATE;
        return MTREE_OK;
    }
    status = parse_number("--root", text, 0, root_p);
    if (status == MTREE_OK && *root_p >= num_ranks) {
        mtree_error("--root %s: there are %d ranks, numbered from 0", text, num_ranks);
        return MTREE_ERR_INVALID;
    }
    return status;
}

static mtree_status_t parse_time(const char *option, const char *text, double *seconds_p)
{
    const char *why;

    if (mtree_units_parse_time(text, seconds_p, &why) != MTREE_OK) {
        mtree_error("%s %s: %s; give 200ms, or 2s", option, text, why);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t add_setting(const char *text, bench_options_t *options)
{
    if (options->num_settings == BENCH_CONTROL_MOST) {
        mtree_error("--control %s: only %d variables can be set", text,
                    BENCH_CONTROL_MOST);
        return MTREE_ERR_INVALID;
    }
    options->settings[options->num_settings++].text = text;
    return MTREE_OK;
}

static mtree_status_t parse_option(int letter, char *value, int num_ranks,
                                   bench_options_t *options)
{
    switch (letter) {
    case 't':
        return parse_operation(value, options);
    case 'm':
        return parse_sizes(value, options);
    case 'i':
        return parse_number("-i", value, 1, &options->iterations);
    case 'x':
        return parse_number("-x", value, 0, &options->warmup);
    case OPTION_ROOT:
        return parse_root(value, num_ranks, &options->root);
    case OPTION_ACTIVE:
        return parse_number("--active", value, 1, &options->active);
    case OPTION_ARRIVAL:
        options->staggered = true;
        bench_arrivals_cleanup(&options->arrivals);
        return bench_arrivals_read(value, num_ranks, &options->arrivals);
    case OPTION_SPAN:
        return parse_time("--span", value, &options->arrivals.span);
    case OPTION_LIMIT:
        return parse_time("--limit", value, &options->limit);
    case OPTION_CONTROL:
        return add_setting(value, options);
    case OPTION_TOTAL:
        options->total = true;
        return MTREE_OK;
    case OPTION_TOGETHER:
        options->together = true;
        return MTREE_OK;
    case OPTION_JSON:
        options->json = true;
        return MTREE_OK;
    case OPTION_TASKS:
        options->tasks = true;
        return MTREE_OK;
    case 'c':
        options->validate = true;
        return MTREE_OK;
    case 'f':
        options->full = true;
        return MTREE_OK;
    default:
        options->help = true;
        return MTREE_OK;
    }
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
static mtree_status_t settle_ranks(const bench_options_t *options, int num_ranks)
{
    if (options->active > num_ranks || options->root >= options->active) {
        mtree_error("--active %d: give from %d to %d, the ranks up to the root, and all",
                    options->active, options->root < 0 ? 1 : options->root + 1,
                    num_ranks);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t refuse_option(const char *word)
{
    char name[64], advice[MTREE_NEAREST_ADVICE];
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    const char *at = word + strspn(word, "-");

    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "="), at);
    for (const struct option *option = long_options; option->name != NULL; option++) {
        mtree_nearest_offer(&nearest, option->name);
    }
    mtree_error("%s: no such option%s, or its value is missing; --help lists them", word,
                nearest.edits > 0 ? mtree_nearest_advice(&nearest, "--", advice) : "");
    return MTREE_ERR_INVALID;
}

mtree_status_t bench_options_parse(int argc, char **argv, int num_ranks,
                                   bench_options_t *options_p)
{
    bench_options_t options = {.operation = bench_operation_find("allreduce"),
                               .min_bytes = 1,
                               .max_bytes = DEFAULT_MAX,
                               .arrivals = {.span = DEFAULT_SPAN},
                               .active = num_ranks,
                               .limit = INFINITY,
                               .iterations = -1,
                               .warmup = -1};
    mtree_status_t status;
    int letter;

    opterr = 0;
    optind = 0; /* as in glibc: begin anew, since there may be several command lines */
    while ((letter = getopt_long(argc, argv, "+m:i:x:t:cfh", long_options, NULL)) != -1) {
        if (letter == '?') {
            return refuse_option(argv[optind - 1]);
        }
        status = parse_option(letter, optarg, num_ranks, &options);
        if (status != MTREE_OK) {
            return status;
        }
    }
    if (optind < argc) {
        mtree_error("%s: not an option; --help lists them", argv[optind]);
        return MTREE_ERR_INVALID;
    }
    status = settle_ranks(&options, num_ranks);
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
