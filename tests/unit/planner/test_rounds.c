/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/double_tree.h"
#include "papers/baselines/halving_doubling.h"
#include "papers/baselines/ring_schedule.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

#include "planner/regular/trees.h"

OWNED_TYPE(rounds)

/* Hosts 0 .. 3 in a row, each link 1 Gb/s and 1 ms. */
static void given_row(void)
{
    given_routes(network_row(NULL, 4, 1e9, 1e-3));
}

UNIT_TEST(test_ring_takes_2n_minus_2_steps)
{
    for (int n = 2; n < 10; n++) {
        OWNED(rounds) *schedule = mtree_ring_schedule(n, NULL);

        ck_assert_int_eq(schedule->num_steps, 2 * (n - 1));
        ck_assert_int_eq(schedule->num_transfers, 2 * n * (n - 1));
        unit_ok(mtree_rounds_check(schedule));
    }
}

/* Four hosts in a row: the way from the last to the first crosses every link, in a
 * direction of its own. */
UNIT_TEST(test_time_and_contention_of_a_ring_on_a_row)
{
    OWNED(rounds) *schedule = mtree_ring_schedule(4, NULL);
    double seconds;

    given_row();
    ck_assert_double_eq(mtree_rounds_contention(schedule, topology, routes), 1);
    /* 6 steps of 3 ms, and of 1 MB / 4 at 1 Gb/s: 2 ms. */
    seconds = mtree_rounds_seconds(schedule, topology, routes, 1e6, 1);
    ck_assert_double_eq_tol(seconds, 6 * (3e-3 + 2e-3), 1e-12);
    seconds = mtree_rounds_seconds(schedule, topology, routes, 1e6, 1.5);
    ck_assert_double_eq_tol(seconds, 6 * (3e-3 + 3e-3), 1e-12);
}

UNIT_TEST(test_shared_arcs_are_counted)
{
    static const int way[] = {0, 2};
    OWNED(rounds) *schedule = mtree_rounds_create("by hand", 4, 2);

    given_row();
    mtree_rounds_add(schedule, 1, 0, 2, 0, true);
    mtree_rounds_add(schedule, 1, 1, 3, 1, true);
    ck_assert_double_eq(mtree_rounds_contention(schedule, topology, routes), 2);
    /* A way of its own: back from 2 to 0 in place of the route from 1 to 3. */
    mtree_rounds_set_path(schedule, way, 2, true);
    ck_assert_int_eq(schedule->arcs[0], 3);
    ck_assert_int_eq(schedule->arcs[1], 1);
    ck_assert_double_eq(mtree_rounds_contention(schedule, topology, routes), 1);
}

UNIT_TEST(test_check_finds_faults)
{
    OWNED(rounds) *schedule = mtree_ring_schedule(4, NULL);

    /* A missing transfer: somebody ends without a piece. */
    schedule->num_transfers--;
    unit_invalid(mtree_rounds_check(schedule));
    schedule->num_transfers++;
    unit_ok(mtree_rounds_check(schedule));
    /* The first reduce again, later: its part would count twice. */
    mtree_rounds_add(schedule, 3, schedule->transfers[0].from, schedule->transfers[0].to,
                     schedule->transfers[0].piece, true);
    unit_invalid(mtree_rounds_check(schedule));
    heard_text("twice");
}

UNIT_TEST(test_grid_order_is_a_ring_of_neighbours)
{
    static const int sides[][2] = {{2, 2}, {4, 4}, {4, 3}, {3, 4}, {8, 16}};

    for (int i = 0; i < 5; i++) {
        int rows = sides[i][0], cols = sides[i][1], n = rows * cols;
        bool seen[128] = {false};
        int order[128];

        mtree_ring_order_grid(rows, cols, order);
        for (int at = 0; at < n; at++) {
            int here = order[at], next = order[(at + 1) % n];

            ck_assert(!seen[here]);
            seen[here] = true;
            ck_assert_int_eq(
                abs(here / cols - next / cols) + abs(here % cols - next % cols), 1);
        }
    }
}

UNIT_TEST(test_2d_ring_sends_2n_n_minus_1_pieces_a_phase)
{
    OWNED(rounds) *schedule = mtree_ring_schedule_2d(4, 4);
    double sent = 0;

    ck_assert_int_eq(schedule->num_steps, 4 * (4 - 1));
    unit_ok(mtree_rounds_check(schedule));
    for (int i = 0; i < schedule->num_transfers; i++) {
        sent += schedule->share[schedule->transfers[i].piece];
    }
    /* A host sends 2 N (N - 1) / N^2 of the message in each of the two phases. */
    unit_near(sent / 16, 2 * 24.0 / 16);
    mtree_rounds_destroy(schedule);
    schedule = mtree_ring_schedule_2d(2, 6);
    unit_ok(mtree_rounds_check(schedule));
}

UNIT_TEST(test_double_trees_swap_leaves_and_inner_hosts)
{
    for (int n = 2; n < 40; n++) {
        int parent[80], children[80] = {0};

        mtree_double_tree_parents(n, parent);
        for (int i = 0; i < 2 * n; i++) {
            if (parent[i] >= 0) {
                children[i / n * n + parent[i]]++;
            }
        }
        for (int host = 0; host < n; host++) {
            ck_assert_int_le(children[host], 2);
            if (n % 2 == 0 && children[host] > 1) {
                ck_assert_int_le(children[n + host], 1);
            }
        }
        for (int chunks = 1; chunks < 4; chunks++) {
            OWNED(rounds) *schedule = mtree_double_tree_schedule(n, chunks);

            unit_ok(mtree_rounds_check(schedule));
        }
    }
}

UNIT_TEST(test_halving_doubling_takes_2_log_n_steps)
{
    mtree_rounds_t *schedule;

    unit_ok(mtree_halving_doubling_schedule(16, NULL, &schedule));
    ck_assert_int_eq(schedule->num_steps, 8);
    ck_assert_int_eq(schedule->num_transfers, 2 * 16 * 15);
    unit_ok(mtree_rounds_check(schedule));
    mtree_rounds_destroy(schedule);
    ck_assert_int_eq(mtree_halving_doubling_schedule(12, NULL, &schedule),
                     MTREE_ERR_UNSUPPORTED);
    heard_text("power of two");
}

/* 32 hosts, four a switch: partners sit on different sides, and no two of a switch meet
 * at one switch. */
UNIT_TEST(test_rank_mapping_spreads_partners)
{
    int host_of[32];
    bool seen[32] = {false};

    unit_ok(mtree_halving_doubling_map_bigraph(32, 4, host_of));
    for (int rank = 0; rank < 32; rank++) {
        ck_assert(!seen[host_of[rank]]);
        seen[host_of[rank]] = true;
    }
    for (int distance = 1; distance < 32; distance *= 2) {
        int load[4][4] = {{0}};

        for (int rank = 0; rank < 32; rank++) {
            int here = host_of[rank], there = host_of[rank ^ distance];

            ck_assert_int_ne(here < 16, there < 16);
            if (here < 16) {
                ck_assert_int_eq(++load[here / 4][(there - 16) / 4], 1);
            }
        }
    }
    ck_assert_int_eq(mtree_halving_doubling_map_bigraph(24, 4, host_of),
                     MTREE_ERR_UNSUPPORTED);
}

UNIT_FIXTURE(heard_start, forget)
