/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/link_options.h"

#include "tools/topology_json.h"

#include "base/log.h"
#include "base/units.h"
#include "topo/dot/read.h"
#include "topo/generators.h"

#include <stdlib.h>
#include <string.h>

/* The mean that the paper draws around. */
#define DEFAULT_MEAN 200e6

void link_options_init(link_options_t *options)
{
    *options = (link_options_t){.skew = -1, .seed = 1};
}

static mtree_status_t take_latency(const command_t *command, void *data,
                                   const char *value)
{
    link_options_t *options = data;
    size_t length = strcspn(value, ":");
    const char *why;
    char first[64];

    if (length < sizeof(first)) {
        memcpy(first, value, length);
        first[length] = '\0';
        if (mtree_units_parse_time(first, &options->latency[0], &why) == MTREE_OK &&
            mtree_units_parse_time(value[length] == ':' ? value + length + 1 : first,
                                   &options->latency[1], &why) == MTREE_OK &&
            options->latency[0] <= options->latency[1]) {
            options->has_latency = true;
            return MTREE_OK;
        }
    }
    mtree_error("%s: --latency '%s': write it like 5ms, or like 50ms:400ms",
                command->name, value);
    return MTREE_ERR_INVALID;
}

const option_t link_options[] = {
    {"latency", 'l', OPTION_OTHER, .argument = "L|A:B", .take = take_latency,
     .help = "latency of each link, like 5ms; A:B: from A (widest) to B, by the inverse "
             "of the capacity"},
    {"skew", 'k', OPTION_NUMBER, offsetof(link_options_t, skew), .argument = "SK",
     .help = "draw capacities at random, as whole twentieths of the mean between "
             "mean*(1-SK/2) and mean*(1+SK/2)",
     .most = 1},
    {"seed", 's', OPTION_WHOLE, offsetof(link_options_t, seed), .argument = "N",
     .help = "seed of what is drawn at random (default 1)"},
    {"output", 'o', OPTION_TEXT, offsetof(link_options_t, output), .argument = "FILE",
     .help = "write there instead of standard output"},
    {"json", 'j', OPTION_FLAG, offsetof(link_options_t, json),
     .help = "write JSON, as mtree topology --json does"},
    {0}};

/* The capacities between which latencies fall: those that can be drawn, or those that are
 * there. */
static void find_range(const link_options_t *options, double mean,
                       const mtree_topology_t *topology, double *low_p, double *high_p)
{
    double low = mean * (1 - options->skew / 2);
    double high = mean * (1 + options->skew / 2);

    if (options->skew < 0 && topology->num_links > 0) {
        low = topology->links[0].capacity[0];
        high = low;
        for (int i = 1; i < topology->num_links; ++i) {
            double capacity = topology->links[i].capacity[0];

            low = (capacity < low) ? capacity : low;
            high = (capacity > high) ? capacity : high;
        }
    }
    *low_p = low;
    *high_p = high;
}

double link_options_capacity(const link_options_t *options)
{
    return (options->capacity > 0 || options->skew < 0) ? options->capacity
                                                        : DEFAULT_MEAN;
}

void link_options_apply(const link_options_t *options, mtree_topology_t *topology)
{
    double mean = link_options_capacity(options);
    double low, high;

    if (options->skew >= 0) {
        mtree_generate_capacities(topology, mean, options->skew, (uint64_t)options->seed);
    }
    if (options->has_latency) {
        find_range(options, mean, topology, &low, &high);
        mtree_generate_latencies(topology, low, high, options->latency[0],
                                 options->latency[1]);
    }
}

/* Comment lines on the figures that nobody measured. */
static void write_drawn(const link_options_t *options, FILE *out)
{
    double mean = link_options_capacity(options);
    char low[MTREE_UNITS_LENGTH], high[MTREE_UNITS_LENGTH], step[MTREE_UNITS_LENGTH];

    if (options->skew >= 0) {
        fprintf(
            out,
            "// capacities: drawn from %s to %s in steps of %s, seed %d, not measured\n",
            mtree_units_write_rate(mean * (1 - options->skew / 2), low),
            mtree_units_write_rate(mean * (1 + options->skew / 2), high),
            mtree_units_write_rate(mean / 20, step), options->seed);
    }
    if (options->has_latency) {
        fprintf(out,
                "// latencies: from %s (widest link) to %s, falling with the inverse of "
                "the capacity, not measured\n",
                mtree_units_write_time(options->latency[0], low),
                mtree_units_write_time(options->latency[1], high));
    }
}

/* The command, with the name of the output left out: it is this file. */
static void write_command(FILE *out, int argc, char **argv)
{
    const char *slash;

    fputs("// made with:", out);
    for (int i = 0; i < argc; ++i) {
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

void link_options_write(const link_options_t *options, const mtree_topology_t *topology,
                        const char *comments, int argc, char **argv)
{
    FILE *out = command_open(options->output);

    if (options->json) {
        command_must(command_print_json(topology_json(topology, NULL), out));
    } else {
        fputs(comments, out);
        write_drawn(options, out);
        write_command(out, argc, argv);
        command_must(mtree_topology_write(topology, out));
    }
    command_close(options->output, out);
}
