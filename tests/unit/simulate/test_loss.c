/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/loss.h"
#include "tests/unit/runner.h"

/* Packets that pass an arc of @a seed before the first one is lost. */
static int first_loss(double probability, uint64_t seed)
{
    mtree_loss_t loss;
    int passed = 0, last;

    mtree_loss_init(&loss, probability, seed);
    while (mtree_loss_draw(&loss, 1, &last) == 0) {
        passed++;
    }
    return passed;
}

UNIT_TEST(as_many_are_lost_as_the_link_says)
{
    mtree_loss_t loss;
    int lost = 0, last;

    mtree_loss_init(&loss, 0.01, 7);
    for (int i = 0; i < 100000; i++) {
        lost += mtree_loss_draw(&loss, 10, &last);
    }
    /* 10,000 of 1,000,000, four standard deviations of 100 at most beside that. */
    ck_assert_int_ge(lost, 9600);
    ck_assert_int_le(lost, 10400);
}

UNIT_TEST(the_same_ones_are_lost_however_packets_are_grouped)
{
    mtree_loss_t one, many;
    int singles = 0, last;

    mtree_loss_init(&one, 0.05, 3);
    mtree_loss_init(&many, 0.05, 3);
    for (int group = 0; group < 100; group++) {
        int lost = mtree_loss_draw(&many, 12, &last), ending = 0;

        singles = 0;
        for (int i = 0; i < 12; i++) {
            int is_lost, alone;

            is_lost = mtree_loss_draw(&one, 1, &alone);
            ck_assert_int_eq(alone, is_lost);
            ending = is_lost ? ending + 1 : 0;
            singles += is_lost;
        }
        ck_assert_int_eq(lost, singles);
        ck_assert_int_eq(last, ending);
    }
    ck_assert_int_ne(first_loss(0.001, 1), first_loss(0.001, 2));
}

UNIT_TEST(without_loss_all_packets_pass)
{
    mtree_loss_t loss;
    int last;

    mtree_loss_init(&loss, 0, 1);
    ck_assert_int_eq(mtree_loss_draw(&loss, 1000000, &last), 0);
    ck_assert_int_eq(last, 0);
    ck_assert(isinf(mtree_loss_window(0, 1448, 0.02, 0.2)));
}

/*
 * Equation 30 by hand, 1 % over 20 ms: fast retransmissions cost 20 ms * sqrt(0.02 / 3) =
 * 1.63299 ms per packet, timeouts of 220 ms cost 220 ms * 3 * sqrt(0.00375) * 0.01 *
 * 1.0032 = 0.40546 ms.  A trip of 20 ms has room for 9.8114 packets of 1000 bytes.
 */
UNIT_TEST(windows_are_those_of_the_paper)
{
    ck_assert_double_eq_tol(mtree_loss_window(0.01, 1000, 0.020, 0.220), 9811.4, 0.1);
}
