/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree import: networks in other formats, which Python reads: the folder importer.  Here
 * are the options, and what they draw.
 */
#include "tools/link_options.h"

#include "base/log.h"
#include "topo/dot/read.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const char *nodes, *name, *topology, *format, *switches;
    link_options_t links;
} arguments_t;

/* The end of a file's name, and its line of --help; importer/__main__.py has a reader for
 * each. */
static const struct {
    const char *ending, *help;
} formats[] = {{".tsv", "a table of links"},
               {".gml", "GML"},
               {".graphml", "GraphML"},
               {".conf", "Slurm's topology.conf (tree, block, ring)"},
               {".yaml", "Slurm's topology.yaml (these, torus3d)"},
               {".xml", "GraphML, or a machine of hwloc (lstopo FILE.xml)"}};

#define NUM_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* The format of @a file, by @a wanted, an ending without its dot, or, if that is NULL, by
 * the end of its name, without its dot; NULL, logged with all that there are: none. */
static const char *find_format(const char *file, const char *wanted)
{
    size_t length = strlen(file);
    char all[128] = "";

    for (size_t i = 0; i < NUM_FORMATS; i++) {
        const char *name = formats[i].ending + (wanted != NULL);
        size_t end = strlen(name), used = strlen(all);

        if (wanted != NULL ? strcasecmp(wanted, name) == 0
                           : length > end && strcmp(file + length - end, name) == 0) {
            return formats[i].ending + 1;
        }
        snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (wanted != NULL) {
        mtree_error("import: --format '%s': the formats are %s", wanted, all);
    } else {
        mtree_error("import: %s: the file's name must end in one of %s; else say what it "
                    "is by --format",
                    file, all);
    }
    return NULL;
}

/* What the importer prints of @a file: a topology file, malloc'ed. */
static mtree_status_t read_network(const arguments_t *arguments, const char *file,
                                   const char *format, char **text_p)
{
    char path[COMMAND_PATH_ROOM], capacity[32];
    const char *words[] = {"python3",
                           path,
                           file,
                           format,
                           capacity,
                           command_word(arguments->switches),
                           command_word(arguments->nodes),
                           command_word(arguments->name),
                           command_word(arguments->topology),
                           NULL};

    (void)snprintf(capacity, sizeof(capacity), "%.17g",
                   link_options_capacity(&arguments->links));
    return command_read("import", "importer", words, text_p);
}

static mtree_status_t convert(const arguments_t *arguments, const char *file,
                              const char *format, int argc, char **argv)
{
    mtree_topology_t *topology;
    char *text, *graph;
    mtree_status_t status = read_network(arguments, file, format, &text);

    if (status != MTREE_OK) {
        return status;
    }
    for (graph = text; strncmp(graph, "//", 2) == 0; graph += strcspn(graph, "\n") + 1) {}
    status = mtree_topology_parse(graph, strlen(graph), file, &topology);
    if (status == MTREE_OK) {
        link_options_apply(&arguments->links, topology);
        *graph = '\0';
        status = link_options_write(&arguments->links, topology, text, argc, argv);
        mtree_topology_destroy(topology);
    }
    free(text);
    return status;
}

static void print_formats(void)
{
    puts("\nThe end of the file's name, or --format, says what it is:\n");
    for (size_t i = 0; i < NUM_FORMATS; i++) {
        printf("  FILE%-18s%s\n", formats[i].ending, formats[i].help);
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
        {"switches", 'w', OPTION_TEXT, offsetof(arguments_t, switches),
         .argument = "LIST",
         .help = "names that are switches: patterns like 'NVS*,PCI_*'"},
        {0}};
    static const option_t capacity[] = {
        {"capacity", 'c', OPTION_RATE, offsetof(link_options_t, capacity),
         .argument = "C", .example = "200Mbps", .not_zero = true,
         .help =
             "capacity of links that have none; with --skew the mean (default 200Mbps)"},
        {0}};
    arguments_t arguments = {0};
    const option_group_t groups[] = {{options, .data = &arguments},
                                     {capacity, .data = &arguments.links},
                                     {link_options, .data = &arguments.links},
                                     {0}};
    const char *format;

    link_options_init(&arguments.links);
    options_parse(&command_import, groups, argc, argv);
    format = find_format(argv[optind], arguments.format);
    if (format == NULL) {
        return COMMAND_MISUSED;
    }
    if (arguments.topology != NULL && strcmp(format, "yaml") != 0) {
        return command_misuse(&command_import,
                              "--topology is about a topology.yaml, which has several");
    }
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
