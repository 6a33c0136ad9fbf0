/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests take tags alike on all ranks, and again those of freed ones. */
#include "coll_mtree/base/tag_range.h"

#include "coll_mtree/base/tuning.h"
#include "tests/unit/runner.h"

#include <limits.h>

enum { RANKS = 3, MOST = 1900 };

static coll_mtree_tag_slots_t slots[RANKS];
static int num_asked;

static void setup(void)
{
    num_asked = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        slots[rank] = (coll_mtree_tag_slots_t){.lock = PTHREAD_MUTEX_INITIALIZER,
                                               .most = COLL_MTREE_LEAST_NEW_SLOTS};
    }
}

static void teardown(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        coll_mtree_tag_slots_cleanup(&slots[rank]);
    }
}

/* As the allreduce of the bits does. */
static void ask(void)
{
    unsigned char *sum = slots[0].bits;
    size_t bytes = 0;

    num_asked++;
    for (int rank = 0; rank < RANKS; rank++) {
        bytes = coll_mtree_tag_slots_write(&slots[rank]);
        for (size_t i = 0; i < bytes; i++) {
            sum[i] |= slots[rank].bits[i];
        }
    }
    for (int rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < bytes; i++) {
            slots[rank].bits[i] = sum[i];
        }
        coll_mtree_tag_slots_learn(&slots[rank]);
    }
}

/* A request on all ranks that may have @a most: its slot, the same on all; -1: no tags.
 */
static int make(int most)
{
    int number = -1;

    if (coll_mtree_tag_slots_look(&slots[0], most) == COLL_MTREE_TAG_SLOT_ASK) {
        ask();
    }
    for (int rank = 0; rank < RANKS; rank++) {
        int mine = -1;

        if (coll_mtree_tag_slots_look(&slots[rank], most) == COLL_MTREE_TAG_SLOT_THERE) {
            mine = coll_mtree_tag_slots_take(&slots[rank]);
            ck_assert_int_ge(mine, 0);
        }
        if (rank > 0 && mine != number) {
            ck_abort_msg("rank %d takes slot %d, the others %d", rank, mine, number);
        }
        number = mine;
    }
    return number;
}

static void release(int number)
{
    for (int rank = 0; rank < RANKS; rank++) {
        coll_mtree_tag_slots_release(&slots[rank], number);
    }
}

UNIT_TEST(freed_requests_give_their_tags_back)
{
    int kept = make(INT_MAX);

    for (int i = 0; i < 100000; i++) {
        int number = make(INT_MAX);

        if (number < 0 || number == kept) {
            ck_abort_msg("request %d has slot %d", i, number);
        }
        release(number);
    }
    /* Each time some thousand bits, once for a thousand requests. */
    ck_assert_int_le(num_asked, 100);
    ck_assert_int_le(slots[0].num, 2048);
}

UNIT_TEST(what_one_rank_uses_no_rank_takes)
{
    int last = -1;

    for (int i = 0; i < 3000; i++) {
        last = make(INT_MAX);
        /* Rank 2 alone does not free them. */
        coll_mtree_tag_slots_release(&slots[0], last);
        coll_mtree_tag_slots_release(&slots[1], last);
        ck_assert_int_eq(last, i);
    }
    ck_assert_int_gt(num_asked, 0);
    coll_mtree_tag_slots_release(&slots[2], 7);
    ask();
    ck_assert_int_eq(make(INT_MAX), 7);
}

UNIT_TEST(where_all_live_there_are_none_until_one_is_freed)
{
    int number, made = 0;

    while ((number = make(MOST)) >= 0) {
        ck_assert_int_eq(number, made++);
    }
    ck_assert_int_eq(made, MOST);
    ck_assert_int_lt(make(MOST), 0);
    release(9);
    ck_assert_int_eq(make(MOST), 9);
    ck_assert_int_lt(make(MOST), 0);
}

UNIT_FIXTURE(setup, teardown)
