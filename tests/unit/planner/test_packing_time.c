/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "packing" for a size, latency included, against the least time over all spanning trees.
 */
#include "papers/published/lp.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#include "planner/plan/finish.h"

#define NUM_HOSTS 12
#define MAX_TREES 10000

/* Plans take at most this many times as long as the best. */
#define CLOSE 1.03

/* Every spanning tree of a small network. */
typedef struct {
    const mtree_topology_t *topology;
    int num_trees;
    int links[MAX_TREES][NUM_HOSTS - 1];
    double delay[MAX_TREES]; /* twice the least distance to the farthest host */
} trees_t;

/* The farthest host from @a at, not going back to @a from, over the links of a tree. */
static double farthest(const mtree_topology_t *topology, const int *links, int at,
                       int from)
{
    double most = 0.0;

    for (int e = 0; e < NUM_HOSTS - 1; ++e) {
        const mtree_link_t *link = &topology->links[links[e]];
        int next = link->u == at ? link->v : link->v == at ? link->u : from;

        if (next != from) {
            most = fmax(most, link->latency + farthest(topology, links, next, at));
        }
    }
    return most;
}

static void add_tree(trees_t *trees, const int *links)
{
    double least = INFINITY;

    ck_assert_int_lt(trees->num_trees, MAX_TREES);
    for (int root = 0; root < NUM_HOSTS; ++root) {
        least = fmin(least, farthest(trees->topology, links, root, -1));
    }
    memcpy(trees->links[trees->num_trees], links, (NUM_HOSTS - 1) * sizeof(*links));
    trees->delay[trees->num_trees++] = 2.0 * least;
}

/* Choose links from @a link on, @a count being chosen; @a part tells which hosts they
 * join. */
static void list_trees(trees_t *trees, int link, int *chosen, int count, const int *part)
{
    const mtree_topology_t *topology = trees->topology;
    int joined[NUM_HOSTS];

    if (count == NUM_HOSTS - 1) {
        add_tree(trees, chosen);
        return;
    }
    if (topology->num_links - link < NUM_HOSTS - 1 - count) {
        return;
    }
    list_trees(trees, link + 1, chosen, count, part);
    if (part[topology->links[link].u] == part[topology->links[link].v]) {
        return;
    }
    for (int i = 0; i < NUM_HOSTS; ++i) {
        joined[i] = part[i] == part[topology->links[link].u]
                        ? part[topology->links[link].v]
                        : part[i];
    }
    chosen[count] = link;
    list_trees(trees, link + 1, chosen, count + 1, joined);
}

/* What all trees deliver in @a time, each beginning after its delay, as bits. */
static double delivered(const trees_t *trees, double time)
{
    const mtree_topology_t *topology = trees->topology;
    double ones[NUM_HOSTS], bits;
    mtree_lp_t *lp;

    for (int e = 0; e < NUM_HOSTS; ++e) {
        ones[e] = 1.0;
    }
    unit_ok(mtree_lp_create(&lp));
    mtree_lp_add_rows(lp, topology->num_links, -INFINITY, 0.0);
    for (int l = 0; l < topology->num_links; ++l) {
        mtree_lp_bound_row(lp, l, -INFINITY, topology->links[l].capacity[0] / 1e8);
    }
    for (int t = 0; t < trees->num_trees; ++t) {
        if (trees->delay[t] < time) {
            mtree_lp_add_column(lp, time - trees->delay[t], NUM_HOSTS - 1,
                                trees->links[t], ones);
        }
    }
    unit_ok(mtree_lp_solve(lp));
    bits = 1e8 * lp->objective;
    mtree_lp_destroy(lp);
    return bits;
}

/* The time in which a plan's trees deliver their shares of @a bits. */
static double plan_time(const mtree_plan_t *plan, double bits)
{
    double time = 0.0;

    for (int t = 0; t < plan->num_trees; ++t) {
        const mtree_tree_t *tree = &plan->trees[t];

        if (tree->share > 0.0) {
            time = fmax(time, mtree_tree_delay(tree, plan->num_hosts, plan->collective) +
                                  tree->share * bits / tree->rate);
        }
    }
    return time;
}

/* Two hosts: the first chunk's way there and back, then the rest at the link's rate. */
UNIT_LOOP(seconds_of_one_link, 0, 2)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE, .bytes = 1e6};
    OWNED(topology) *topology = network_random(2, 1, 1, false, 0.08);
    double capacity = topology->links[0].capacity[0], chunk;
    OWNED(plan) *plan = NULL;

    /* As in the file, else as the table says. */
    topology->cost.message = _i * 7e-6;
    plan = network_plan(topology, &request);
    chunk = 8.0 * (double)plan->trees[0].chunk_bytes;

    ck_assert_int_eq(plan->num_trees, 1);
    unit_near(plan->seconds, 2.0 * (topology->links[0].latency +
                                    (_i == 0 ? 30e-6 : 10.5e-6) + chunk / capacity) +
                                 (8e6 - chunk) / (capacity * MTREE_PLAN_YIELD));
}

UNIT_SECONDS(600)

/* For a size so small that only latency counts, no tree lower than the plan's is there.
 */
UNIT_TEST(small_messages_take_low_trees)
{
    mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .bytes = 64};
    OWNED(topology) *topology = network_random(24, 90, 2, false, 0.1);
    OWNED(plan) *plan = network_plan(topology, &request);
    OWNED(plan) *lowest = NULL;

    request.algorithm = "latency";
    lowest = network_plan(topology, &request);
    ck_assert_double_le(plan_time(plan, 8.0 * 64), 1.001 * plan_time(lowest, 8.0 * 64));
}

/* The search for a size ends no earlier than with such plans, which are known. */
static const struct {
    const char *shape;
    mtree_collective_t collective;
    double bytes, seconds;
} known[] = {{"torus:3x3x2", MTREE_BCAST, 2 << 20, 5.5e-3},
             {"torus:3x3x2", MTREE_REDUCE, 2 << 20, 5.5e-3},
             {"mesh:3x4", MTREE_ALLREDUCE, 2 << 20, 14.7e-3},
             {"torus:3x3x2", MTREE_REDUCE_SCATTER, 16 << 20, 28.8e-3}};

UNIT_EACH(the_search_for_a_size_is_not_too_short, known)
{
    OWNED(topology) *topology = map_shape(known[_i].shape, 1e9, 0);
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = known[_i].collective,
                                     .max_trees = 10, .bytes = known[_i].bytes);

    ck_assert_double_le(plan->seconds, known[_i].seconds);
}

UNIT_NEEDS(mtree_lp_is_available())

UNIT_LOOP(b4, 0, 3)
{
    static trees_t trees;
    int chosen[NUM_HOSTS], part[NUM_HOSTS];
    OWNED(topology) *topology = network_b4(1 + (unsigned)_i);

    trees.topology = topology;
    for (int i = 0; i < NUM_HOSTS; ++i) {
        part[i] = i;
    }
    list_trees(&trees, 0, chosen, 0, part);
    ck_assert_int_eq(trees.num_trees, 6144);
    for (double bytes = 16e6; bytes < 1e9; bytes *= 4.0) {
        for (int max_trees = 0; max_trees <= 10; max_trees += 10) {
            mtree_plan_request_t request = {
                .collective = MTREE_ALLREDUCE, .max_trees = max_trees, .bytes = bytes};
            OWNED(plan) *plan = network_plan(topology, &request);

            ck_assert_double_le(delivered(&trees, plan_time(plan, 8.0 * bytes) / CLOSE),
                                8.0 * bytes);
        }
    }
}
