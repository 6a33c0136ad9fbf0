/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree import: networks in other formats.
 */
#include "tools/import/formats.h"
#include "tools/link_options.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/* With which editors of Windows begin UTF-8. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

typedef struct {
    const char *nodes, *name, *topology, *format;
    import_request_t request;
    link_options_t links;
} arguments_t;

static mtree_status_t read_nodes(import_t *import, const char *file)
{
    size_t length;
    char *text;
    mtree_status_t status = mtree_file_read(file, &text, &length);

    if (status == MTREE_OK) {
        status = import_tsv_nodes(import, file, text, length);
        free(text);
    }
    return status;
}

static mtree_status_t read_network(import_t *import, const import_format_t *format,
                                   const arguments_t *arguments)
{
    size_t length, mark;
    char *text;
    mtree_status_t status = mtree_file_read(import->file, &text, &length);

    if (status != MTREE_OK) {
        return status;
    }
    import->wanted = arguments->topology;
    mark = strncmp(text, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
    status = format->read(import, text + mark, length - mark);
    free(text);
    if (status == MTREE_OK && arguments->nodes != NULL) {
        status = read_nodes(import, arguments->nodes);
    }
    if (status == MTREE_OK && arguments->name != NULL) {
        import->name = arguments->name;
    }
    return status;
}

static mtree_status_t convert(const arguments_t *arguments, const char *file,
                              const import_format_t *format, int argc, char **argv)
{
    mtree_topology_t *topology;
    mtree_status_t status;
    import_t import;

    status = import_init(&import, file);
    if (status != MTREE_OK) {
        return status;
    }
    status = read_network(&import, format, arguments);
    if (status == MTREE_OK) {
        status = import_finish(&import, &arguments->request, &topology);
    }
    if (status == MTREE_OK) {
        link_options_apply(&arguments->links, topology);
        status =
            link_options_write(&arguments->links, topology, import.comments, argc, argv);
        mtree_topology_destroy(topology);
    }
    import_cleanup(&import);
    return status;
}

static void print_formats(void)
{
    const import_format_t *format;

    puts("\nThe end of the file's name, or --format, says what it is:\n");
    for (format = import_formats; format->ending != NULL; format++) {
        printf("  FILE%-18s%s\n", format->ending, format->help);
    }
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"nodes", 'n', OPTION_TEXT, offsetof(arguments_t, nodes), .argument = "FILE",
         .help = "names and positions for a TSV file (node, label, lat, lon)"},
        {"name", 'N', OPTION_TEXT, offsetof(arguments_t, name), .argument = "NAME",
         .help = "name of the network"},
        {"format", 'f', OPTION_TEXT, offsetof(arguments_t, format), .argument = "FORMAT",
         .help = "what the file is, an ending below without its dot, where its name does "
                 "not say it"},
        {"topology", 't', OPTION_TEXT, offsetof(arguments_t, topology),
         .argument = "NAME",
         .help = "topology of a topology.yaml (default: that of its cluster)"},
        {"switches", 'w', OPTION_TEXT, offsetof(arguments_t, request.switches),
         .argument = "LIST",
         .help = "names that are switches: patterns like 'NVS*,PCI_*'"},
        {0}};
    static const option_t capacity[] = {
        {"capacity", 'c', OPTION_OTHER, .argument = "C",
         .take = link_options_take_capacity,
         .help =
             "capacity of links that have none; with --skew the mean (default 200Mbps)"},
        {0}};
    arguments_t arguments = {0};
    const option_group_t groups[] = {{options, .data = &arguments},
                                     {capacity, .data = &arguments.links},
                                     {link_options, .data = &arguments.links},
                                     {0}};
    const import_format_t *format;
    int code;

    link_options_init(&arguments.links);
    code = options_parse(&command_import, groups, argc, argv);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    format = import_format_find(argv[optind], arguments.format);
    if (format == NULL) {
        return COMMAND_MISUSED;
    }
    if (arguments.topology != NULL && strcmp(format->ending, ".yaml") != 0) {
        return command_misuse(&command_import,
                              "--topology is about a topology.yaml, which has several");
    }
    arguments.request.capacity = link_options_capacity(&arguments.links);
    return command_exit(convert(&arguments, argv[optind], format, argc, argv));
}

const command_t command_import = {
    .name = "import",
    .summary = "make a topology file of a network in another format",
    .usage = "[OPTION]... FILE",
    .help = "Write a topology file of that network.\n",
    .examples = {"mtree import topology.conf --capacity 25Gbps -o cluster.dot",
                 "mtree import --format gml --name ring network.txt"},
    .print_more = print_formats,
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one file is needed",
    .run = run,
};
