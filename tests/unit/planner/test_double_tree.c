/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Double binary trees: what they carry behind switches.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_BCAST,
                                                 MTREE_REDUCE};

static mtree_plan_t *plan_by(const mtree_topology_t *topology,
                             mtree_collective_t collective, double bytes)
{
    return NETWORK_PLAN(topology, .collective = collective, .algorithm = "doubletree",
                        .root = 3, .max_trees = 10, .bytes = bytes);
}

/* Any root: each host sends and receives the whole message once. */
UNIT_LOOP(star_is_full, 0, 3)
{
    OWNED(topology) *topology = map_shape("star:100", 1e9, 0);
    OWNED(plan) *plan = plan_by(topology, collectives[_i], 1 << 20);

    ck_assert_int_eq(plan->num_trees, 2);
    ck_assert_int_le(mtree_tree_height(&plan->trees[0], 100), 8);
    ck_assert_double_gt(plan->throughput, _i == 0 ? 0.499e9 : 0.999e9);
}

static mtree_status_t bound_of(const mtree_topology_t *topology, mtree_plan_t *plan)
{
    const mtree_plan_request_t request = {.collective = plan->collective, .root = 3};

    return mtree_planner_bound(topology, map_vertices, plan->num_hosts, &request, plan);
}

/* Where hosts forward, no link is on every way into one: all its links together are. */
UNIT_LOOP(hosts_that_forward_have_a_bound, 0, 3)
{
    OWNED(topology) *topology = map_shape("torus:9x9", 1e10, 1e-6);
    OWNED(plan) *plan = plan_by(topology, collectives[_i], 16e6);

    unit_ok(bound_of(topology, plan));
    /* 162 links for the 80 edges of a tree, or the 4 of a host. */
    ck_assert_double_eq_tol(plan->bound, _i == 0 ? 162e10 / 80 : 4e10, 1e6);
    ck_assert_double_le(plan->throughput, plan->bound);
    ck_assert_ptr_nonnull(plan->limit);
    ck_assert_str_ne(plan->limit, "");
}

/* A root among the hosts of both trees leaves those behind a switch together. */
UNIT_LOOP(a_root_keeps_to_switches, 1, 3)
{
    OWNED(topology) *topology = map_shape("fattree:8", 1e9, 0);
    OWNED(plan) *plan = plan_by(topology, collectives[_i], 16e6);
    OWNED(plan) *brief = plan_by(topology, collectives[_i], 1e3);

    ck_assert_double_gt(plan->throughput, 0.66e9);
    ck_assert_int_eq(plan->trees[0].root, 3);
    ck_assert_int_eq(plan->trees[1].root, 3);
    ck_assert_int_lt(mtree_tree_height(&brief->trees[0], 128), 10);
}
