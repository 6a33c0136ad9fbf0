/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tori are found whatever the numbers of their hosts, and nothing else is taken for one;
 * partners of a butterfly are as near as in Swing's paper.
 */
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

#include "planner/regular/torus.h"

#define LATENCY 1e-3

static mtree_arena_t arena;

/* The torus of @a shape, if it is one, whose hosts are numbered in any order. */
static mtree_torus_t find_in(const char *shape)
{
    given(map_shape(shape, 1e10, LATENCY));
    srand(7);
    for (int i = num_hosts - 1; i > 0; i--) {
        const int other = rand() % (i + 1), host = hosts[i];

        hosts[i] = hosts[other];
        hosts[other] = host;
    }
    given_all_links();
    return mtree_torus_find(&GIVEN_PROBLEM(.arena = &arena));
}

static void stop(void)
{
    mtree_arena_cleanup(&arena);
    forget();
}

static const struct {
    const char *shape;
    int size[3];
} tori[] = {
    {"torus:8x8", {8, 8}}, {"torus:4x4", {4, 4}},      {"torus:3x3", {3, 3}},
    {"torus:5x3", {5, 3}}, {"torus:4x4x4", {4, 4, 4}}, {"torus:2x4x8", {8, 4, 2}},
    {"ring:8", {8}},       {"torus:16x16", {16, 16}},  {"torus:6x6", {6, 6}},
    {"torus:4x8", {8, 4}}, {"torus:3x4x5", {5, 4, 3}},
};

UNIT_EACH(a_torus_is_found, tori)
{
    const mtree_torus_t torus = find_in(tori[_i].shape);
    int stride = 1;

    ck_assert_int_gt(torus.num_dimensions, 0);
    for (int d = torus.num_dimensions - 1; d >= 0; d--) {
        const int size = torus.size[d];

        ck_assert_int_eq(size, tori[_i].size[d]);
        for (int point = 0; point < num_hosts; point++) {
            const int c = point / stride % size;
            const int next = point + ((c + 1) % size - c) * stride;

            ck_assert(mtree_routes_adjacent(routes, torus.host[point], torus.host[next]));
        }
        stride *= size;
    }
}

static const char *const others[] = {"mesh:4x4",    "star:8",       "tree:2x2x2",
                                     "fattree:4x4", "random:12:20", "random:8:28"};

UNIT_EACH(nothing_else_is_a_torus, others)
{
    ck_assert_int_eq(find_in(others[_i]).num_dimensions, 0);
}

/* The hops of the longest chain of messages of recursive doubling: in a ring of eight
 * those of Swing's steps, 1, 1 and 3. */
static const struct {
    const char *shape;
    int hops, rounds;
} chains[] = {
    {"ring:4", 2, 2}, {"ring:8", 5, 3}, {"torus:4x4", 4, 4}, {"torus:8x8", 10, 6}};

UNIT_EACH(partners_are_as_near_as_in_the_paper, chains)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "recursive_doubling", .bytes = 8};
    OWNED(plan) *plan = NULL;

    find_in(chains[_i].shape);
    unit_ok(mtree_planner_run(topology, hosts, num_hosts, &request, &plan));
    ck_assert_int_eq((int)(plan->seconds / LATENCY), chains[_i].hops);
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2.0 * chains[_i].rounds);
}

UNIT_FIXTURE(NULL, stop)
