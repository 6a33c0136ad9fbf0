/*
 * mtree topology: what a topology file says, checked.
 */
#include "tools/command.h"
#include "tools/topology_json.h"

#include "topo/routes.h"
#include "topo/topology_file.h"
#include "topo/units.h"

#include <stdlib.h>

static void print_capacity(const mtree_link_t *link)
{
    char forward[MTREE_UNITS_LENGTH], backward[MTREE_UNITS_LENGTH];

    mtree_units_format_rate(link->capacity[0], forward, sizeof(forward));
    mtree_units_format_rate(link->capacity[1], backward, sizeof(backward));
    if (link->capacity[0] == link->capacity[1]) {
        printf("%s", forward);
    } else {
        printf("%s there, %s back", forward, backward);
    }
}

static void print_topology(const mtree_topology_t *topology)
{
    char text[MTREE_UNITS_LENGTH];
    const mtree_link_t *link;
    int num_hosts = mtree_topology_num_hosts(topology);
    int i;

    printf("%s (%s): %d hosts, %d switches, %d links\n", topology->name, topology->source,
           num_hosts, topology->num_vertices - num_hosts, topology->num_links);
    for (i = 0; i < topology->num_links; ++i) {
        link = &topology->links[i];
        printf("  %s -- %s: ", topology->vertices[link->u].name,
               topology->vertices[link->v].name);
        print_capacity(link);
        printf(", %s\n", mtree_units_format_time(link->latency, text, sizeof(text)));
    }
}

static void print_routes(const mtree_topology_t *topology, const mtree_routes_t *routes,
                         int num_hosts)
{
    char text[MTREE_UNITS_LENGTH];
    int from, to, i, num_arcs;
    const int *arcs;

    puts("routes:");
    for (from = 0; from < num_hosts; ++from) {
        for (to = 0; to < num_hosts; ++to) {
            arcs = mtree_routes_get(routes, from, to, &num_arcs);
            if (num_arcs == 0) {
                continue;
            }
            printf("  %s", topology->vertices[mtree_arc_from(topology, arcs[0])].name);
            for (i = 0; i < num_arcs; ++i) {
                printf(" > %s", topology->vertices[mtree_arc_to(topology, arcs[i])].name);
            }
            printf("  (%s)\n",
                   mtree_units_format_time(mtree_routes_latency(routes, from, to), text,
                                           sizeof(text)));
        }
    }
}

/* The routes between all hosts of @a topology, and the number of hosts. */
static mtree_status_t find_routes(const mtree_topology_t *topology, int *num_hosts_p,
                                  mtree_routes_t **routes_p)
{
    int *hosts = malloc(topology->num_vertices * sizeof(*hosts));
    mtree_status_t status;
    int num_hosts = 0;
    int i;

    if (hosts == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (i = 0; i < topology->num_vertices; ++i) {
        if (topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            hosts[num_hosts++] = i;
        }
    }
    status = mtree_routes_create(topology, hosts, num_hosts, routes_p);
    free(hosts);
    *num_hosts_p = num_hosts;
    return status;
}

static mtree_status_t show(const mtree_topology_t *topology, bool with_json,
                           bool with_routes)
{
    mtree_routes_t *routes = NULL;
    mtree_status_t status;
    int num_hosts = 0;

    if (with_routes) {
        status = find_routes(topology, &num_hosts, &routes);
        if (status != MTREE_OK) {
            return status;
        }
    }
    status = MTREE_OK;
    if (with_json) {
        status = command_print_json(topology_json(topology, routes, num_hosts), stdout);
    } else {
        print_topology(topology);
        if (routes != NULL) {
            print_routes(topology, routes, num_hosts);
        }
    }
    mtree_routes_destroy(routes);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"routes", no_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    bool with_json = false, with_routes = false;
    mtree_topology_t *topology;
    mtree_status_t status;
    int option;

    while ((option = getopt_long(argc, argv, "hjr", options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return command_help(&command_topology);
        case 'j':
            with_json = true;
            break;
        case 'r':
            with_routes = true;
            break;
        default:
            return COMMAND_MISUSED;
        }
    }
    if (optind + 1 != argc) {
        return command_misuse(&command_topology, "one topology file is needed");
    }
    if (mtree_topology_read(argv[optind], &topology) != MTREE_OK) {
        return COMMAND_FAILED;
    }
    status = show(topology, with_json, with_routes);
    mtree_topology_destroy(topology);
    return (status == MTREE_OK) ? COMMAND_OK : COMMAND_FAILED;
}

const command_t command_topology = {
    .name = "topology",
    .summary = "check a topology file and say what is in it",
    .help = "Usage: mtree topology [--routes] [--json] FILE.dot\n"
            "Check a topology file and print its hosts, switches and links.\n\n"
            "  -r, --routes  also the route between every two hosts\n"
            "  -j, --json    as JSON\n"
            "  -h, --help    this text\n",
    .run = run,
};
