/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that wait for a plan leave the processors that they share to who plans. */
#include "coll_mtree/transport/wait_pause.h"
#include "tests/unit/runner.h"

#define LEAST  COLL_MTREE_WAIT_PAUSE_LEAST
#define MOST   COLL_MTREE_WAIT_PAUSE_MOST
#define PART   COLL_MTREE_WAIT_PAUSE_PART
#define MOMENT COLL_MTREE_WAIT_PAUSE_MOMENT

UNIT_TEST(a_reply_at_hand_is_looked_for_at_once)
{
    ck_assert_double_eq(coll_mtree_wait_pause(0, false), 0);
    ck_assert_double_eq(coll_mtree_wait_pause(0.9 * MOMENT, true), 0);
}

UNIT_TEST(ranks_with_processors_of_their_own_look_often)
{
    ck_assert_double_eq(coll_mtree_wait_pause(MOMENT, false), LEAST);
    ck_assert_double_eq(coll_mtree_wait_pause(100, false), LEAST);
}

UNIT_TEST(sleeps_grow_where_processors_are_shared)
{
    ck_assert_double_eq(coll_mtree_wait_pause(MOMENT, true), LEAST);
    ck_assert_double_eq_tol(coll_mtree_wait_pause(0.1, true), 0.1 * PART, 1e-12);
    ck_assert_double_eq(coll_mtree_wait_pause(100, true), MOST);
}

/* Of 128 ranks on two processors, with 10 us per look, after a third of a second. */
UNIT_TEST(looks_take_a_small_part_of_the_processors)
{
    ck_assert_double_lt(128 * 1e-5 / coll_mtree_wait_pause(0.32, true), 0.1 * 2);
}
