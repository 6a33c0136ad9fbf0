/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who leads, and how ranks hang below their leader, on machines that hwloc recorded
 * (tests/fixtures/machines).
 */
#include "base/clock.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "topo/host/machine.h"

#define LENGTH(_array) (int)(sizeof(_array) / sizeof((_array)[0]))

#define MAX_RANKS 96
#define TREES     12

/* One host's ranks, bound to every @a step-th core. */
static mtree_placement_t *place(const char *name, int ranks, int step)
{
    mtree_locality_t localities[MAX_RANKS];
    mtree_placement_t *placement;
    mtree_machine_t *machine;
    int host[MAX_RANKS] = {0};
    mtree_nic_t *nics;
    char path[512];
    int num;

    snprintf(path, sizeof(path), FIXTURES "/machines/%s.xml", name);
    unit_ok(mtree_machine_load(path, &machine));
    nics = mtree_machine_nics(machine, &num);
    for (int rank = 0; rank < ranks; rank++) {
        localities[rank] = mtree_machine_locate_core(machine, rank * step);
        mtree_locality_measure(&localities[rank], nics, num);
    }
    free(nics);
    mtree_machine_destroy(machine);
    unit_ok(mtree_placement_create(ranks, 1, host, localities, &placement));
    return placement;
}

/* All parents; what one rank calls its child must call it its parent. */
static void hang_all(const mtree_placement_t *placement, int leader, int tree,
                     int *parent)
{
    int above[MAX_RANKS], num = placement->num_ranks;

    memset(above, -1, sizeof(above));
    for (int rank = 0; rank < num; rank++) {
        int children[MAX_RANKS], num_children;

        mtree_placement_neighbours(placement, rank, leader, tree, &parent[rank], children,
                                   &num_children);
        ck_assert_int_lt(num_children, num);
        for (int i = 0; i < num_children; i++) {
            ck_assert_int_eq(above[children[i]], -1);
            above[children[i]] = rank;
        }
    }
    ck_assert_mem_eq(above, parent, (size_t)num * sizeof(int));
    ck_assert_int_eq(parent[leader], -1);
    for (int rank = 0; rank < num; rank++) {
        int at = rank, steps = 0;

        while (at != leader) {
            at = parent[at];
            ck_assert_int_lt(steps++, num);
        }
    }
}

static const struct {
    const char *machine;
    int ranks, step; /* every so many cores one */
    int leaders;
    int tree;
    const char *hangs; /* the parents of ranks 0, 1 ...; - is the leader */
} cases[] = {
    /* All NICs at package 0, whose ranks are 0 to 3. */
    {"24em64t-2n6c2t-pci", 8, 1, 6, 0, "- 0 0 0 0 0 0 6"},
    {"24em64t-2n6c2t-pci", 12, 1, 6, 0, "- 0 0 0 0 0 0 6 6 6 6 6"},
    {"24em64t-2n6c2t-pci", 12, 1, 6, 3, "3 3 3 - 3 3 9 9 9 3 9 9"},
    /* All NICs at package 1, whose ranks are 4 to 7. */
    {"32em64t-2n8c2t-pci-normalio", 8, 2, 4, 0, "4 0 0 0 - 4 4 4"},
    {"32em64t-2n8c2t-pci-normalio", 8, 2, 4, 1, "1 5 1 1 5 - 5 5"},
    /* So few that all lead, wherever the NICs are. */
    {"32em64t-2n8c2t-pci-normalio", 2, 8, 2, 0, "1 -"},
    {"32em64t-2n8c2t-pci-normalio", 2, 8, 2, 1, "- 0"},
    /* NUMA nodes first, then packages, then caches: 16 ranks on the first 32 cores, of
     * which 24 are the first node's four packages. */
    {"96em64t-4n4d3ca2co-pci", 16, 2, 16, 0, "- 0 0 0 3 3 0 6 6 0 9 9 0 12 12 12"},
    /* No NIC is known, so all lead: 2 packages, 4 nodes each, 2 caches each. */
    {"AMD-17h-Zen-2xEpyc-7451", 16, 3, 16, 0, "- 0 0 2 0 4 0 6 0 8 8 10 8 12 8 14"},
    {"AMD-17h-Zen-2xEpyc-7451", 16, 3, 16, 9, "1 9 3 1 5 1 7 1 9 - 11 9 13 9 15 9"},
    /* One package of 4 clusters; two cores share a cache. */
    {"64intel64-fakeKNL-SNC4-hybrid", 8, 2, 8, 0, "- 0 0 2 0 4 0 6"},
    {"64intel64-fakeKNL-SNC4-hybrid", 16, 1, 16, 0,
     "- 0 0 2 0 4 4 6 0 8 8 10 0 12 12 14"},
    /* One package, one node, two caches of ten cores each. */
    {"nvidia-dgx-gb10", 10, 2, 10, 0, "- 0 0 0 0 0 5 5 5 5"},
};

UNIT_LOOP(test_hangs, 0, LENGTH(cases))
{
    OWNED(placement) *placement =
        place(cases[_i].machine, cases[_i].ranks, cases[_i].step);
    int parent[MAX_RANKS], leader;
    char hangs[512] = "";

    ck_assert_int_eq(placement->num_leaders[0], cases[_i].leaders);
    leader = mtree_placement_leader(placement, 0, cases[_i].tree);
    hang_all(placement, leader, cases[_i].tree, parent);
    for (int rank = 0; rank < cases[_i].ranks; rank++) {
        char number[16] = " -";

        if (parent[rank] >= 0) {
            snprintf(number, sizeof(number), " %d", parent[rank]);
        }
        strcat(hangs, number);
    }
    ck_assert_str_eq(hangs + 1, cases[_i].hangs);
}

/* Links between the parts at @a level, those between the parts around them included. */
static int count_crossings(const mtree_placement_t *placement, const int *parent,
                           int level)
{
    int count = 0;

    for (int rank = 0; rank < placement->num_ranks; rank++) {
        bool crosses = false;

        for (int l = 0; l <= level && parent[rank] >= 0; l++) {
            crosses |= mtree_locality_part(&placement->localities[rank], l) !=
                       mtree_locality_part(&placement->localities[parent[rank]], l);
        }
        count += crosses;
    }
    return count;
}

static const struct {
    const char *machine;
    int cores;
    int parts[3]; /* at the widest levels: as many as a full machine has */
} machines[] = {{"24em64t-2n6c2t-pci", 12, {2, 2, 2}},
                {"32em64t-2n8c2t-pci-normalio", 16, {2, 2, 2}},
                {"96em64t-4n4d3ca2co-pci", 96, {4, 16, 48}},
                {"AMD-17h-Zen-2xEpyc-7451", 48, {2, 8, 16}},
                {"64intel64-fakeKNL-SNC4-hybrid", 16, {1, 4, 8}},
                {"nvidia-dgx-gb10", 20, {1, 1, 2}}};

/* Whoever leads, no tree crosses between parts more often than it must. */
UNIT_LOOP(test_crossings, 0, LENGTH(machines))
{
    OWNED(placement) *placement = place(machines[_i].machine, machines[_i].cores, 1);

    for (int tree = 0; tree < TREES; tree++) {
        for (int leader = 0; leader < machines[_i].cores; leader++) {
            int parent[MAX_RANKS];

            hang_all(placement, leader, tree, parent);
            for (int level = 0; level < LENGTH(machines[_i].parts); level++) {
                int parts = machines[_i].parts[level];

                ck_assert_int_eq(mtree_placement_num_parts(placement, 0, level), parts);
                ck_assert_int_eq(count_crossings(placement, parent, level), parts - 1);
            }
        }
    }
}

/* Ranks that lead or have others below them in one of the trees. */
UNIT_TEST(test_work_is_spread)
{
    OWNED(placement) *placement = place("AMD-17h-Zen-2xEpyc-7451", 16, 3);
    bool works[MAX_RANKS] = {false};

    for (int tree = 0; tree < TREES; tree++) {
        int parent[MAX_RANKS];

        hang_all(placement, mtree_placement_leader(placement, 0, tree), tree, parent);
        for (int rank = 0; rank < 16; rank++) {
            works[parent[rank] < 0 ? rank : parent[rank]] = true;
        }
    }
    for (int rank = 0; rank < 16; rank++) {
        ck_assert(works[rank]);
    }
}

/* Ranks 0 3 4 on the first host, 1 on the second, 2 5 on the third. */
UNIT_TEST(test_nothing_known)
{
    const int host[] = {0, 1, 2, 0, 0, 2};
    OWNED(placement) *placement = NULL;

    unit_ok(mtree_placement_create(6, 3, host, NULL, &placement));
    for (int tree = 0; tree < 6; tree++) {
        static const int first[] = {0, 3, 4}, last[] = {2, 5};
        int children[6], num_children, parent;

        ck_assert_int_eq(mtree_placement_leader(placement, 0, tree), first[tree % 3]);
        ck_assert_int_eq(mtree_placement_leader(placement, 1, tree), 1);
        ck_assert_int_eq(mtree_placement_leader(placement, 2, tree), last[tree % 2]);
        mtree_placement_neighbours(placement, 3, 3, tree, &parent, children,
                                   &num_children);
        ck_assert_int_eq(parent, -1);
        ck_assert_int_eq(num_children, 2);
        ck_assert_int_eq(children[0], 0);
        ck_assert_int_eq(children[1], 4);
        mtree_placement_neighbours(placement, 4, 3, tree, &parent, children,
                                   &num_children);
        ck_assert_int_eq(parent, 3);
        ck_assert_int_eq(num_children, 0);
    }
}

UNIT_TEST(test_leaders)
{
    const int host[] = {0, 0, 0, 0, 0, 0, 0, 0};
    mtree_locality_t localities[LENGTH(host)];
    OWNED(placement) *placement = NULL;

    /* One next to the network is too few: the next four help it, not the farthest. */
    for (int rank = 0; rank < LENGTH(host); rank++) {
        localities[rank] = mtree_locality_unknown();
        localities[rank].near = rank == 5  ? MTREE_NEAR_NUMA
                                : rank % 2 ? MTREE_NEAR_HOST
                                           : MTREE_NEAR_PACKAGE;
    }
    unit_ok(mtree_placement_create(8, 1, host, localities, &placement));
    for (int tree = 0; tree < TREES; tree++) {
        static const int expected[] = {5, 0, 2, 4, 6};

        ck_assert_int_eq(mtree_placement_leader(placement, 0, tree), expected[tree % 5]);
    }
}

UNIT_TEST(test_bad_hosts)
{
    const int gap[] = {0, 2}, wrong[] = {0, 3}, below[] = {-1, 0};
    mtree_placement_t *placement = NULL;

    unit_invalid(mtree_placement_create(2, 3, gap, NULL, &placement));
    unit_invalid(mtree_placement_create(2, 3, wrong, NULL, &placement));
    unit_invalid(mtree_placement_create(2, 1, below, NULL, &placement));
    ck_assert_ptr_null(placement);
}

/* A stranger's numbers are read by relays, which serve others meanwhile. */
UNIT_TEST(test_many_hosts_are_soon_placed)
{
    enum { RANKS = 60000 };
    UNIT_FREED int *host = malloc(RANKS * sizeof(*host));
    OWNED(placement) *placement = NULL;
    const double begin = mtree_clock_thread_seconds();

    for (int rank = 0; rank < RANKS; rank++) {
        host[rank] = RANKS - 1 - rank;
    }
    unit_ok(mtree_placement_create(RANKS, RANKS, host, NULL, &placement));
    ck_assert_double_lt(mtree_clock_thread_seconds() - begin, 0.5);
    for (int rank = 0; rank < RANKS; rank++) {
        ck_assert_int_eq(placement->first[rank], rank);
        ck_assert_int_eq(placement->ranks[rank], host[rank]);
        ck_assert_int_eq(placement->position[rank], host[rank]);
        ck_assert_int_eq(placement->num_leaders[rank], 1);
    }
}
