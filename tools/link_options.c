/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/link_options.h"

#include "tools/command.h"
#include "tools/topology_json.h"

#include "base/log.h"
#include "base/units.h"
#include "topo/dot/read.h"
#include "topo/generators.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The mean that the paper draws around. */
#define DEFAULT_MEAN 200e6

void drawing_init(drawing_t *drawing)
{
    *drawing = (drawing_t){.skew = -1, .seed = 1};
}

static mtree_status_t read_latency(drawing_t *drawing, const char *value)
{
    size_t length = strcspn(value, ":");
    const char *why;
    char first[64];

    if (length < sizeof(first)) {
        memcpy(first, value, length);
        first[length] = '\0';
        if (mtree_units_parse_time(first, &drawing->latency[0], &why) == MTREE_OK &&
            mtree_units_parse_time(value[length] == ':' ? value + length + 1 : first,
                                   &drawing->latency[1], &why) == MTREE_OK &&
            drawing->latency[0] <= drawing->latency[1]) {
            drawing->has_latency = true;
            return MTREE_OK;
        }
    }
    mtree_error("--latency '%s': write it like 5ms, or like 50ms:400ms", value);
    return MTREE_ERR_INVALID;
}

static mtree_status_t read_capacity(drawing_t *drawing, const char *value)
{
    const char *why;

    if (mtree_units_parse_rate(value, &drawing->capacity, &why) != MTREE_OK ||
        drawing->capacity == 0) {
        mtree_error("--capacity '%s': write it like 200Mbps", value);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_skew(drawing_t *drawing, const char *value)
{
    const char *end;

    if (mtree_units_parse_number(value, &drawing->skew, &end) != MTREE_OK ||
        *end != '\0' || drawing->skew < 0 || drawing->skew > 1) {
        mtree_error("--skew '%s': a number from 0 to 1 is needed", value);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_seed(drawing_t *drawing, const char *value)
{
    char *end;

    errno = 0;
    drawing->seed = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || errno != 0) {
        mtree_error("--seed '%s': a whole number is needed", value);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

mtree_status_t drawing_option(drawing_t *drawing, int letter, const char *value)
{
    switch (letter) {
    case 'c':
        return read_capacity(drawing, value);
    case 'l':
        return read_latency(drawing, value);
    case 'k':
        return read_skew(drawing, value);
    case 's':
        return read_seed(drawing, value);
    case 'o':
        drawing->output = value;
        return MTREE_OK;
    case 'j':
        drawing->json = true;
        return MTREE_OK;
    default:
        return MTREE_ERR_NOT_FOUND;
    }
}

/* The capacities between which latencies fall: those that can be drawn, or those that are
 * there. */
static void find_range(const drawing_t *drawing, double mean,
                       const mtree_topology_t *topology, double *low_p, double *high_p)
{
    double low = mean * (1 - drawing->skew / 2);
    double high = mean * (1 + drawing->skew / 2);
    int i;

    if (drawing->skew < 0 && topology->num_links > 0) {
        low = topology->links[0].capacity[0];
        high = low;
        for (i = 1; i < topology->num_links; ++i) {
            double capacity = topology->links[i].capacity[0];

            low = (capacity < low) ? capacity : low;
            high = (capacity > high) ? capacity : high;
        }
    }
    *low_p = low;
    *high_p = high;
}

double drawing_capacity(const drawing_t *drawing)
{
    return (drawing->capacity > 0 || drawing->skew < 0) ? drawing->capacity
                                                        : DEFAULT_MEAN;
}

void drawing_apply(const drawing_t *drawing, mtree_topology_t *topology)
{
    double mean = drawing_capacity(drawing);
    double low, high;

    if (drawing->skew >= 0) {
        mtree_generate_capacities(topology, mean, drawing->skew, drawing->seed);
    }
    if (drawing->has_latency) {
        find_range(drawing, mean, topology, &low, &high);
        mtree_generate_latencies(topology, low, high, drawing->latency[0],
                                 drawing->latency[1]);
    }
}

/* Say which figures nobody measured. */
static void write_drawing(const drawing_t *drawing, FILE *out)
{
    double mean = drawing_capacity(drawing);
    char low[MTREE_UNITS_LENGTH], high[MTREE_UNITS_LENGTH], step[MTREE_UNITS_LENGTH];

    if (drawing->skew >= 0) {
        fprintf(out,
                "// capacities: drawn from %s to %s in steps of %s, seed %" PRIu64
                ", not measured\n",
                mtree_units_write_rate(mean * (1 - drawing->skew / 2), low),
                mtree_units_write_rate(mean * (1 + drawing->skew / 2), high),
                mtree_units_write_rate(mean / 20, step), drawing->seed);
    }
    if (drawing->has_latency) {
        fprintf(out,
                "// latencies: from %s (widest link) to %s, falling with the inverse of "
                "the capacity, not measured\n",
                mtree_units_write_time(drawing->latency[0], low),
                mtree_units_write_time(drawing->latency[1], high));
    }
}

static void write_comment_lines(FILE *out, const char *comments)
{
    size_t length;

    while (comments != NULL && *comments != '\0') {
        length = strcspn(comments, "\n");
        fprintf(out, "// %.*s\n", (int)length, comments);
        comments += length + (comments[length] == '\n');
    }
}

/* The command, with the name of the output left out: it is this file. */
static void write_command(FILE *out, int argc, char **argv)
{
    const char *slash;
    int i;

    fputs("// made with:", out);
    for (i = 0; i < argc; ++i) {
        if (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output") == 0) {
            ++i;
            continue;
        }
        slash = strrchr(argv[i], '/');
        fprintf(out, " %.*s", (int)strcspn(slash != NULL ? slash + 1 : argv[i], "\n"),
                slash != NULL ? slash + 1 : argv[i]);
    }
    fputs("\n", out);
}

mtree_status_t drawing_write(const drawing_t *drawing, const mtree_topology_t *topology,
                             const char *comments, int argc, char **argv)
{
    FILE *out = stdout;
    mtree_status_t status;

    if (drawing->output != NULL) {
        out = fopen(drawing->output, "we");
        if (out == NULL) {
            mtree_error("%s: cannot be written: %s", drawing->output, strerror(errno));
            return MTREE_ERR_IO;
        }
    }
    if (drawing->json) {
        status = command_print_json(topology_json(topology, NULL, 0), out);
    } else {
        write_comment_lines(out, comments);
        write_drawing(drawing, out);
        write_command(out, argc, argv);
        status = mtree_topology_write(topology, out);
    }
    if (out != stdout && fclose(out) != 0 && status == MTREE_OK) {
        mtree_error("%s: cannot be written: %s", drawing->output, strerror(errno));
        status = MTREE_ERR_IO;
    }
    return status;
}
