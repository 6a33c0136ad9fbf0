/* SPDX-License-Identifier: BSD-3-Clause */
/* Why mtree does not serve a communicator. */
#include "coll_mtree/obstacle.h"
#include "tests/unit/runner.h"

UNIT_TEST(every_obstacle_has_a_text)
{
    ck_assert_ptr_null(coll_mtree_obstacle_text(COLL_MTREE_OBSTACLE_NONE));
    for (int o = 1; o < COLL_MTREE_OBSTACLES; o++) {
        ck_assert_ptr_nonnull(coll_mtree_obstacle_text((coll_mtree_obstacle_t)o));
    }
    ck_assert_str_eq(coll_mtree_obstacle_text(COLL_MTREE_OBSTACLE_ONE_HOST),
                     "all its ranks run on one host");
}

/* Ranks on several hosts may send all the same; what was asked for is no news. */
UNIT_LOOP(some_leave_hosts_and_some_are_news, 0, 7)
{
    static const struct {
        coll_mtree_obstacle_t obstacle;
        bool leaves_hosts, is_news;
    } facts[] = {{COLL_MTREE_OBSTACLE_NONE, false, false},
                 {COLL_MTREE_OBSTACLE_ONE_RANK, false, false},
                 {COLL_MTREE_OBSTACLE_ONE_HOST, false, true},
                 {COLL_MTREE_OBSTACLE_NO_TOPOLOGY, true, false},
                 {COLL_MTREE_OBSTACLE_INTERCOMM, true, true},
                 {COLL_MTREE_OBSTACLE_DIFFERENT, true, false},
                 {COLL_MTREE_OBSTACLE_PRIORITY, true, true}};

    ck_assert_int_eq(coll_mtree_obstacle_leaves_hosts(facts[_i].obstacle),
                     facts[_i].leaves_hosts);
    ck_assert_int_eq(coll_mtree_obstacle_is_news(facts[_i].obstacle), facts[_i].is_news);
}
