/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the relays that cannot reach each other are left out. */
#include "coll_mtree/relay/unreached.h"
#include "tests/unit/runner.h"

#define ALL UINT64_MAX

static uint64_t without(uint64_t up, int relay)
{
    return up & ~(UINT64_C(1) << relay);
}

UNIT_TEST(of_two_the_one_that_is_dialed_is_left_out)
{
    coll_mtree_unreached_t unreached = {0};
    int other = -1;

    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, ALL, &other), -1);
    ck_assert(coll_mtree_unreached_add(&unreached, 3, 63));
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, ALL, &other), 63);
    ck_assert_int_eq(other, 3);
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, without(ALL, 63), &other),
                     -1);
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, without(ALL, 3), &other), -1);
}

/* Relay 1 reaches no other: those are kept. */
UNIT_TEST(a_relay_that_is_cut_off_is_left_out_alone)
{
    coll_mtree_unreached_t unreached = {0};
    int other = -1;

    for (uint32_t i = 2; i < 5; i++) {
        ck_assert(coll_mtree_unreached_add(&unreached, 1, i));
    }
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, ALL, &other), 1);
    ck_assert_int_eq(other, 2);
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, without(ALL, 1), &other), -1);
}

/* It was in a pair with one that has been left out since. */
UNIT_TEST(earlier_pairs_count)
{
    coll_mtree_unreached_t unreached = {0};
    int other = -1;

    ck_assert(coll_mtree_unreached_add(&unreached, 1, 2));
    ck_assert(coll_mtree_unreached_add(&unreached, 1, 3));
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, without(ALL, 2), &other), 1);
    ck_assert_int_eq(other, 3);
}

UNIT_TEST(no_pair_is_made_of_what_is_no_relay)
{
    coll_mtree_unreached_t unreached = {0};
    int other = -1;

    ck_assert(!coll_mtree_unreached_add(&unreached, 1, 1));
    ck_assert(!coll_mtree_unreached_add(&unreached, 1, COLL_MTREE_UNREACHED_RELAYS));
    ck_assert(!coll_mtree_unreached_add(&unreached, UINT32_MAX, 1));
    ck_assert_int_eq(coll_mtree_unreached_worst(&unreached, ALL, &other), -1);
}
