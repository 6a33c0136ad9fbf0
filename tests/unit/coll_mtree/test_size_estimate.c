/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/size_estimate.h"
#include "tests/unit/runner.h"

/* The calls of the first 100 at which the ranks agree. */
UNIT_TEST(agrees_now_and_then)
{
    static const int due[] = {1, 2, 4, 8, 16, 32, 64, 96};
    coll_mtree_size_estimate_t estimate = {0};
    double mean;
    size_t at = 0;

    for (int call = 1; call <= 100; call++) {
        bool agrees = coll_mtree_size_estimate_add(&estimate, 10, &mean);

        ck_assert_int_eq(agrees, at < sizeof(due) / sizeof(due[0]) && due[at] == call);
        at += agrees;
    }
}

UNIT_TEST(takes_the_mean_since_the_last_time)
{
    coll_mtree_size_estimate_t estimate = {0};
    double mean;

    ck_assert(coll_mtree_size_estimate_add(&estimate, 100, &mean));
    ck_assert_double_eq(mean, 100);
    ck_assert(!estimate.is_agreed);
    coll_mtree_size_estimate_set(&estimate, 700);
    ck_assert(estimate.is_agreed);
    ck_assert_double_eq(estimate.agreed, 700);
    ck_assert(coll_mtree_size_estimate_add(&estimate, 30, &mean));
    ck_assert_double_eq(mean, 30);
    coll_mtree_size_estimate_set(&estimate, 0);
    ck_assert_double_eq(estimate.agreed, 0);
    ck_assert(!coll_mtree_size_estimate_add(&estimate, 1, &mean));
    ck_assert(coll_mtree_size_estimate_add(&estimate, 4, &mean));
    ck_assert_double_eq(mean, 2.5);
}
