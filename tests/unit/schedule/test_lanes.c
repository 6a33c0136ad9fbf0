/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of the streams between two ranks, in every order in which they may end. */
#include "schedule/lanes.h"
#include "tests/unit/runner.h"

enum { MOST = 6 };

static mtree_turn_t turns[MOST];
static bool ended[MOST];

/* Which turns are open follows from which have ended, and no two that are open and have
 * not ended have one lane. */
static void verify(int count, int lanes)
{
    bool fits = true;

    for (int i = 0; i < count; i++) {
        fits = fits && turns[i].lane == i % lanes &&
               turns[i].is_open == (i < lanes || ended[i - lanes]);
        for (int j = 0; j < i; j++) {
            fits =
                fits && (turns[i].lane != turns[j].lane || ended[j] || !turns[i].is_open);
        }
    }
    ck_assert(fits);
}

/* End the open turns in every order. */
static void end_all(int count, int lanes)
{
    mtree_turn_t before[MOST];

    verify(count, lanes);
    for (int i = 0; i < count; i++) {
        mtree_turn_t *next;

        if (!turns[i].is_open || ended[i]) {
            continue;
        }
        for (int j = 0; j < count; j++) {
            before[j] = turns[j];
        }
        next = mtree_turn_end(&turns[i], lanes);
        if (next != (i + lanes < count ? &turns[i + lanes] : NULL)) {
            ck_abort_msg("%d of %d, %d lanes: another one was opened", i, count, lanes);
        }
        ended[i] = true;
        end_all(count, lanes);
        ended[i] = false;
        for (int j = 0; j < count; j++) {
            turns[j] = before[j];
        }
    }
}

UNIT_TEST(a_turn_opens_when_its_predecessor_ends)
{
    for (int count = 0; count <= MOST; count++) {
        for (int lanes = 1; lanes <= MOST + 1; lanes++) {
            mtree_turns_t all = {0};

            for (int i = 0; i < count; i++) {
                mtree_turns_add(&all, &turns[i], lanes);
            }
            end_all(count, lanes);
        }
    }
}

/* Turns come while others have ended and were dropped. */
UNIT_TEST(turns_follow_those_that_were_dropped)
{
    static mtree_turn_t turns[9];
    mtree_turns_t all = {0};

    for (int i = 0; i < 6; i++) {
        mtree_turns_add(&all, &turns[i], 4);
    }
    ck_assert(!turns[4].is_open && !turns[5].is_open);
    ck_assert_ptr_eq(mtree_turn_end(&turns[0], 4), &turns[4]);
    ck_assert_ptr_eq(mtree_turn_end(&turns[2], 4), NULL);
    mtree_turns_drop(&all);
    for (int i = 6; i < 8; i++) {
        mtree_turns_add(&all, &turns[i], 4);
        ck_assert_int_eq(turns[i].lane, i % 4);
    }
    ck_assert(turns[6].is_open && !turns[7].is_open);
    for (int i = 1; i < 8; i++) {
        if (i != 2) {
            (void)mtree_turn_end(&turns[i], 4);
        }
        mtree_turns_drop(&all);
    }
    mtree_turns_add(&all, &turns[8], 4);
    ck_assert(turns[8].is_open && turns[8].lane == 0);
}
