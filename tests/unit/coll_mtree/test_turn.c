/* SPDX-License-Identifier: BSD-3-Clause */
/* Whenever ranks notice that they fail, no two of as many as there are turns speak in the
 * same one. */
#include "coll_mtree/tcp/turn.h"
#include "tests/unit/runner.h"

#define TODAY 1795755600.0

UNIT_TEST(ranks_speak_one_after_another)
{
    for (int rank = 0; rank < 4 * COLL_MTREE_TURNS; rank++) {
        double now = TODAY + 0.037 * (rank * 7 % 31);
        double wait = coll_mtree_turn_wait(now, rank);
        double turn = (now + wait) / COLL_MTREE_TURN_SECONDS;

        ck_assert_double_ge(wait, 0);
        ck_assert_double_lt(wait, COLL_MTREE_TURNS * COLL_MTREE_TURN_SECONDS);
        ck_assert_double_eq_tol(turn, rint(turn), 1e-4);
        ck_assert_int_eq((long)rint(turn) % COLL_MTREE_TURNS, rank % COLL_MTREE_TURNS);
    }
}
