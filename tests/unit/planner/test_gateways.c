/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees over gateways: how often they cross from one site to another, and where there
 * are sites.
 */
#include "planner/regular/gateways.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

#define NUM_SITES 3
#define MAX_HOSTS 12

/* A host for each letter of @a sites, which is that of its site.  Lines of 200, 100 and
 * 60 Mb/s and @a latency join the sites. */
static mtree_topology_t *sites_of(const char *sites, const char *latency)
{
    char text[2000];
    int at = snprintf(text, sizeof(text),
                      "graph { node [kind=switch] A B C\n edge [latency=\"%s\"]\n"
                      "A -- B [capacity=\"200Mbps\"]; A -- C [capacity=\"100Mbps\"]\n"
                      "B -- C [capacity=\"60Mbps\"]; node [kind=host]\n",
                      latency);

    for (int i = 0; sites[i] != '\0'; i++) {
        at += snprintf(text + at, sizeof(text) - (size_t)at,
                       "%c%d -- %c [capacity=\"2Gbps\" latency=\"20us\"]\n", sites[i], i,
                       sites[i]);
    }
    snprintf(text + at, sizeof(text) - (size_t)at, "}");
    return map_text(text);
}

static int site_of(int host)
{
    return topology->vertices[hosts[host]].name[0] - 'A';
}

static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                 MTREE_ALLTOALL};

/* What a root sends to a site comes there once, whatever the sites' sizes. */
UNIT_LOOP(each_site_is_entered_once, 0, 6)
{
    OWNED(plan) *plan =
        GIVEN_PLAN(sites_of(_i % 2 == 0 ? "ABCABCABCABC" : "ABCBCBB", "10ms"),
                   .collective = collectives[_i / 2], .algorithm = "gateways", .root = 2,
                   .max_trees = 10, .bytes = 786432);

    ck_assert(mtree_gateways_fit(routes, num_hosts));
    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];
        int entered[NUM_SITES] = {0};

        for (int host = 0; host < num_hosts; host++) {
            int above = tree->parent[host];

            entered[site_of(host)] += above >= 0 && site_of(above) != site_of(host);
        }
        for (int site = 0; site < NUM_SITES; site++) {
            ck_assert_int_eq(entered[site], site != site_of(tree->root));
        }
    }
}

/* Of all-to-all each host of a site has one connection over each line, and the trees
 * carry as much as any. */
UNIT_TEST(lines_have_a_connection_per_host)
{
    OWNED(plan) *packing =
        GIVEN_PLAN(sites_of("ABCABCABCABC", "10ms"), .collective = MTREE_ALLTOALL,
                   .max_trees = 10, .bytes = 786432);
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL, .algorithm = "gateways",
                     .max_trees = 10, .bytes = 786432);
    bool joined[MAX_HOSTS][MAX_HOSTS] = {{false}};
    int lines[NUM_SITES][NUM_SITES] = {{0}};

    ck_assert_double_ge(plan->throughput, 0.95 * packing->bound);
    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < num_hosts; host++) {
            int above = plan->trees[t].parent[host];

            if (above >= 0 && !joined[above][host]) {
                joined[above][host] = true;
                lines[site_of(above)][site_of(host)]++;
            }
        }
    }
    for (int from = 0; from < NUM_SITES; from++) {
        for (int to = 0; to < NUM_SITES; to++) {
            ck_assert_int_le(lines[from][to], from == to ? 12 : 4);
        }
    }
}

/* Lines as short as the way to the switch make no sites, nor do hosts one by one. */
UNIT_LOOP(sites_are_far_from_each_other, 0, 2)
{
    OWNED(plan) *plan = GIVEN_PLAN(
        _i == 0 ? sites_of("ABCABCABCABC", "20us") : sites_of("ABC", "10ms"),
        .collective = MTREE_ALLTOALL, .algorithm = "gateways", .max_trees = 10);

    ck_assert(!mtree_gateways_fit(routes, num_hosts));
    ck_assert_double_gt(plan->throughput, 0);
}

UNIT_FIXTURE(NULL, forget)
