/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree topology: check a topology file and print it, at another scale if wanted.
 */
#include "tools/link_options.h"
#include "tools/topology_json.h"

#include "base/units.h"
#include "topo/dot/cables.h"
#include "topo/dot/read.h"
#include "topo/dot/values.h"

#include <math.h>

#define ETHERNET_HEADER 14

static void print_capacity(const mtree_link_t *link)
{
    const char *forward = MTREE_UNITS_RATE(link->capacity[0]);

    if (link->capacity[0] == link->capacity[1]) {
        printf("%s", forward);
    } else {
        printf("%s there, %s back", forward, MTREE_UNITS_RATE(link->capacity[1]));
    }
}

static void print_cost(const mtree_message_cost_t *cost)
{
    if (cost->message > 0.0) {
        printf("  a message costs a processor %s", MTREE_UNITS_TIME(cost->message));
        if (cost->byte > 0.0) {
            printf(", its bytes %s", MTREE_UNITS_RATE(8.0 / cost->byte));
        }
        putchar('\n');
    }
}

static void print_topology(const mtree_topology_t *topology)
{
    const mtree_link_t *link;
    int num_hosts = mtree_topology_num_hosts(topology);
    int num_switches = topology->num_vertices - num_hosts;

    printf("%s (%s): %d host%s, %d switch%s, %d link%s\n", topology->name,
           topology->source, num_hosts, MTREE_UNITS_PLURAL(num_hosts), num_switches,
           num_switches == 1 ? "" : "es", topology->num_links,
           MTREE_UNITS_PLURAL(topology->num_links));
    print_cost(&topology->cost);
    for (int i = 0; i < topology->num_links; ++i) {
        link = &topology->links[i];
        printf("  %s -- %s: ", topology->vertices[link->u].name,
               topology->vertices[link->v].name);
        print_capacity(link);
        printf(", %s", MTREE_UNITS_TIME(link->latency));
        mtree_dot_conditions_write(&link->conditions, stdout);
        for (int c = 0; c < link->num_cables; ++c) {
            mtree_dot_cable_write(&link->cables[c], false, stdout);
        }
        putchar('\n');
    }
}

static void print_routes(const mtree_topology_t *topology, const mtree_routes_t *routes)
{
    int num_hosts = mtree_topology_num_hosts(topology);

    puts("routes:");
    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; to < num_hosts; ++to) {
            int first = mtree_routes_first(routes, from, to);

            if (first < 0) {
                continue;
            }
            printf("  %s", topology->vertices[mtree_arc_from(topology, first)].name);
            MTREE_ROUTE_ARCS (arc, routes, from, to) {
                printf(" > %s", topology->vertices[mtree_arc_to(topology, arc)].name);
            }
            printf("  (%s)\n", MTREE_UNITS_TIME(mtree_routes_latency(routes, from, to)));
        }
    }
}

typedef struct {
    bool with_json, with_routes;
    double scale; /* of every capacity */
    bool no_latency;
    int mtu; /* of links that the file gives none, and the loss; negative: none */
    double loss;
    double burst;         /* seconds at the capacity; 0: none */
    link_options_t links; /* with the output, if any */
} arguments_t;

/* Bytes that a link of a lab lets through at once: two frames at least. */
static double lab_burst(const mtree_link_t *link, double seconds)
{
    return fmax(ceil(seconds / 8 * fmax(link->capacity[0], link->capacity[1])),
                2 * (fmax(link->conditions.mtu, 0) + ETHERNET_HEADER));
}

/* The network as a lab plays it (netlab(1)). */
static void rescale(mtree_topology_t *topology, const arguments_t *arguments)
{
    mtree_link_t *link;

    for (int i = 0; i < topology->num_links; ++i) {
        link = &topology->links[i];
        link->capacity[0] *= arguments->scale;
        link->capacity[1] *= arguments->scale;
        for (int c = 0; c < link->num_cables; ++c) {
            link->cables[c].capacity[0] *= arguments->scale;
            link->cables[c].capacity[1] *= arguments->scale;
        }
        link->conditions.cross *= arguments->scale;
        if (arguments->no_latency) {
            link->latency = 0;
            link->conditions.jitter = -1;
        }
        if (link->conditions.mtu < 0) {
            link->conditions.mtu = arguments->mtu;
        }
        if (link->conditions.loss < 0) {
            link->conditions.loss = arguments->loss;
        }
        if (arguments->burst > 0) {
            link->conditions.burst = lab_burst(link, arguments->burst);
        }
    }
}

static void show(const mtree_topology_t *topology, const arguments_t *arguments)
{
    mtree_routes_t *routes = NULL;

    if (arguments->with_routes) {
        command_must(mtree_routes_create(topology, NULL, 0, &routes));
    }
    if (arguments->with_json) {
        command_must(command_print_json(topology_json(topology, routes), stdout));
        return;
    }
    print_topology(topology);
    if (routes != NULL) {
        print_routes(topology, routes);
    }
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"routes", 'r', OPTION_FLAG, offsetof(arguments_t, with_routes),
         .help = "also the route between every two hosts"},
        {"json", 'j', OPTION_FLAG, offsetof(arguments_t, with_json),
         .help = "print JSON"},
        {"scale", 's', OPTION_NUMBER, offsetof(arguments_t, scale), .argument = "S",
         .help = "with every capacity multiplied by S", .least = 1e-9, .most = 1e9},
        {"no-latency", 'n', OPTION_FLAG, offsetof(arguments_t, no_latency),
         .help = "without latencies; with --scale: what netlab plays"},
        {"mtu", 0, OPTION_WHOLE, offsetof(arguments_t, mtu), .argument = "BYTES",
         .help = "longest packet of links that have none in the file", .least = 576,
         .most = 65535},
        {"loss", 0, OPTION_NUMBER, offsetof(arguments_t, loss), .argument = "PART",
         .help = "of the packets of links that have none in the file", .most = 1},
        {"burst", 0, OPTION_TIME, offsetof(arguments_t, burst), .argument = "TIME",
         .help = "at its capacity, that each link lets through at once, as netlab's do",
         .example = "2ms"},
        {"output", 'o', OPTION_TEXT, offsetof(arguments_t, links.output),
         .argument = "FILE", .help = "write it there, too, as a topology file"},
        {0}};
    arguments_t arguments = {.scale = 1, .mtu = -1, .loss = -1};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};
    mtree_topology_t *topology;

    link_options_init(&arguments.links);
    options_parse(&command_topology, groups, argc, argv);
    command_must(mtree_topology_read(argv[optind], &topology));
    rescale(topology, &arguments);
    show(topology, &arguments);
    if (arguments.links.output != NULL) {
        link_options_write(&arguments.links, topology, "", argc, argv);
    }
    return COMMAND_OK;
}

const command_t command_topology = {
    .name = "topology",
    .summary = "check a topology file and say what is in it",
    .usage = "[OPTION]... FILE.dot",
    .help = "Check a topology file and print its hosts, switches and links.\n",
    .examples = {"mtree topology examples/sites.dot",
                 "mtree topology --routes --scale 0.1 examples/sites.dot"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
