/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree generate: regular and random topologies.
 */
#include "tools/link_options.h"

#include "topo/generators.h"

#define DEFAULT_CAPACITY 1e9

static int run(int argc, char **argv)
{
    static const option_t capacity[] = {
        {"capacity", 'c', OPTION_RATE, offsetof(link_options_t, capacity),
         .argument = "C", .example = "200Mbps", .not_zero = true,
         .help = "capacity of each link, each way (default 1Gbps; with --skew the mean, "
                 "default 200Mbps)"},
        {0}};
    mtree_generate_request_t request = {.capacity = DEFAULT_CAPACITY};
    link_options_t links;
    const option_group_t groups[] = {
        {capacity, .data = &links}, {link_options, .data = &links}, {0}};
    mtree_topology_t *topology;

    link_options_init(&links);
    options_parse(&command_generate, groups, argc, argv);
    request.seed = (uint64_t)links.seed;
    if (links.capacity > 0) {
        request.capacity = links.capacity;
    }
    command_must(mtree_generate(argv[optind], &request, &topology));
    link_options_apply(&links, topology);
    link_options_write(&links, topology, "", argc, argv);
    return COMMAND_OK;
}

const command_t command_generate = {
    .name = "generate",
    .summary = "make a regular or random topology",
    .usage = "[OPTION]... SHAPE",
    .help =
        "Write a topology file of that shape:\n\n"
        "  torus:AxB[xC]  mesh:AxB[xC]  ring:N   hosts on a grid, on a ring\n"
        "  star:N                                N hosts around a switch\n"
        "  fattree:K                             3 levels, K^3/4 hosts\n"
        "  fattree:LxH                           L leaf switches of H hosts, H spines\n"
        "  bigraph:MxN                           M*N hosts on two stages of M switches\n"
        "  tree:AxB[xC]                          levels of switches, hosts below the "
        "last\n"
        "  random:N:L                            N hosts, L links, connected\n",
    .examples = {"mtree generate torus:4x4 --capacity 10Gbps",
                 "mtree generate star:8 --skew 0.5 --seed 7 -o star.dot"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one shape is needed",
    .run = run,
};
