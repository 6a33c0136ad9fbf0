/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree export: topologies and plans for other programs.
 */
#include "tools/export/formats.h"
#include "tools/options.h"

typedef struct {
    const char *format;
    export_options_t options;
} arguments_t;

static void print_formats(void)
{
    const export_format_t *format;

    puts("\nFormats:\n");
    for (format = export_formats; format->name != NULL; format++) {
        printf("  %-9s %-10s %s\n", format->name, format->source, format->help);
    }
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"format", 'f', OPTION_TEXT, offsetof(arguments_t, format), .argument = "FORMAT",
         .help = "format, one of those below; needed"},
        {"output", 'o', OPTION_TEXT, offsetof(arguments_t, options.output),
         .argument = "OUT", .help = "write there instead of standard output"},
        {"chunks", 'c', OPTION_WHOLE, offsetof(arguments_t, options.chunks),
         .argument = "K",
         .help = "msccl: number of equal chunks of the vector, or of each rank's block "
                 "(default 64)",
         .least = 1, .most = 4096},
        {0}};
    arguments_t arguments = {.options.chunks = 64};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};
    const export_format_t *format;
    int code = options_parse(&command_export, groups, argc, argv);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (arguments.format == NULL) {
        return command_misuse(&command_export, "--format FORMAT is needed");
    }
    format = export_format_find(arguments.format);
    if (format == NULL) {
        return COMMAND_MISUSED;
    }
    return command_exit(format->write(argv[optind], &arguments.options));
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
