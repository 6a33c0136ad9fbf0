/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree export: topologies and plans for other programs.  Here are the options; Python
 * writes the formats: the folder exporter.
 */
#include "tools/options.h"
#include "tools/planned_network.h"
#include "tools/topology_json.h"

#include "base/log.h"
#include "topo/dot/read.h"

#include <stdlib.h>
#include <string.h>

/* The topology in @a file with its routes; *json_p is NULL without memory. */
static mtree_status_t read_topology(const char *file, json_t **json_p)
{
    mtree_topology_t *topology;
    mtree_routes_t *routes;
    mtree_status_t status = mtree_topology_read(file, &topology);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_routes_create(topology, NULL, 0, &routes);
    if (status == MTREE_OK) {
        *json_p = topology_json(topology, routes);
        mtree_routes_destroy(routes);
    }
    mtree_topology_destroy(topology);
    return status;
}

/* The plan in @a file, checked for form. */
static mtree_status_t read_plan(const char *file, json_t **json_p)
{
    planned_network_t planned;
    mtree_status_t status = planned_network_read(file, NULL, &planned);

    if (status != MTREE_OK) {
        return status;
    }
    status = planned_network_json(planned.plan, json_p);
    planned_network_cleanup(&planned);
    return status;
}

typedef mtree_status_t (*read_t)(const char *file, json_t **json_p);

/* What --format takes: what it is written of, its line of --help, and who reads it. */
static const struct {
    const char *name, *source, *help;
    read_t read;
} formats[] = {
    {"simgrid", "FILE.dot", "a topology as a platform of SimGrid", read_topology},
    {"msccl", "PLAN.json", "a plan as an algorithm of MSCCL", read_plan}};

#define NUM_FORMATS (sizeof(formats) / sizeof(formats[0]))

static void print_formats(void)
{
    puts("\nFormats:\n");
    for (size_t i = 0; i < NUM_FORMATS; i++) {
        printf("  %-9s %-10s %s\n", formats[i].name, formats[i].source, formats[i].help);
    }
}

/* Give what is in @a file to the program of Python. */
static mtree_status_t give(const char *file, read_t read)
{
    json_t *json = NULL;
    mtree_status_t status = read(file, &json);

    return status == MTREE_OK ? command_give("export", json) : status;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"format", 'f', OPTION_TEXT, .argument = "FORMAT",
         .help = "format, one of those below; needed"},
        {"output", 'o', OPTION_TEXT, .argument = "OUT",
         .help = "write there instead of standard output"},
        {"chunks", 'c', OPTION_WHOLE, .argument = "K",
         .help = "msccl: number of equal chunks of the vector, or of each rank's block "
                 "(default 64)",
         .least = 1, .most = 4096},
        {0}};
    char names[128] = "";
    const char *words[1 + sizeof(options) / sizeof(options[0])] = {NULL};
    const option_group_t groups[] = {{options, .texts = words + 1}, {0}};
    const char *format;

    options_parse(&command_export, groups, argc, argv);
    words[0] = argv[optind];
    format = words[1];
    if (format[0] == '\0') {
        return command_misuse(&command_export, "--format FORMAT is needed");
    }
    for (size_t i = 0, used = 0; i < NUM_FORMATS; i++, used = strlen(names)) {
        if (strcmp(format, formats[i].name) == 0) {
            mtree_status_t status = give(argv[optind], formats[i].read);

            return command_exit(status == MTREE_OK
                                    ? command_become("export", "exporter", words)
                                    : status);
        }
        snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                 formats[i].name);
    }
    mtree_error("export: no format '%s'; use one of %s", format, names);
    return COMMAND_MISUSED;
}

const command_t command_export = {
    .name = "export",
    .summary = "write a topology or a plan for another program",
    .usage = "--format FORMAT [OPTION]... FILE",
    .help = "Write what is in FILE as another program reads it.\n",
    .examples = {"mtree export --format simgrid examples/sites.dot -o platform.xml",
                 "mtree export --format msccl plan.json -o allreduce.xml"},
    .print_more = print_formats,
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one file is needed",
    .run = run,
};
