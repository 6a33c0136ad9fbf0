/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other rates for the trees of a plan on a network that has changed by little: they fit
 * it, and come close to what new trees would give.
 */
#include "planner/planner.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

static mtree_plan_t *plan(mtree_collective_t collective, const mtree_plan_t *keep)
{
    return NETWORK_PLAN(topology, .collective = collective, .algorithm = "packing",
                        .max_trees = 10, .bytes = 16e6, .keep = keep);
}

/* The plan for B4, which is the test's network. */
static mtree_plan_t *begin(mtree_collective_t collective)
{
    given_routes(map_file(TOPOLOGIES "/b4.dot"));
    return plan(collective, NULL);
}

/* How many times too full the fullest arc is by @a made. */
static double overload(const mtree_plan_t *made)
{
    UNIT_FREED double *load = calloc(2 * (size_t)topology->num_links, sizeof(*load));

    mtree_plan_load(made, routes, load);
    return mtree_plan_busiest(topology, load);
}

UNIT_LOOP(rates_fit_what_has_changed, 0, MTREE_COLLECTIVE_LAST)
{
    OWNED(plan) *first = begin((mtree_collective_t)_i);

    for (int l = 0; l < topology->num_links; l++) {
        OWNED(plan) *again = NULL;

        map_scale(topology, l, 0.75);
        again = plan((mtree_collective_t)_i, first);
        ck_assert_int_le(again->num_trees, first->num_trees);
        /* The old rates, made to fit, were one of the choices. */
        ck_assert_double_ge(again->throughput,
                            first->throughput / overload(first) * (1 - 1e-6));
        map_scale(topology, l, 1 / 0.75);
    }
}

UNIT_TEST(other_shares_win_back_much_of_what_one_link_lost)
{
    OWNED(plan) *first = begin(MTREE_ALLREDUCE);
    double lost = 0, kept = 0, best = 0;

    for (int l = 0; l < topology->num_links; l++) {
        OWNED(plan) *again = NULL, *fresh = NULL;

        map_scale(topology, l, 0.75);
        again = plan(MTREE_ALLREDUCE, first);
        fresh = plan(MTREE_ALLREDUCE, NULL);
        lost += first->throughput / overload(first);
        kept += again->throughput;
        best += fresh->throughput;
        map_scale(topology, l, 1 / 0.75);
    }
    ck_assert_double_ge(kept, lost + 0.5 * (best - lost));
}

UNIT_TEST(trees_are_rooted_where_the_request_wants)
{
    OWNED(plan) *first = begin(MTREE_BCAST);
    mtree_plan_request_t request = {
        .collective = MTREE_BCAST, .bytes = 1e6, .keep = first};

    for (request.root = 0; request.root < num_hosts; request.root++) {
        OWNED(plan) *again = network_plan(topology, &request);

        ck_assert_int_eq(again->root, request.root);
        for (int t = 0; t < again->num_trees; t++) {
            ck_assert_int_eq(again->trees[t].root, request.root);
            ck_assert_int_eq(again->trees[t].parent[request.root], -1);
        }
    }
}

UNIT_TEST(trees_of_something_else_are_refused)
{
    OWNED(plan) *first = begin(MTREE_ALLREDUCE);
    mtree_plan_request_t request = {
        .collective = MTREE_BCAST, .bytes = 1e6, .keep = first};
    mtree_plan_t *again;

    unit_invalid(mtree_planner_run(topology, hosts, num_hosts, &request, &again));
    request.collective = MTREE_ALLREDUCE;
    unit_invalid(mtree_planner_run(topology, hosts, num_hosts - 1, &request, &again));
}

UNIT_FIXTURE(NULL, forget)
