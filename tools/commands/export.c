/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree export: topologies and plans for other programs.
 */
#include "tools/options.h"
#include "tools/planned_network.h"

#include "base/log.h"

#include <string.h>

/* A topology says nothing of processors, and SimGrid wants a speed. */
#define HOST_SPEED "1Gf"

typedef struct {
    const char *output; /* NULL: standard output */
    int chunks;         /* of the vector, or of a rank's block, which trees share */
} export_options_t;

/* Write @a text with what XML takes for its own escaped. */
static void write_escaped(const char *text, FILE *out)
{
    static const char letters[] = "&<>\"";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

    for (; *text != '\0'; text++) {
        const char *letter = strchr(letters, *text);

        if (letter != NULL) {
            fputs(escapes[letter - letters], out);
        } else {
            fputc(*text, out);
        }
    }
}

/* ` NAME="TEXT"`.  Names of vertices have no quotes. */
static void write_attribute(const char *name, const char *text, FILE *out)
{
    fprintf(out, " %s=\"", name);
    write_escaped(text, out);
    fputc('"', out);
}

/* The attribute that names the link of an arc. */
static void write_link_id(const mtree_topology_t *topology, int arc, FILE *out)
{
    fputs(" id=\"", out);
    write_escaped(topology->vertices[mtree_arc_from(topology, arc)].name, out);
    fputs("-&gt;", out);
    write_escaped(topology->vertices[mtree_arc_to(topology, arc)].name, out);
    fputc('"', out);
}

static void write_vertices(const mtree_topology_t *topology, FILE *out)
{
    for (int i = 0; i < topology->num_vertices; i++) {
        const bool is_host = topology->vertices[i].kind == MTREE_VERTEX_HOST;

        fputs(is_host ? "    <host" : "    <router", out);
        write_attribute("id", topology->vertices[i].name, out);
        fputs(is_host ? " speed=\"" HOST_SPEED "\"/>\n" : "/>\n", out);
    }
}

static void write_links(const mtree_topology_t *topology, FILE *out)
{
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const double capacity = mtree_arc_capacity(topology, arc);

        if (capacity > 0) {
            fputs("    <link", out);
            write_link_id(topology, arc, out);
            fprintf(out, " bandwidth=\"%.15gBps\" latency=\"%.15gs\"/>\n", capacity / 8,
                    topology->links[arc / 2].latency);
        }
    }
}

/* The route between two of the network's hosts. */
static void write_route(const planned_network_t *network, int from, int to, FILE *out)
{
    const mtree_topology_t *topology = network->topology;

    fputs("    <route", out);
    write_attribute("src", topology->vertices[network->hosts[from]].name, out);
    write_attribute("dst", topology->vertices[network->hosts[to]].name, out);
    fputs(" symmetrical=\"NO\">", out);
    MTREE_ROUTE_ARCS (arc, network->routes, from, to) {
        fputs("<link_ctn", out);
        write_link_id(topology, arc, out);
        fputs("/>", out);
    }
    fputs("</route>\n", out);
}

static void write_platform(const planned_network_t *network, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n  <zone",
          out);
    write_attribute("id", network->topology->name, out);
    fputs(" routing=\"Full\">\n", out);
    write_vertices(network->topology, out);
    write_links(network->topology, out);
    for (int from = 0; from < network->num_hosts; from++) {
        for (int to = 0; to < network->num_hosts; to++) {
            if (from != to) {
                write_route(network, from, to, out);
            }
        }
    }
    fputs("  </zone>\n</platform>\n", out);
}

/*
 * Write the topology in @a file as a platform of SimGrid, in its XML of version 4.1: a
 * link per arc, and the links that each host's traffic to each other takes.  SimGrid's
 * own search for routes would choose others where latencies are equal, so all are
 * written.
 */
static mtree_status_t export_simgrid(const char *file, const export_options_t *options)
{
    plan_options_t all_hosts;
    planned_network_t network;
    mtree_status_t status;
    FILE *out;

    plan_options_init(&all_hosts);
    status = planned_network_prepare(&all_hosts, file, &network);
    if (status != MTREE_OK) {
        return status;
    }
    status = command_open(options->output, &out);
    if (status == MTREE_OK) {
        write_platform(&network, out);
        status = command_close(options->output, out, MTREE_OK);
    }
    planned_network_cleanup(&network);
    return status;
}

typedef struct {
    const char *format;
    export_options_t options;
} arguments_t;

/* A plan as an algorithm of MSCCL, in the XML that its runtimes read: the plan is checked
 * here, and msccl.py writes what is made of it. */
static mtree_status_t export_msccl(const char *file, const export_options_t *options)
{
    char path[COMMAND_PATH_ROOM], chunks[16];
    const char *words[] = {"python3", path, file, chunks, options->output, NULL};
    planned_network_t planned;
    mtree_status_t status = planned_network_read(file, NULL, &planned);

    if (status == MTREE_OK) {
        planned_network_cleanup(&planned);
        (void)snprintf(chunks, sizeof(chunks), "%d", options->chunks);
        status = command_become("export", "msccl.py", words);
    }
    return status;
}

/* What --format takes: what it is written of, the function that writes it, and its line
 * of --help. */
static const struct {
    const char *name, *source, *help;
    mtree_status_t (*write)(const char *file, const export_options_t *options);
} formats[] = {
    {"simgrid", "FILE.dot", "a topology as a platform of SimGrid", export_simgrid},
    {"msccl", "PLAN.json", "a plan as an algorithm of MSCCL", export_msccl}};

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
    char names[128] = "";
    int code = options_parse(&command_export, groups, argc, argv);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (arguments.format == NULL) {
        return command_misuse(&command_export, "--format FORMAT is needed");
    }
    for (size_t i = 0, used = 0; i < NUM_FORMATS; i++, used = strlen(names)) {
        if (strcmp(arguments.format, formats[i].name) == 0) {
            return command_exit(formats[i].write(argv[optind], &arguments.options));
        }
        snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                 formats[i].name);
    }
    mtree_error("export: no format '%s'; use one of %s", arguments.format, names);
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
