/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of several threads that a relay refuses, and which of the relays that cannot
 * reach each other are left out.
 */
#include "coll_mtree/relay/reports.h"
#include "tests/unit/runner.h"

#define ALL UINT64_MAX

static coll_mtree_reports_t reports;
static int other = -1;

static uint64_t without(uint64_t up, int relay)
{
    return up & ~(UINT64_C(1) << relay);
}

UNIT_TEST(of_two_the_one_that_is_dialed_is_left_out)
{
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, ALL, &other), -1);
    ck_assert(coll_mtree_reports_unreached(&reports, 3, 63));
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, ALL, &other), 63);
    ck_assert_int_eq(other, 3);
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, without(ALL, 63), &other), -1);
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, without(ALL, 3), &other), -1);
}

/* Relay 1 reaches no other: those are kept. */
UNIT_TEST(a_relay_that_is_cut_off_is_left_out_alone)
{
    for (uint32_t i = 2; i < 5; i++) {
        ck_assert(coll_mtree_reports_unreached(&reports, 1, i));
    }
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, ALL, &other), 1);
    ck_assert_int_eq(other, 2);
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, without(ALL, 1), &other), -1);
}

/* It was in a pair with one that has been left out since. */
UNIT_TEST(earlier_pairs_count)
{
    ck_assert(coll_mtree_reports_unreached(&reports, 1, 2));
    ck_assert(coll_mtree_reports_unreached(&reports, 1, 3));
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, without(ALL, 2), &other), 1);
    ck_assert_int_eq(other, 3);
}

UNIT_TEST(no_pair_is_made_of_what_is_no_relay)
{
    ck_assert(!coll_mtree_reports_unreached(&reports, 1, 1));
    ck_assert(!coll_mtree_reports_unreached(&reports, 1, COLL_MTREE_RELAYS));
    ck_assert(!coll_mtree_reports_unreached(&reports, UINT32_MAX, 1));
    ck_assert_int_eq(coll_mtree_reports_worst(&reports, ALL, &other), -1);
}

/* Each is known until as many others of its relay have followed as that has calls under
 * way. */
UNIT_TEST(no_refusal_hides_another)
{
    ck_assert(!coll_mtree_reports_has_refused(&reports, 5, 1, 1));
    for (uint32_t call = 1; call <= COLL_MTREE_REFUSALS; call++) {
        coll_mtree_reports_refused(&reports, 5, 3 + call % 2, call);
    }
    for (uint32_t call = 1; call <= COLL_MTREE_REFUSALS; call++) {
        ck_assert(coll_mtree_reports_has_refused(&reports, 5, 3 + call % 2, call));
        ck_assert(!coll_mtree_reports_has_refused(&reports, 5, 4 - call % 2, call));
    }
    coll_mtree_reports_refused(&reports, 5, 7, 1);
    ck_assert(!coll_mtree_reports_has_refused(&reports, 5, 4, 1));
    ck_assert(coll_mtree_reports_has_refused(&reports, 5, 3, 2));
    ck_assert(coll_mtree_reports_has_refused(&reports, 5, 7, 1));
    ck_assert(!coll_mtree_reports_has_refused(&reports, 4, 7, 1));
}
