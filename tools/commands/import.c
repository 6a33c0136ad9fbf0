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

/* The end of a file's name, and its line of --help; importer/__main__.py has a reader for
 * each. */
static const struct {
    const char *ending, *help;
} formats[] = {{".tsv", "a table of links"},
               {".gml", "GML"},
               {".graphml", "GraphML"},
               {".conf", "Slurm's topology.conf (tree, block, ring)"},
               {".yaml", "Slurm's topology.yaml (these, torus3d)"},
               {".xml", "GraphML"}};

#define NUM_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* The format of @a file, by @a wanted, an ending without its dot, or, if that is empty,
 * by the end of its name, without its dot; NULL, logged with all that there are: none. */
static const char *find_format(const char *file, const char *wanted)
{
    const bool is_named = wanted[0] != '\0';
    size_t length = strlen(file);
    char all[128] = "";

    for (size_t i = 0; i < NUM_FORMATS; i++) {
        const char *name = formats[i].ending + is_named;
        size_t end = strlen(name), used = strlen(all);

        if (is_named ? strcasecmp(wanted, name) == 0
                     : length > end && strcmp(file + length - end, name) == 0) {
            return formats[i].ending + 1;
        }
        snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (is_named) {
        mtree_error("import: --format '%s': the formats are %s", wanted, all);
    } else {
        mtree_error("import: %s: the file's name must end in one of %s; else say what it "
                    "is by --format",
                    file, all);
    }
    return NULL;
}

/* Write what the importer, the program of @a words, prints of @a file: a topology file.
 */
static void convert(const link_options_t *links, const char *file,
                    const char *const *words, int argc, char **argv)
{
    mtree_topology_t *topology;
    char *text = command_read("import", "importer", words), *graph = text;

    while (strncmp(graph, "//", 2) == 0) {
        graph += strcspn(graph, "\n") + 1;
    }
    command_must(mtree_topology_parse(graph, strlen(graph), file, &topology));
    *graph = '\0';
    link_options_apply(links, topology);
    link_options_write(links, topology, text, argc, argv);
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
    enum { FORMAT = 2, TOPOLOGY = 3 }; /* their places among the options */
    static const option_t options[] = {
        {"nodes", 'n', OPTION_TEXT, .argument = "FILE",
         .help = "names and positions for a TSV file (node, label, lat, lon)"},
        {"name", 'N', OPTION_TEXT, .argument = "NAME", .help = "name of the network"},
        {"format", 'f', OPTION_TEXT, .argument = "FORMAT",
         .help = "what the file is, an ending below without its dot, where its name does "
                 "not say it"},
        {"topology", 't', OPTION_TEXT, .argument = "NAME",
         .help = "topology of a topology.yaml (default: that of its cluster)"},
        {"switches", 'w', OPTION_TEXT, .argument = "LIST",
         .help = "names that are switches: patterns like 'sw*,ix?'"},
        {0}};
    static const option_t capacity[] = {
        {"capacity", 'c', OPTION_RATE, offsetof(link_options_t, capacity),
         .argument = "C", .example = "200Mbps", .not_zero = true,
         .help =
             "capacity of links that have none; with --skew the mean (default 200Mbps)"},
        {0}};
    char rate[32];
    const char *words[3 + sizeof(options) / sizeof(options[0])] = {NULL};
    const char *const *given = words + 3;
    link_options_t links;
    const option_group_t groups[] = {{options, .texts = words + 3},
                                     {capacity, .data = &links},
                                     {link_options, .data = &links},
                                     {0}};

    link_options_init(&links);
    options_parse(&command_import, groups, argc, argv);
    words[0] = argv[optind];
    words[1] = find_format(argv[optind], given[FORMAT]);
    words[2] = rate;
    (void)snprintf(rate, sizeof(rate), "%.17g", link_options_capacity(&links));
    if (words[1] == NULL) {
        return COMMAND_MISUSED;
    }
    if (given[TOPOLOGY][0] != '\0' && strcmp(words[1], "yaml") != 0) {
        return command_misuse(&command_import,
                              "--topology is about a topology.yaml, which has several");
    }
    convert(&links, argv[optind], words, argc, argv);
    return COMMAND_OK;
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
