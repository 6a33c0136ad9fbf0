/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other rates for the trees of a plan on a network that has changed by little: they fit
 * it, and come close to what new trees would give.
 */
#include "planner/planner.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

#include <stdlib.h>

static mtree_topology_t *topology;
static int hosts[64], num_hosts;

static void begin(void)
{
    unit_ok(mtree_topology_read(TOPOLOGIES "/b4.dot", &topology));
    num_hosts = map_hosts(topology, hosts);
}

static mtree_plan_t *plan(mtree_collective_t collective, const mtree_plan_t *keep)
{
    mtree_plan_request_t request = {.collective = collective,
                                    .algorithm = "packing",
                                    .max_trees = 10,
                                    .bytes = 16e6,
                                    .keep = keep};
    mtree_plan_t *made;

    unit_ok(mtree_planner_run(topology, hosts, num_hosts, &request, &made));
    return made;
}

static void check_fits(const mtree_plan_t *made)
{
    OWNED(routes) *routes = NULL;

    unit_ok(mtree_routes_create(topology, hosts, num_hosts, &routes));
    unit_ok(mtree_plan_check(made, topology, routes));
}

/* How many times too full the fullest arc is by @a made. */
static double overload(const mtree_plan_t *made)
{
    UNIT_FREED double *load = calloc(2 * (size_t)topology->num_links, sizeof(*load));
    double most = 0;
    OWNED(routes) *routes = NULL;

    unit_ok(mtree_routes_create(topology, hosts, num_hosts, &routes));
    mtree_plan_load(made, routes, load);
    for (int a = 0; a < 2 * topology->num_links; a++) {
        double full = load[a] / mtree_arc_capacity(topology, a);

        most = full > most ? full : most;
    }
    return most;
}

/* The arcs of link @a l have @a part of their capacity. */
static void scale(int l, double part)
{
    topology->links[l].capacity[0] *= part;
    topology->links[l].capacity[1] *= part;
}

UNIT_LOOP(rates_fit_what_has_changed, 0, MTREE_COLLECTIVE_LAST)
{
    mtree_plan_t *first, *again;

    begin();
    first = plan((mtree_collective_t)_i, NULL);
    for (int l = 0; l < topology->num_links; l++) {
        scale(l, 0.75);
        again = plan((mtree_collective_t)_i, first);
        check_fits(again);
        ck_assert_int_le(again->num_trees, first->num_trees);
        /* The old rates, made to fit, were one of the choices. */
        ck_assert_double_ge(again->throughput,
                            first->throughput / overload(first) * (1 - 1e-6));
        mtree_plan_destroy(again);
        scale(l, 1 / 0.75);
    }
    mtree_plan_destroy(first);
    mtree_topology_destroy(topology);
}

UNIT_TEST(other_shares_win_back_much_of_what_one_link_lost)
{
    mtree_plan_t *first, *again, *fresh;
    double lost = 0, kept = 0, best = 0;

    begin();
    first = plan(MTREE_ALLREDUCE, NULL);
    for (int l = 0; l < topology->num_links; l++) {
        scale(l, 0.75);
        again = plan(MTREE_ALLREDUCE, first);
        fresh = plan(MTREE_ALLREDUCE, NULL);
        lost += first->throughput / overload(first);
        kept += again->throughput;
        best += fresh->throughput;
        mtree_plan_destroy(again);
        mtree_plan_destroy(fresh);
        scale(l, 1 / 0.75);
    }
    ck_assert_double_ge(kept, lost + 0.5 * (best - lost));
    mtree_plan_destroy(first);
    mtree_topology_destroy(topology);
}

UNIT_TEST(trees_are_rooted_where_the_request_wants)
{
    mtree_plan_request_t request = {.collective = MTREE_BCAST, .bytes = 1e6};
    mtree_plan_t *first, *again;

    begin();
    first = plan(MTREE_BCAST, NULL);
    request.keep = first;
    for (request.root = 0; request.root < num_hosts; request.root++) {
        unit_ok(mtree_planner_run(topology, hosts, num_hosts, &request, &again));
        check_fits(again);
        ck_assert_int_eq(again->root, request.root);
        for (int t = 0; t < again->num_trees; t++) {
            ck_assert_int_eq(again->trees[t].root, request.root);
            ck_assert_int_eq(again->trees[t].parent[request.root], -1);
        }
        mtree_plan_destroy(again);
    }
    mtree_plan_destroy(first);
    mtree_topology_destroy(topology);
}

UNIT_TEST(trees_of_something_else_are_refused)
{
    mtree_plan_request_t request = {.collective = MTREE_BCAST, .bytes = 1e6};
    mtree_plan_t *first, *again;

    begin();
    first = plan(MTREE_ALLREDUCE, NULL);
    request.keep = first;
    unit_invalid(mtree_planner_run(topology, hosts, num_hosts, &request, &again));
    request.collective = MTREE_ALLREDUCE;
    unit_invalid(mtree_planner_run(topology, hosts, num_hosts - 1, &request, &again));
    mtree_plan_destroy(first);
    mtree_topology_destroy(topology);
}
