/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/all_trees.h"
#include "tests/unit/runner.h"

static void draw_prices(double *price, int n, unsigned seed)
{
    srand(seed);
    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            price[u * n + v] = u == v || rand() % 3 == 0 ? (double)INFINITY : rand() % 10;
        }
    }
}

/* Against all trees; both exact methods come up: 2 of 6 active and 4 of 6 active; and
 * all. */
UNIT_TEST(test_against_all_trees)
{
    int num_found = 0;

    for (unsigned seed = 1; seed <= 40; seed++) {
        double price[ALL_TREES_MOST * ALL_TREES_MOST];
        int n = 5 + (int)(seed % 2);
        int num_active = 2 + (int)(seed / 2 % (unsigned)(n - 1));
        int root = (int)(seed % (unsigned)num_active);
        bool inward = seed % 3 == 0;
        UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t arena = {0};
        mtree_steiner_oracle_t *oracle;
        mtree_status_t status;
        int parent[ALL_TREES_MOST];
        double least, found;

        draw_prices(price, n, seed);
        oracle = mtree_steiner_oracle_create(&arena, n, num_active);
        ck_assert_ptr_nonnull(oracle);
        ck_assert(mtree_steiner_oracle_exact(oracle));
        mtree_steiner_oracle_set_prices(oracle, price, inward);
        status = mtree_steiner_oracle_find(oracle, root, parent, &found);
        least = all_trees_least(price, n, num_active, root, inward);
        if (isinf(least)) {
            ck_assert_int_eq(status, MTREE_ERR_UNREACHABLE);
        } else {
            unit_ok(status);
            unit_near(found, least);
            unit_near(all_trees_price(price, n, num_active, root, parent, inward), least);
            num_found++;
        }
    }
    ck_assert_int_gt(num_found, 20);
}

/* Two hosts, both active: the smallest packing that a machine of the paper asks for. */
UNIT_TEST(test_pair)
{
    static const double price[] = {INFINITY, 3, 4, INFINITY};
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t arena = {0};
    int parent[2];
    double found;
    mtree_steiner_oracle_t *oracle = mtree_steiner_oracle_create(&arena, 2, 2);

    ck_assert_ptr_nonnull(oracle);
    mtree_steiner_oracle_set_prices(oracle, price, false);
    unit_ok(mtree_steiner_oracle_find(oracle, 1, parent, &found));
    unit_near(found, 4);
    ck_assert_int_eq(parent[0], 1);
    ck_assert_int_eq(parent[1], -1);
}

/* Too large for an exact search: still a tree, and on a ring of relays the only one. */
UNIT_TEST(test_large)
{
    enum { N = 60, ACTIVE = 20 };
    static double price[N * N];
    int parent[N];
    double found;
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t arena = {0};
    mtree_steiner_oracle_t *oracle;

    for (int i = 0; i < N * N; i++) {
        price[i] = INFINITY;
    }
    /* Active vertices 0, 1, ... with two relays between each and the next, one way. */
    for (int i = 0; i < ACTIVE; i++) {
        int relay = ACTIVE + 2 * i;

        price[i * N + relay] = 1;
        price[relay * N + relay + 1] = 1;
        price[(relay + 1) * N + (i + 1) % ACTIVE] = 1;
    }
    oracle = mtree_steiner_oracle_create(&arena, N, ACTIVE);
    ck_assert_ptr_nonnull(oracle);
    ck_assert(!mtree_steiner_oracle_exact(oracle));
    mtree_steiner_oracle_set_prices(oracle, price, false);
    unit_ok(mtree_steiner_oracle_find(oracle, 3, parent, &found));
    unit_near(found, 3 * (ACTIVE - 1));
    unit_near(all_trees_price(price, N, ACTIVE, 3, parent, false), found);
}
