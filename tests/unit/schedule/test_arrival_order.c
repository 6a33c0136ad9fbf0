/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is told to exchange with whom, as ranks come: the paper's examples and what goes
 * beyond them.
 */
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"

#include <stdlib.h>

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};

static mtree_plan_t *plan_of(mtree_collective_t collective, int hosts)
{
    mtree_plan_t *plan;

    unit_ok(mtree_plan_create(collective, MTREE_PLAN_ARRIVAL, hosts, names, 1, &plan));
    return plan;
}

static mtree_placement_t *placement_of(int ranks, int hosts, const int *host)
{
    mtree_placement_t *placement;

    unit_ok(mtree_placement_create(ranks, hosts, host, NULL, &placement));
    return placement;
}

/* A network in which the host's number is its place on a line. */
static void add_line_of_routes(mtree_plan_t *plan)
{
    int hosts = plan->num_hosts;

    plan->routes = calloc((size_t)(hosts * hosts), sizeof(*plan->routes));
    for (int i = 0; i < hosts * hosts; i++) {
        plan->routes[i] = (mtree_plan_route_t){1e9, abs(i / hosts - i % hosts) * 1e-3, 1};
    }
}

/* Seconds. */
static double now;

static void expect_source(mtree_directory_t *directory, int rank, int wanted)
{
    int source, told;

    ck_assert(mtree_directory_assign(directory, now, &source, &told));
    ck_assert_int_eq(told, rank);
    ck_assert_int_eq(source, wanted);
}

static void expect_nobody_waits(mtree_directory_t *directory)
{
    int source, rank;

    ck_assert(!mtree_directory_assign(directory, now, &source, &rank));
}

static void expect_dismissed(mtree_directory_t *directory, int wanted)
{
    int rank = -1, relieved;

    ck_assert(mtree_directory_dismiss(directory, now, true, &rank, &relieved) ==
              (wanted >= 0));
    ck_assert_int_eq(rank, wanted);
    ck_assert(wanted < 0 || relieved < 0);
}

/* Figure 4: R2 gets from R1, which is not complete, since S is serving; R3 from S, which
 * is free again, and not from R2, which is not complete. */
UNIT_TEST(test_figure_4)
{
    enum { S, R1, R2, R3 };
    static const int host[] = {0, 1, 2, 3};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);
    mtree_directory_t *directory;

    unit_ok(mtree_directory_create(plan, placement, S, 0, &directory));
    expect_nobody_waits(directory);
    mtree_directory_arrive(directory, R1);
    expect_source(directory, R1, S);
    mtree_directory_arrive(directory, R2);
    expect_source(directory, R2, R1);
    mtree_directory_hold(directory, R1);
    /* It is still serving R2. */
    expect_dismissed(directory, -1);
    mtree_directory_arrive(directory, R3);
    expect_source(directory, R3, S);
    expect_nobody_waits(directory);
    ck_assert_int_eq(mtree_directory_num_assigned(directory), 3);
    expect_dismissed(directory, R1);
    expect_dismissed(directory, R2);
    expect_dismissed(directory, R3);
    expect_dismissed(directory, -1);
    mtree_directory_destroy(directory);
}

/* Who holds everything and serves nobody goes, and is no source any more. */
UNIT_TEST(test_gone_is_no_source)
{
    static const int host[] = {0, 1, 2, 3};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);
    mtree_directory_t *directory;

    unit_ok(mtree_directory_create(plan, placement, 0, 0, &directory));
    mtree_directory_arrive(directory, 3);
    expect_source(directory, 3, 0);
    mtree_directory_hold(directory, 3);
    expect_dismissed(directory, 3);
    mtree_directory_arrive(directory, 1);
    expect_source(directory, 1, 0);
    mtree_directory_arrive(directory, 2);
    expect_source(directory, 2, 1);
    mtree_directory_destroy(directory);
}

/* Of those that are there at once the nearest gets first, and gives to the next. */
UNIT_TEST(test_nearest_first)
{
    static const int host[] = {0, 1, 2, 3};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);
    mtree_directory_t *directory;

    add_line_of_routes(plan);
    unit_ok(mtree_directory_create(plan, placement, 1, 0, &directory));
    mtree_directory_arrive(directory, 3);
    mtree_directory_arrive(directory, 2);
    mtree_directory_arrive(directory, 0);
    expect_source(directory, 2, 1);
    expect_source(directory, 3, 2);
    expect_source(directory, 0, 3);
    mtree_directory_destroy(directory);
}

/* Ranks of a host get from each other, and only one of them serves another host. */
UNIT_TEST(test_hosts_are_entered_once)
{
    static const int host[] = {0, 0, 1, 1, 2};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 3);
    OWNED(placement) *placement = placement_of(5, 3, host);
    mtree_directory_t *directory;

    unit_ok(mtree_directory_create(plan, placement, 0, 0, &directory));
    mtree_directory_arrive(directory, 2);
    expect_source(directory, 2, 0);
    mtree_directory_arrive(directory, 3);
    expect_source(directory, 3, 2);
    mtree_directory_arrive(directory, 1);
    expect_source(directory, 1, 0);
    /* Host 0 is serving rank 2. */
    mtree_directory_arrive(directory, 4);
    expect_source(directory, 4, 2);
    mtree_directory_destroy(directory);
}

static void expect_relieved(mtree_directory_t *directory, bool free, int wanted,
                            int of_whom)
{
    int rank = -1, relieved = -1;

    ck_assert(mtree_directory_dismiss(directory, now, free, &rank, &relieved) ==
              (wanted >= 0));
    ck_assert_int_eq(rank, wanted);
    ck_assert_int_eq(relieved, of_whom);
}

static void expect_settled(mtree_directory_t *directory, int wanted)
{
    int rank = -1;

    ck_assert(mtree_directory_settle(directory, &rank) == (wanted >= 0));
    ck_assert_int_eq(rank, wanted);
}

/* A root that gives to rank 1, and rank 1 to rank 2, which came @a after seconds after
 * it; by the end rank 1 holds everything, after a second. */
static mtree_directory_t *open_late(mtree_plan_t *plan, mtree_placement_t *placement,
                                    double after, double worth)
{
    mtree_directory_t *directory;

    unit_ok(mtree_directory_create(plan, placement, 0, worth, &directory));
    now = 0;
    mtree_directory_arrive(directory, 1);
    expect_source(directory, 1, 0);
    now = after;
    mtree_directory_arrive(directory, 2);
    expect_source(directory, 2, 1);
    now = 1;
    mtree_directory_hold(directory, 1);
    return directory;
}

/* The root, once it is free, gives the rest to one that came late, so that the source
 * may leave; then it is busy with that one. */
UNIT_TEST(test_root_relieves)
{
    static const int host[] = {0, 1, 2, 3};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);
    mtree_directory_t *directory = open_late(plan, placement, 0.5, 0.4);

    expect_relieved(directory, false, -1, -1);
    expect_settled(directory, -1);
    expect_relieved(directory, true, 1, 2);
    mtree_directory_arrive(directory, 3);
    expect_source(directory, 3, 2);
    expect_dismissed(directory, 3);
    expect_settled(directory, 2);
    expect_settled(directory, -1);
    mtree_directory_hold(directory, 2);
    ck_assert(!mtree_directory_is_done(directory));
    expect_relieved(directory, true, 2, 3);
    ck_assert(mtree_directory_is_done(directory));
    mtree_directory_destroy(directory);
}

/* It does not for one that is as good as done, nor where that is not worth it. */
UNIT_TEST(test_root_leaves_it)
{
    static const int host[] = {0, 1, 2, 3};
    static const double after[] = {0.01, 0.5}, worth[] = {0, 0.6};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);

    for (int i = 0; i < 2; i++) {
        mtree_directory_t *directory = open_late(plan, placement, after[i], worth[i]);

        expect_relieved(directory, true, -1, -1);
        mtree_directory_hold(directory, 2);
        expect_dismissed(directory, 1);
        expect_dismissed(directory, 2);
        mtree_directory_destroy(directory);
    }
}

/* Nor for one that is more than twice as far from it as from its source. */
UNIT_TEST(test_root_is_too_far)
{
    static const int host[] = {0, 3, 4, 1, 2};
    OWNED(plan) *plan = plan_of(MTREE_BCAST, 5);
    OWNED(placement) *placement = placement_of(5, 5, host);
    mtree_directory_t *directory;

    add_line_of_routes(plan);
    plan->bytes = 1000;
    directory = open_late(plan, placement, 0.5, 0);
    expect_relieved(directory, true, -1, -1);
    mtree_directory_destroy(directory);
}

static void expect_link(mtree_chain_t *chain, int rank, int num_children,
                        const int *children)
{
    mtree_chain_link_t link;

    ck_assert(mtree_chain_next(chain, &link));
    ck_assert_int_eq(link.rank, rank);
    ck_assert_int_eq(link.num_children, num_children);
    for (int i = 0; i < num_children; i++) {
        ck_assert_int_eq(link.children[i], children[i]);
    }
}

/* Section 4.3: "Object arrival sequence is a, d, c, b": A sends to C, C to B, B to D,
 * which called the operation. */
UNIT_TEST(test_section_4_3)
{
    enum { A, B, C, D };
    static const int host[] = {0, 1, 2, 3};
    OWNED(plan) *plan = plan_of(MTREE_REDUCE, 4);
    OWNED(placement) *placement = placement_of(4, 4, host);
    mtree_chain_link_t link;
    mtree_chain_t *chain;

    unit_ok(mtree_chain_create(plan, placement, D, &chain));
    mtree_chain_arrive(chain, A);
    expect_link(chain, A, 0, NULL);
    ck_assert(!mtree_chain_next(chain, &link));
    mtree_chain_arrive(chain, C);
    expect_link(chain, C, 1, (const int[]){A});
    mtree_chain_arrive(chain, B);
    expect_link(chain, B, 1, (const int[]){C});
    ck_assert(!mtree_chain_is_settled(chain));
    expect_link(chain, D, 1, (const int[]){B});
    ck_assert(mtree_chain_is_settled(chain));
    ck_assert(!mtree_chain_next(chain, &link));
    mtree_chain_destroy(chain);
}

/* Two chains of two and a chain of their results, by the plan's tree; those who come last
 * hold the results. */
UNIT_TEST(test_two_dimensions)
{
    static const int host[] = {0, 1, 2, 3, 4};
    static const int parent[] = {-1, 2, 4, 4, 0};
    OWNED(plan) *plan = plan_of(MTREE_REDUCE, 5);
    OWNED(placement) *placement = placement_of(5, 5, host);
    mtree_chain_t *chain;

    for (int h = 0; h < 5; h++) {
        plan->trees[0].parent[h] = parent[h];
    }
    unit_ok(mtree_chain_create(plan, placement, 0, &chain));
    mtree_chain_arrive(chain, 4);
    expect_link(chain, 4, 0, NULL);
    mtree_chain_arrive(chain, 2);
    expect_link(chain, 2, 1, (const int[]){4});
    mtree_chain_arrive(chain, 3);
    expect_link(chain, 3, 0, NULL);
    mtree_chain_arrive(chain, 1);
    expect_link(chain, 1, 2, (const int[]){2, 3});
    expect_link(chain, 0, 1, (const int[]){1});
    mtree_chain_destroy(chain);
}

/* Ranks of a host are chained first; the last of them takes the host's place. */
UNIT_TEST(test_hosts_are_left_once)
{
    static const int host[] = {0, 0, 1, 1, 2};
    OWNED(plan) *plan = plan_of(MTREE_REDUCE, 3);
    OWNED(placement) *placement = placement_of(5, 3, host);
    mtree_chain_t *chain;

    plan->trees[0].parent[1] = 2;
    plan->trees[0].parent[2] = 0;
    unit_ok(mtree_chain_create(plan, placement, 0, &chain));
    mtree_chain_arrive(chain, 3);
    expect_link(chain, 3, 0, NULL);
    mtree_chain_arrive(chain, 4);
    expect_link(chain, 4, 0, NULL);
    mtree_chain_arrive(chain, 1);
    expect_link(chain, 1, 0, NULL);
    mtree_chain_arrive(chain, 2);
    expect_link(chain, 2, 2, (const int[]){3, 4});
    expect_link(chain, 0, 2, (const int[]){1, 2});
    mtree_chain_destroy(chain);
}
