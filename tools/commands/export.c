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

/* The topology in @a file with its routes. */
static json_t *read_topology(const char *file)
{
    mtree_topology_t *topology;
    mtree_routes_t *routes;

    command_must(mtree_topology_read(file, &topology));
    command_must(mtree_routes_create(topology, NULL, 0, &routes));
    return topology_json(topology, routes);
}

/* The plan in @a file, checked for form. */
static json_t *read_plan(const char *file)
{
    planned_network_t planned;

    planned_network_read(file, NULL, &planned);
    return planned_network_json(planned.plan);
}

/* What --format takes: what it is written of, its line of --help, and who reads it. */
static const struct {
    const char *name, *source, *help;
    json_t *(*read)(const char *file);
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
            command_give("export", formats[i].read(argv[optind]));
            return command_become("export", "exporter", words);
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
