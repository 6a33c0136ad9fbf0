/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packings within the limits of a request: trees, height, trees that are kept.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#include <stdlib.h>

/* Plans without limits come this close to the bound. */
#define CLOSE 0.999

#define B4   (TOPOLOGIES "/b4.dot")
#define STAR (TOPOLOGIES "/star-8.dot")

/* A file, or so many hosts and links at random; without links, machines. */
static const struct {
    const char *file;
    int hosts, links;
    unsigned seed;
    bool one_way;
} networks[] = {
    {B4, 0, 0, 0, false},
    {TOPOLOGIES "/torus-4x4.dot", 0, 0, 0, false},
    {STAR, 0, 0, 0, false},
    {NULL, 16, 28, 1, false},
    {NULL, 20, 60, 2, true},
    {NULL, 2, 0, 0, false},
    {TOPOLOGIES "/abilene.dot", 0, 0, 0, false},
    {TOPOLOGIES "/geant.dot", 0, 0, 0, false},
    {NULL, 30, 200, 3, false},
};

static mtree_topology_t *network(int n)
{
    return networks[n].file != NULL ? map_file(networks[n].file)
           : networks[n].links > 0
               ? network_random(networks[n].hosts, networks[n].links, networks[n].seed,
                                networks[n].one_way, 0.01)
               : network_a100(networks[n].hosts);
}

/* Of the largest three in `make check-thorough` only. */
#define NUM_NETWORKS unit_loops(6, 9)

UNIT_LOOP(throughput_is_close_to_the_bound, 0, NUM_NETWORKS)
{
    OWNED(topology) *topology = network(_i);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        mtree_plan_request_t request = {.collective = (mtree_collective_t)c,
                                        .algorithm = "packing"};
        OWNED(plan) *plan = network_plan(topology, &request);

        /* The bound of a scan is that of its cuts, which flows need not reach. */
        if (!mtree_collective_is_prefix(request.collective)) {
            ck_assert_double_ge(plan->throughput, CLOSE * plan->bound);
        }
        ck_assert_double_le(plan->throughput, plan->bound * (1 + 1e-6));
    }
}

/* At most ten trees per root: for throughput nearly as good as any number, and for a size
 * a plan whose predicted time is no less than what the bound leaves. */
UNIT_LOOP(few_trees, 0, NUM_NETWORKS)
{
    OWNED(topology) *topology = network(_i);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        for (double bytes = 0; bytes <= 16e6; bytes += 16e6) {
            mtree_plan_request_t request = {.collective = (mtree_collective_t)c,
                                            .algorithm = "packing",
                                            .max_trees = 10,
                                            .bytes = bytes};
            OWNED(plan) *plan = network_plan(topology, &request);
            int roots =
                mtree_collective_has_blocks(request.collective) ? plan->num_hosts : 1;

            ck_assert_int_le(plan->num_trees, 10 * roots);
            if (bytes > 0) {
                ck_assert_double_ge(plan->seconds, 8 * bytes / plan->bound);
            } else if (!mtree_collective_is_prefix(request.collective)) {
                ck_assert_double_ge(plan->throughput, 0.9 * plan->bound);
            }
        }
    }
}

UNIT_LOOP(height_is_limited, 0, NUM_NETWORKS)
{
    OWNED(topology) *topology = network(_i);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        for (int max_trees = 0; max_trees <= 4; max_trees += 4) {
            mtree_plan_request_t request = {.collective = (mtree_collective_t)c,
                                            .algorithm = "packing",
                                            .max_trees = max_trees,
                                            .max_height = 6};
            OWNED(plan) *plan = network_plan(topology, &request);

            ck_assert_double_gt(plan->throughput, 0);
            for (int t = 0; t < plan->num_trees; t++) {
                ck_assert_int_le(mtree_tree_height(&plan->trees[t], plan->num_hosts), 6);
            }
        }
    }
}

/* Of the low trees one or another fills a narrow link alone. */
UNIT_TEST(low_trees_fill_wide_links)
{
    OWNED(topology) *topology = map_text(
        "graph { node [kind=host] h0 h1 h2\n"
        "h1 -- h0 [capacity=\"1Gbps\" capacity_back=\"1Mbps\"]\n"
        "h2 -- h0 [capacity=\"100Gbps\"]\n"
        "h2 -- h1 [capacity=\"1Gbps\" capacity_back=\"1Mbps\" latency=\"50ms\"] }");
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_GATHER, .algorithm = "packing",
                     .max_trees = 2, .max_height = 4);

    ck_assert_double_ge(plan->throughput, 2.9e9);
}

/* They do not heed a limit of height. */
UNIT_TEST(robust_plans_are_as_good_under_a_limit)
{
    OWNED(topology) *topology = map_file(B4);
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL,
                                     .algorithm = "robust", .max_height = 4);

    ck_assert_double_ge(plan->throughput, 0.9 * plan->bound);
}

UNIT_LOOP(no_tree_is_that_low, 0, MTREE_COLLECTIVE_LAST)
{
    mtree_plan_request_t request = {
        .collective = (mtree_collective_t)_i, .algorithm = "packing", .max_height = 1};
    OWNED(topology) *topology = map_file(B4);
    int hosts[12];
    mtree_plan_t *plan;

    ck_assert_int_eq(map_hosts(topology, hosts), 12);
    ck_assert_int_eq(mtree_planner_run(topology, hosts, 12, &request, &plan),
                     MTREE_ERR_LIMIT);
}

UNIT_LOOP(trees_are_kept, 0, MTREE_COLLECTIVE_LAST)
{
    mtree_plan_request_t request = {
        .collective = (mtree_collective_t)_i, .max_trees = 10, .bytes = 16e6};
    OWNED(topology) *topology = map_file(B4);
    OWNED(plan) *first = network_plan(topology, &request), *again = NULL;

    request.keep = first;
    again = network_plan(topology, &request);
    ck_assert_double_ge(again->throughput, first->throughput * (1 - 1e-6));
}

UNIT_SECONDS(300)
