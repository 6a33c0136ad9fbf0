/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packings within the limits of a request: trees, height, trees that are kept.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

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

/* At most so many trees per root, and so high (0: any), for a size or for throughput,
 * which is at least such a part of the bound, 1. */
static const struct {
    int max_trees, max_height;
    double bytes, least;
} limits[] = {
    {0, 0, 0, CLOSE}, {10, 0, 0, 0.9}, {10, 0, 16e6, 0}, {0, 6, 0, 0}, {4, 6, 0, 0}};

#define NUM_LIMITS ((int)(sizeof(limits) / sizeof(limits[0])))

static void check_limits(const mtree_topology_t *topology, mtree_collective_t collective,
                         int l)
{
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = collective, .algorithm = "packing",
                     .max_trees = limits[l].max_trees, .max_height = limits[l].max_height,
                     .bytes = limits[l].bytes);
    /* The bound of a scan is that of its cuts, which flows need not reach. */
    const double least = mtree_collective_is_prefix(collective) ? 0 : limits[l].least;
    const int roots = mtree_collective_has_blocks(collective) ? plan->num_hosts : 1;

    ck_assert_msg(plan->throughput > 0 && plan->throughput >= least * plan->bound &&
                      plan->throughput <= plan->bound * (1 + 1e-6),
                  "%s within limits %d: %g bits/s of %g",
                  mtree_collective_name(collective), l, plan->throughput, plan->bound);
    /* The predicted time is no less than what the bound leaves. */
    ck_assert(limits[l].bytes == 0 || plan->seconds >= 8 * limits[l].bytes / plan->bound);
    ck_assert(limits[l].max_trees == 0 || plan->num_trees <= limits[l].max_trees * roots);
    for (int t = 0; t < plan->num_trees && limits[l].max_height > 0; t++) {
        ck_assert_int_le(mtree_tree_height(&plan->trees[t], plan->num_hosts),
                         limits[l].max_height);
    }
}

/* Of the largest three in `make check-thorough` only. */
UNIT_LOOP(limits_are_kept, 0, NUM_LIMITS *unit_loops(6, 9))
{
    OWNED(topology) *topology = network(_i / NUM_LIMITS);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        check_limits(topology, (mtree_collective_t)c, _i % NUM_LIMITS);
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
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_planner_run(topology, map_vertices, 12, &request, &plan),
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
