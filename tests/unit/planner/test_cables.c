/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which cables the edges of a plan take: those of its links, and of a route through
 * switches the interfaces at its ends.
 */
#include "base/address.h"
#include "planner/plan/cables.h"
#include "tests/unit/given.h"

enum { HOSTS = 4 };

/* a and b are joined by two cables, b and c by a link without ends; a, c and d have
 * interfaces at a switch, of which that of a is slow. */
static const char network[] =
    "graph {\n a; b; c; d; s [kind=switch];\n"
    " b -- a [capacity=\"5Mbps\" from_address=\"10.1.0.2\" to_address=\"10.1.0.1\"];\n"
    " a -- b [capacity=\"7Mbps\" from_address=\"10.2.0.1\" to_address=\"10.2.0.2\"];\n"
    " b -- c [capacity=\"9Mbps\" latency=\"1ms\"];\n"
    " a -- s [capacity=\"1Mbps\" from_address=\"10.3.0.1\"];\n"
    " c -- s [capacity=\"4Mbps\" from_address=\"10.3.0.3\"];\n"
    " s -- d [capacity=\"3Mbps\" to_address=\"10.3.0.4\"];\n}\n";

static mtree_plan_t *plan;

/* A plan of one tree of these parents over the hosts a, b, ... of the map @a text. */
static void plan_over(const char *text, const int *parent)
{
    static const char *const names[HOSTS] = {"a", "b", "c", "d"};

    mtree_plan_destroy(plan);
    given_routes(map_text(text));
    plan = mtree_plan_create(MTREE_ALLREDUCE, "x", num_hosts, names, 1);
    memcpy(plan->trees[0].parent, parent, (size_t)num_hosts * sizeof(int));
}

static void stop(void)
{
    mtree_plan_destroy(plan);
    plan = NULL;
    forget();
}

static void expect_cable(int number, int a, int b, const char *from, const char *to,
                         double rate)
{
    const mtree_plan_cable_t *cable = &plan->cables[number];
    char text[MTREE_ADDRESS_LENGTH];

    ck_assert_int_eq(cable->a, a);
    ck_assert_int_eq(cable->b, b);
    ck_assert_str_eq(mtree_address_format(&cable->cable.ends[0], text), from);
    ck_assert_str_eq(mtree_address_format(&cable->cable.ends[1], text), to);
    ck_assert_double_eq(cable->cable.capacity[0], rate);
    ck_assert_double_eq(cable->cable.capacity[1], rate);
}

/* Only neighbours in the tree: b above a and c, and d below c. */
UNIT_TEST(edges_of_trees_have_cables)
{
    plan_over(network, (const int[]){1, -1, 1, 2});
    plan->trees[0].root = 1;
    mtree_plan_add_cables(plan, topology, routes);
    ck_assert_int_eq(plan->num_cables, 3);
    expect_cable(0, 0, 1, "10.1.0.1", "10.1.0.2", 5e6);
    expect_cable(1, 0, 1, "10.2.0.1", "10.2.0.2", 7e6);
    expect_cable(2, 2, 3, "10.3.0.3", "10.3.0.4", 3e6);
}

/* In a program any two hosts may be neighbours.  From a to c and d packets go through the
 * switch, and from b to d through hosts, which forward none. */
UNIT_TEST(any_two_hosts_of_a_program_may)
{
    plan_over(network, (const int[]){-1, 0, 0, 0});
    plan->num_trees = 0;
    plan->order = calloc(HOSTS, sizeof(*plan->order));
    mtree_plan_add_cables(plan, topology, routes);
    ck_assert_int_eq(plan->num_cables, 5);
    expect_cable(2, 0, 2, "10.3.0.1", "10.3.0.3", 1e6);
    expect_cable(3, 0, 3, "10.3.0.1", "10.3.0.4", 1e6);
    expect_cable(4, 2, 3, "10.3.0.3", "10.3.0.4", 3e6);
    plan->num_trees = 1;
}

/* Interfaces of two networks at one switch, which the file names in any order. */
UNIT_TEST(interfaces_of_one_network_belong_together)
{
    static const char text[] =
        "graph {\n a; b; s [kind=switch];\n"
        " a -- s [capacity=\"5Mbps\" from_address=\"10.1.0.1\"];\n"
        " a -- s [capacity=\"7Mbps\" from_address=\"10.2.0.1\"];\n"
        " b -- s [capacity=\"8Mbps\" from_address=\"10.2.0.2\"];\n"
        " b -- s [capacity=\"4Mbps\" from_address=\"10.1.0.2\"];\n}\n";

    plan_over(text, (const int[]){-1, 0});
    mtree_plan_add_cables(plan, topology, routes);
    ck_assert_int_eq(plan->num_cables, 2);
    expect_cable(0, 0, 1, "10.1.0.1", "10.1.0.2", 4e6);
    expect_cable(1, 0, 1, "10.2.0.1", "10.2.0.2", 7e6);
}

UNIT_FIXTURE(NULL, stop)
