/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/multitree_schedule.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

#include "planner/planner.h"

#include <stdio.h>

OWNED_TYPE(rounds)

#define GBPS 1e9

static mtree_topology_t *topology;
static mtree_multitree_t *trees;

static void teardown(void)
{
    mtree_multitree_destroy(trees);
    mtree_topology_destroy(topology);
    trees = NULL;
    topology = NULL;
}

static void add_vertex(const char *prefix, int number, mtree_vertex_kind_t kind, double x,
                       double y)
{
    char name[32];
    int vertex;

    snprintf(name, sizeof(name), "%s%d", prefix, number);
    unit_ok(mtree_topology_add_vertex(topology, name, NULL, kind, &vertex));
    topology->vertices[vertex].has_position = true;
    topology->vertices[vertex].x = x;
    topology->vertices[vertex].y = y;
}

static void add_link(int u, int v, double capacity)
{
    map_join(topology, u, v, capacity, 1e-6);
}

/* A mesh, or with wrap a torus, of `side` by `side` hosts, row by row. */
static void make_grid(int side, bool wrap)
{
    topology = mtree_topology_create("grid", "test");
    for (int i = 0; i < side * side; i++) {
        add_vertex("n", i, MTREE_VERTEX_HOST, i % side, -i / side);
    }
    for (int i = 0; i < side * side; i++) {
        int row = i / side, col = i % side;

        if (col + 1 < side || wrap) {
            add_link(i, row * side + (col + 1) % side, GBPS);
        }
        if (row + 1 < side || wrap) {
            add_link(i, (row + 1) % side * side + col, GBPS);
        }
    }
}

static mtree_rounds_t *make_schedule(int num_hosts)
{
    mtree_rounds_t *schedule;

    unit_ok(mtree_multitree_create(topology, map_vertices, num_hosts, &trees));
    schedule = mtree_multitree_schedule(trees);
    unit_ok(mtree_rounds_check(schedule));
    return schedule;
}

static double contention(const mtree_rounds_t *schedule, int num_hosts)
{
    OWNED(routes) *routes = NULL;
    double most;

    unit_ok(mtree_routes_create(topology, map_vertices, num_hosts, &routes));
    most = mtree_rounds_contention(schedule, topology, routes);
    return most;
}

/* Fig. 3, and the schedule tables of Fig. 5: every tree in two steps, step by step. */
UNIT_TEST(test_2x2_mesh_of_figure_3)
{
    static const int parent[4][4] = {
        {-1, 0, 0, 2}, {1, -1, 3, 1}, {2, 0, -1, 2}, {1, 3, 3, -1}};
    static const int step[4][4] = {
        {0, 1, 1, 2}, {1, 0, 2, 1}, {1, 2, 0, 1}, {2, 1, 1, 0}};
    OWNED(rounds) *schedule = NULL;

    make_grid(2, false);
    schedule = make_schedule(4);
    ck_assert_int_eq(trees->num_steps, 2);
    for (int i = 0; i < 16; i++) {
        ck_assert_int_eq(trees->parent[i], parent[i / 4][i % 4]);
        ck_assert_int_eq(trees->step[i], step[i / 4][i % 4]);
    }
    ck_assert_int_eq(schedule->num_steps, 4);
    ck_assert_int_eq(schedule->num_transfers, 24);
    ck_assert_double_eq(contention(schedule, 4), 1);
}

/* Accelerator 0's table in Fig. 5: (reduce, tree, to whom, step). */
UNIT_TEST(test_schedule_table_of_figure_5)
{
    static const mtree_transfer_t table[] = {
        {1, 0, 1, 3, true, 0, 0},  {2, 0, 1, 1, true, 0, 0},  {2, 0, 2, 2, true, 0, 0},
        {3, 0, 1, 0, false, 0, 0}, {3, 0, 2, 0, false, 0, 0}, {4, 0, 1, 2, false, 0, 0}};
    OWNED(rounds) *schedule = NULL;
    int sent = 0;

    make_grid(2, false);
    schedule = make_schedule(4);
    for (int i = 0; i < schedule->num_transfers; i++) {
        const mtree_transfer_t *transfer = &schedule->transfers[i];
        bool found = false;

        if (transfer->from != 0) {
            continue;
        }
        sent++;
        for (size_t entry = 0; entry < sizeof(table) / sizeof(table[0]); entry++) {
            found = found || (table[entry].step == transfer->step &&
                              table[entry].to == transfer->to &&
                              table[entry].piece == transfer->piece &&
                              table[entry].reduce == transfer->reduce);
        }
        ck_assert(found);
    }
    ck_assert_int_eq(sent, 6);
}

UNIT_TEST(test_grids_are_free_of_contention)
{
    /* On a torus one step more than n (n - 1) transfers need over the arcs that there
     * are; the 4x4 one's five steps are the 25 GB/s of Fig. 9a.  A mesh's corners take
     * more. */
    static const struct {
        int side, steps;
        bool wrap;
    } grids[] = {{4, 5, true}, {8, 17, true}, {4, 9, false}, {8, 32, false}};

    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        int num_hosts = grids[i].side * grids[i].side;
        mtree_rounds_t *schedule;

        make_grid(grids[i].side, grids[i].wrap);
        schedule = make_schedule(num_hosts);
        ck_assert_int_eq(trees->num_steps, grids[i].steps);
        ck_assert_double_eq(contention(schedule, num_hosts), 1);
        mtree_rounds_destroy(schedule);
        teardown();
    }
}

/* Two switches of two hosts each, joined by one link: each host's link carries 3 blocks
 * in, the middle one 4. */
UNIT_TEST(test_children_are_found_through_switches)
{
    OWNED(rounds) *schedule = NULL;

    topology = mtree_topology_create("switches", "test");
    for (int i = 0; i < 4; i++) {
        add_vertex("n", i, MTREE_VERTEX_HOST, i, 0);
    }
    add_vertex("s", 0, MTREE_VERTEX_SWITCH, 0, 1);
    add_vertex("s", 1, MTREE_VERTEX_SWITCH, 2, 1);
    add_link(0, 4, GBPS);
    add_link(1, 4, GBPS);
    add_link(2, 5, GBPS);
    add_link(3, 5, GBPS);
    add_link(4, 5, 2 * GBPS);
    schedule = make_schedule(4);
    /* The neighbour at the same switch comes first in every tree. */
    for (int root = 0; root < 4; root++) {
        ck_assert_int_eq(trees->parent[root * 4 + (root ^ 1)], root);
        ck_assert_int_eq(trees->step[root * 4 + (root ^ 1)], 1);
        ck_assert_int_eq(trees->num[root * 4 + (root ^ 1)], 2);
    }
    ck_assert_int_eq(trees->num_steps, 3);
    ck_assert_double_le(contention(schedule, 4), 1);
}

UNIT_TEST(test_the_plan_keeps_the_capacities)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                                     MTREE_REDUCE_SCATTER};

    make_grid(4, true);
    for (int i = 0; i < 3; i++) {
        mtree_plan_request_t request = {.collective = collectives[i],
                                        .algorithm = "multitree"};
        OWNED(routes) *routes = NULL;
        OWNED(plan) *plan = NULL;

        unit_ok(mtree_planner_run(topology, map_vertices, 16, &request, &plan));
        ck_assert_int_eq(plan->num_trees, 16);
        unit_ok(mtree_routes_create(topology, map_vertices, 16, &routes));
        unit_ok(mtree_plan_check(plan, topology, routes));
        ck_assert_double_gt(plan->throughput, 0);
    }
}

UNIT_FIXTURE(NULL, teardown)
