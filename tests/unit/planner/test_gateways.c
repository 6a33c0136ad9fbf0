/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees over gateways: how often they cross from one site to another, and where there
 * are sites.
 */
#include "planner/regular/gateways.h"
#include "tests/unit/maps.h"
#include "tests/unit/planner/networks.h"

#include <stdio.h>

#define NUM_SITES 3
#define MAX_HOSTS 12
#define MEGABIT   1e6

static mtree_routes_t *routes;
static int site_of[MAX_HOSTS], num_hosts;

static int add_vertex(mtree_topology_t *topology, const char *name, bool is_host)
{
    int vertex;

    unit_ok(mtree_topology_add_vertex(topology, name, NULL,
                                      is_host ? MTREE_VERTEX_HOST : MTREE_VERTEX_SWITCH,
                                      &vertex));
    return vertex;
}

static void add_link(mtree_topology_t *topology, int a, int b, double megabits,
                     double latency)
{
    map_join(topology, a, b, megabits * MEGABIT, latency);
}

/* Sites of @a sizes hosts, joined by lines of 200, 100 and 60 Mb/s and @a latency
 * seconds; the hosts of the sites come in turns. */
static mtree_topology_t *make_sites(const int sizes[NUM_SITES], double latency)
{
    mtree_topology_t *topology;
    int switches[NUM_SITES], hosts[MAX_HOSTS];
    char name[16];

    topology = mtree_topology_create("sites", "test");
    num_hosts = 0;
    for (int site = 0; site < NUM_SITES; site++) {
        (void)snprintf(name, sizeof(name), "s%d", site);
        switches[site] = add_vertex(topology, name, false);
    }
    for (int turn = 0; turn < MAX_HOSTS; turn++) {
        for (int site = 0; site < NUM_SITES; site++) {
            if (turn < sizes[site]) {
                (void)snprintf(name, sizeof(name), "h%d", num_hosts);
                hosts[num_hosts] = add_vertex(topology, name, true);
                add_link(topology, hosts[num_hosts], switches[site], 2000, 20e-6);
                site_of[num_hosts++] = site;
            }
        }
    }
    add_link(topology, switches[0], switches[1], 200, latency);
    add_link(topology, switches[0], switches[2], 100, latency);
    add_link(topology, switches[1], switches[2], 60, latency);
    unit_ok(mtree_routes_create(topology, hosts, num_hosts, &routes));
    return topology;
}

static void destroy(mtree_topology_t *topology)
{
    mtree_routes_destroy(routes);
    mtree_topology_destroy(topology);
}

static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                 MTREE_ALLTOALL};

/* What a root sends to a site comes there once, whatever the sites' sizes. */
UNIT_LOOP(each_site_is_entered_once, 0, 6)
{
    static const int sizes[][NUM_SITES] = {{4, 4, 4}, {1, 4, 2}};
    mtree_topology_t *topology = make_sites(sizes[_i % 2], 0.01);
    mtree_plan_t *plan =
        NETWORK_PLAN(topology, .collective = collectives[_i / 2], .algorithm = "gateways",
                     .root = 2, .max_trees = 10, .bytes = 786432);

    ck_assert(mtree_gateways_fit(routes, num_hosts));
    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];
        int entered[NUM_SITES] = {0};

        for (int host = 0; host < num_hosts; host++) {
            int above = tree->parent[host];

            entered[site_of[host]] += above >= 0 && site_of[above] != site_of[host];
        }
        for (int site = 0; site < NUM_SITES; site++) {
            ck_assert_int_eq(entered[site], site != site_of[tree->root]);
        }
    }
    mtree_plan_destroy(plan);
    destroy(topology);
}

/* Of all-to-all each host of a site has one connection over each line, and the trees
 * carry as much as any. */
UNIT_TEST(lines_have_a_connection_per_host)
{
    static const int sizes[NUM_SITES] = {4, 4, 4};
    mtree_topology_t *topology = make_sites(sizes, 0.01);
    mtree_plan_request_t request = {
        .collective = MTREE_ALLTOALL, .max_trees = 10, .bytes = 786432};
    mtree_plan_t *packing = network_plan(topology, &request), *plan;
    bool joined[MAX_HOSTS][MAX_HOSTS] = {{false}};
    int lines[NUM_SITES][NUM_SITES] = {{0}};

    request.algorithm = "gateways";
    plan = network_plan(topology, &request);
    ck_assert_double_ge(plan->throughput, 0.95 * packing->bound);
    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < num_hosts; host++) {
            int above = plan->trees[t].parent[host];

            if (above >= 0 && !joined[above][host]) {
                joined[above][host] = true;
                lines[site_of[above]][site_of[host]]++;
            }
        }
    }
    for (int from = 0; from < NUM_SITES; from++) {
        for (int to = 0; to < NUM_SITES; to++) {
            ck_assert_int_le(lines[from][to], from == to ? 12 : 4);
        }
    }
    mtree_plan_destroy(packing);
    mtree_plan_destroy(plan);
    destroy(topology);
}

/* Lines as short as the way to the switch make no sites, nor do hosts one by one. */
UNIT_LOOP(sites_are_far_from_each_other, 0, 2)
{
    static const int sizes[][NUM_SITES] = {{4, 4, 4}, {1, 1, 1}};
    mtree_topology_t *topology = make_sites(sizes[_i], _i == 0 ? 20e-6 : 0.01);
    mtree_plan_t *plan = NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL,
                                      .algorithm = "gateways", .max_trees = 10);

    ck_assert(!mtree_gateways_fit(routes, num_hosts));
    ck_assert_double_gt(plan->throughput, 0);
    mtree_plan_destroy(plan);
    destroy(topology);
}
