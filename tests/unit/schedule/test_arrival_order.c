/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is told to exchange with whom, as ranks come: the paper's examples and what goes
 * beyond them.
 */
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};

static mtree_plan_t *plan_of(mtree_collective_t collective, int hosts)
{
    return mtree_plan_create(collective, MTREE_PLAN_ARRIVAL, hosts, names, 1);
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

static void expect_source(mtree_directory_t *directory, int rank, int wanted)
{
    int source, told;

    ck_assert(mtree_directory_assign(directory, &source, &told));
    ck_assert_int_eq(told, rank);
    ck_assert_int_eq(source, wanted);
}

static void expect_nobody_waits(mtree_directory_t *directory)
{
    int source, rank;

    ck_assert(!mtree_directory_assign(directory, &source, &rank));
}

static void expect_dismissed(mtree_directory_t *directory, int wanted)
{
    int rank = -1;

    ck_assert(mtree_directory_dismiss(directory, &rank) == (wanted >= 0));
    ck_assert_int_eq(rank, wanted);
}

/* "a1": rank 1 arrives; "1<0": it gets from rank 0; "h1": it holds everything; "d1": it
 * is dismissed; "!": nobody is; "?": nobody waits for a source. */
static void follow_directory(mtree_directory_t *directory, const char *story)
{
    for (; *story != '\0'; story++) {
        switch (*story) {
        case ' ':
            break;
        case 'a':
            mtree_directory_arrive(directory, *++story - '0');
            break;
        case 'h':
            mtree_directory_hold(directory, *++story - '0');
            break;
        case 'd':
            expect_dismissed(directory, *++story - '0');
            break;
        case '!':
            expect_dismissed(directory, -1);
            break;
        case '?':
            expect_nobody_waits(directory);
            break;
        default:
            expect_source(directory, story[0] - '0', story[2] - '0');
            story += 2;
        }
    }
}

static const struct {
    int ranks, hosts, host[5], root;
    bool is_line; /* of routes */
    const char *story;
} bcasts[] = {
    /* Figure 4: R2 gets from R1, which is not complete, since S is serving; R3 from S,
     * which is free again, and not from R2, which is not complete.  R1 is not dismissed
     * while it serves R2. */
    {4, 4, {0, 1, 2, 3}, 0, false, "? a1 1<0 a2 2<1 h1 ! a3 3<0 ? d1 d2 d3 !"},
    /* Who holds everything and serves nobody goes, and is no source any more. */
    {4, 4, {0, 1, 2, 3}, 0, false, "a3 3<0 h3 d3 a1 1<0 a2 2<1"},
    /* Of those that are there at once the nearest gets first, and gives to the next. */
    {4, 4, {0, 1, 2, 3}, 1, true, "a3 a2 a0 2<1 3<2 0<3"},
    /* Ranks of a host get from each other, and only one of them serves another host:
     * host 0 is serving rank 2 when rank 4 comes. */
    {5, 3, {0, 0, 1, 1, 2}, 0, false, "a2 2<0 a3 3<2 a1 1<0 a4 4<2"},
};

UNIT_EACH(test_sources, bcasts)
{
    OWNED(plan) *plan = plan_of(MTREE_BCAST, bcasts[_i].hosts);
    OWNED(placement) *placement =
        placement_of(bcasts[_i].ranks, bcasts[_i].hosts, bcasts[_i].host);
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t arena = {0};
    mtree_directory_t *directory;

    if (bcasts[_i].is_line) {
        add_line_of_routes(plan);
    }
    directory = mtree_directory_create(&arena, plan, placement, bcasts[_i].root);
    follow_directory(directory, bcasts[_i].story);
}

/* "a1": rank 1 arrives; "1<23.": it gets its place, and adds the sums of ranks 2 and 3;
 * "?": nobody does, for now or for good. */
static void follow_chain(mtree_chain_t *chain, const char *story)
{
    mtree_chain_link_t link;

    for (; *story != '\0'; story++) {
        if (*story == 'a') {
            mtree_chain_arrive(chain, *++story - '0');
        } else if (*story == '?') {
            ck_assert(!mtree_chain_next(chain, &link));
        } else if (*story != ' ') {
            ck_assert(mtree_chain_next(chain, &link));
            ck_assert_int_eq(link.rank, *story++ - '0');
            for (int i = 0; i < link.num_children; i++) {
                ck_assert_int_eq(link.children[i], *++story - '0');
            }
            ck_assert_int_eq(*++story, '.');
        }
    }
}

static const struct {
    int ranks, hosts, host[5], root;
    int parent[5]; /* of hosts; all zeros: those of a new plan */
    const char *story;
} reductions[] = {
    /* Section 4.3: "Object arrival sequence is a, d, c, b": A sends to C, C to B, B to D,
     * which called the operation. */
    {4, 4, {0, 1, 2, 3}, 3, {0}, "a0 0<. ? a2 2<0. ? a1 1<2. 3<1. ?"},
    /* Two chains of two and a chain of their results, by the plan's tree; those who come
     * last hold the results. */
    {5, 5, {0, 1, 2, 3, 4}, 0, {-1, 2, 4, 4, 0}, "a4 4<. a2 2<4. a3 3<. a1 1<23. 0<1."},
    /* Ranks of a host are chained first; the last of them takes the host's place. */
    {5, 3, {0, 0, 1, 1, 2}, 0, {-1, 2, 0}, "a3 3<. a4 4<. a1 1<. a2 2<34. 0<12."},
};

UNIT_EACH(test_chains, reductions)
{
    OWNED(plan) *plan = plan_of(MTREE_REDUCE, reductions[_i].hosts);
    OWNED(placement) *placement =
        placement_of(reductions[_i].ranks, reductions[_i].hosts, reductions[_i].host);
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t arena = {0};
    mtree_chain_t *chain;

    for (int h = 0; h < reductions[_i].hosts && reductions[_i].parent[0] < 0; h++) {
        plan->trees[0].parent[h] = reductions[_i].parent[h];
    }
    chain = mtree_chain_create(&arena, plan, placement, reductions[_i].root);
    ck_assert(!mtree_chain_is_complete(chain));
    follow_chain(chain, reductions[_i].story);
    ck_assert(mtree_chain_is_complete(chain));
}
