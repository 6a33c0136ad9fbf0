/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans for other roots from the plan for one: they are right, about as fast as plans
 * that are sought for each root, and take the simplest kind that is.
 */
#include "planner/other_root.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

/* What calls may take beside those over plans sought for their root, where the first
 * root's plan is as good as any. */
#define MOST_COST 1.45

static mtree_plan_request_t request;

/* The plan of @a algorithm for root 0 of the network @a map, which is the test's, as the
 * request is from now on, of any algorithm. */
static mtree_plan_t *begin(mtree_topology_t *map, mtree_collective_t collective,
                           const char *algorithm, double bytes)
{
    mtree_plan_t *first;

    given_routes(map);
    request = (mtree_plan_request_t){.collective = collective,
                                     .algorithm = algorithm,
                                     .bytes = bytes,
                                     .max_trees = 10};
    first = network_plan(topology, &request);
    request.algorithm = NULL;
    return first;
}

static mtree_plan_t *from(const mtree_plan_t *other)
{
    mtree_plan_t *made;

    unit_ok(mtree_other_root_plan(topology, hosts, num_hosts, &request, other, &made));
    ck_assert_int_eq(made->root, request.root);
    unit_ok(mtree_plan_check(made, topology, routes));
    return made;
}

static const mtree_collective_t rooted[] = {MTREE_BCAST, MTREE_REDUCE, MTREE_SCATTER,
                                            MTREE_GATHER};
static const double sizes[] = {4e3, 64e3, 1e6, 16e6};

#define NUM_CASES 16

/* For all roots, how many times as long as over a plan for that root. */
static void check_roots(mtree_topology_t *map, mtree_collective_t collective,
                        double bytes)
{
    OWNED(plan) *first = begin(map, collective, NULL, bytes);

    for (request.root = 1; request.root < num_hosts; request.root++) {
        OWNED(plan) *made = from(first), *own = network_plan(topology, &request);

        ck_assert_msg(made->seconds <= MOST_COST * own->seconds,
                      "%s of %g bytes from host %d: %g times as long",
                      mtree_collective_name(collective), bytes, request.root,
                      made->seconds / own->seconds);
    }
}

UNIT_LOOP(calls_take_about_as_long_as_over_plans_of_their_own, 0, NUM_CASES)
{
    check_roots(network_b4(1), rooted[_i / 4], sizes[_i % 4]);
    check_roots(network_random(16, 30, 1, false, 0.01), rooted[_i / 4], sizes[_i % 4]);
}

UNIT_LOOP(what_is_mostly_latency_takes_one_low_tree, 0, 4)
{
    OWNED(plan) *first = begin(network_b4(1), rooted[_i], NULL, 4e3);

    for (request.root = 1; request.root < num_hosts; request.root++) {
        OWNED(plan) *made = from(first);

        ck_assert_str_eq(made->algorithm, "latency");
    }
}

UNIT_TEST(trees_that_suit_the_root_stay)
{
    OWNED(plan) *first =
        begin(network_row(NULL, 4, 1e8, 1e-6), MTREE_BCAST, "doubletree", 1e6);
    OWNED(plan) *made = NULL;

    request.root = 3;
    made = from(first);
    ck_assert_str_eq(made->algorithm, "doubletree");
}

/* Around a ring two paths carry two links' rate; from another root these paths share
 * links. */
UNIT_TEST(where_rerooted_trees_carry_half_others_take_their_place)
{
    OWNED(plan) *first = begin(map_shape("ring:8", 1e9, 1e-6), MTREE_BCAST, NULL, 64e6);
    OWNED(plan) *made = NULL, *kept = NULL;

    request.root = 4;
    made = from(first);
    request.keep = first;
    kept = network_plan(topology, &request);
    ck_assert_double_eq_tol(first->throughput, 2e9, 1e6);
    ck_assert_double_lt(kept->throughput, 1.2e9);
    ck_assert_double_eq_tol(made->throughput, 2e9, 1e6);
}

UNIT_TEST(seconds_are_beside_those_of_the_other_root)
{
    OWNED(plan) *first = begin(network_b4(1), MTREE_BCAST, NULL, 16e6);
    OWNED(plan) *made = NULL, *again = NULL;

    request.root = 5;
    made = from(first);
    first->seconds *= 2;
    again = from(first);
    unit_near(again->seconds, 2 * made->seconds);
}

UNIT_TEST(a_plan_of_something_else_is_refused)
{
    OWNED(plan) *first = begin(network_b4(1), MTREE_BCAST, NULL, 1e6);
    mtree_plan_t *made = NULL;

    request.collective = MTREE_REDUCE;
    unit_invalid(
        mtree_other_root_plan(topology, hosts, num_hosts, &request, first, &made));
    ck_assert_ptr_null(made);
}

UNIT_FIXTURE(NULL, forget)
UNIT_SECONDS(120)
