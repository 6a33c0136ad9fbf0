/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree import: networks in other formats.
 */
#include "tools/command.h"
#include "tools/import/network.h"
#include "tools/link_options.h"

#include "base/file.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

typedef mtree_status_t (*reader_t)(import_t *import, const char *text, size_t length);

/* Both are XML. */
static mtree_status_t import_xml(import_t *import, const char *text, size_t length)
{
    return strstr(text, "<graphml") != NULL ? import_graphml(import, text, length)
                                            : import_hwloc(import, text, length);
}

/* The reader for a file, by the end of its name. */
static reader_t find_reader(const char *file)
{
    static const struct {
        const char *ending;
        reader_t reader;
    } readers[] = {{".tsv", import_tsv},
                   {".gml", import_gml},
                   {".graphml", import_graphml},
                   {".conf", import_slurm},
                   {".xml", import_xml}};
    size_t length = strlen(file);
    size_t i;

    for (i = 0; i < sizeof(readers) / sizeof(readers[0]); ++i) {
        size_t end = strlen(readers[i].ending);

        if (length > end && strcmp(file + length - end, readers[i].ending) == 0) {
            return readers[i].reader;
        }
    }
    return NULL;
}

static mtree_status_t read_nodes(import_t *import, const char *file)
{
    mtree_status_t status;
    size_t length;
    char *text;

    status = mtree_file_read(file, &text, &length);
    if (status != MTREE_OK) {
        return status;
    }
    status = import_tsv_nodes(import, file, text, length);
    free(text);
    return status;
}

static mtree_status_t read_network(import_t *import, reader_t reader, const char *nodes)
{
    mtree_status_t status;
    size_t length;
    char *text;

    status = mtree_file_read(import->file, &text, &length);
    if (status != MTREE_OK) {
        return status;
    }
    status = reader(import, text, length);
    free(text);
    if (status == MTREE_OK && nodes != NULL) {
        status = read_nodes(import, nodes);
    }
    return status;
}

/* What the command line asks for. */
typedef struct {
    const char *nodes, *name;
    import_request_t request;
    drawing_t drawing;
} arguments_t;

static mtree_status_t convert(const arguments_t *arguments, const char *file,
                              reader_t reader, int argc, char **argv)
{
    mtree_topology_t *topology;
    mtree_status_t status;
    import_t import;

    status = import_init(&import, file);
    if (status != MTREE_OK) {
        return status;
    }
    status = read_network(&import, reader, arguments->nodes);
    if (status == MTREE_OK && arguments->name != NULL) {
        free(import.name);
        import.name = strdup(arguments->name);
    }
    if (status == MTREE_OK) {
        status = import_finish(&import, &arguments->request, &topology);
    }
    if (status == MTREE_OK) {
        drawing_apply(&arguments->drawing, topology);
        status =
            drawing_write(&arguments->drawing, topology, import.comments, argc, argv);
        mtree_topology_destroy(topology);
    }
    import_cleanup(&import);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"nodes", required_argument, NULL, 'n'},
        {"name", required_argument, NULL, 'N'},
        {"switches", required_argument, NULL, 'w'},
        DRAWING_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    arguments_t arguments = {0};
    reader_t reader;
    int option;

    drawing_init(&arguments.drawing);
    while ((option = getopt_long(argc, argv, "hn:N:w:" DRAWING_LETTERS, options, NULL)) !=
           -1) {
        switch (option) {
        case 'h':
            return command_help(&command_import);
        case 'n':
            arguments.nodes = optarg;
            break;
        case 'N':
            arguments.name = optarg;
            break;
        case 'w':
            arguments.request.switches = optarg;
            break;
        default:
            if (drawing_option(&arguments.drawing, option, optarg) != MTREE_OK) {
                return COMMAND_MISUSED;
            }
        }
    }
    if (optind + 1 != argc) {
        return command_misuse(&command_import, "one file is needed");
    }
    reader = find_reader(argv[optind]);
    if (reader == NULL) {
        return command_misuse(&command_import,
                              "the file's name must end in .tsv, .gml, .graphml, .conf "
                              "or .xml");
    }
    arguments.request.capacity = drawing_capacity(&arguments.drawing);
    return (convert(&arguments, argv[optind], reader, argc, argv) == MTREE_OK)
               ? COMMAND_OK
               : COMMAND_FAILED;
}

const command_t command_import = {
    .name = "import",
    .summary = "make a topology file from TSV, GML, GraphML, Slurm's or hwloc's",
    .help =
        "Usage: mtree import [OPTION]... FILE\n"
        "Write a topology file of that network:\n\n"
        "  FILE.tsv              a table of links\n"
        "  FILE.gml FILE.graphml\n"
        "  FILE.conf             Slurm's topology.conf (tree)\n"
        "  FILE.xml              GraphML, or a machine of hwloc (lstopo FILE.xml)\n\n"
        "  -n, --nodes FILE      names and positions for a TSV file (node, label, lat, "
        "lon)\n"
        "  -N, --name NAME       of the network\n"
        "  -w, --switches LIST   names that are switches: patterns like 'NVS*,PCI_*'\n"
        "  -c, --capacity C      of links that have none; with --skew the mean (default\n"
        "                        200Mbps)\n" DRAWING_HELP
        "  -h, --help            this text\n",
    .run = run,
};
