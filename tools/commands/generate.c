/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree generate: regular and random topologies.
 */
#include "tools/command.h"
#include "tools/link_options.h"

#include "topo/generators.h"

#define DEFAULT_CAPACITY 1e9

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        DRAWING_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    mtree_generate_request_t request = {.capacity = DEFAULT_CAPACITY};
    mtree_topology_t *topology;
    mtree_status_t status;
    drawing_t drawing;
    int option;

    drawing_init(&drawing);
    while ((option = getopt_long(argc, argv, "h" DRAWING_LETTERS, options, NULL)) != -1) {
        if (option == 'h') {
            return command_help(&command_generate);
        } else if (drawing_option(&drawing, option, optarg) != MTREE_OK) {
            return COMMAND_MISUSED;
        }
    }
    if (optind + 1 != argc) {
        return command_misuse(&command_generate, "one shape is needed");
    }
    request.seed = drawing.seed;
    if (drawing.capacity > 0) {
        request.capacity = drawing.capacity;
    }
    if (mtree_generate(argv[optind], &request, &topology) != MTREE_OK) {
        return COMMAND_FAILED;
    }
    drawing_apply(&drawing, topology);
    status = drawing_write(&drawing, topology, NULL, argc, argv);
    mtree_topology_destroy(topology);
    return (status == MTREE_OK) ? COMMAND_OK : COMMAND_FAILED;
}

const command_t command_generate = {
    .name = "generate",
    .summary = "make a regular or random topology",
    .help =
        "Usage: mtree generate [OPTION]... SHAPE\n"
        "Write a topology file of that shape:\n\n"
        "  torus:AxB[xC]  mesh:AxB[xC]  ring:N   hosts on a grid, on a ring\n"
        "  star:N                                N hosts around a switch\n"
        "  fattree:K                             3 levels, K^3/4 hosts\n"
        "  fattree:LxH                           L leaf switches of H hosts, H spines\n"
        "  bigraph:MxN                           M*N hosts on two stages of M switches\n"
        "  tree:AxB[xC]                          levels of switches, hosts below the "
        "last\n"
        "  random:N:L                            N hosts, L links, connected\n\n"
        "  -c, --capacity C      of each link, each way (default 1Gbps; with --skew the\n"
        "                        mean, default 200Mbps)\n" DRAWING_HELP
        "  -h, --help            this text\n",
    .run = run,
};
