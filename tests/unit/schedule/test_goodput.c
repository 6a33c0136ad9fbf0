/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counts as the pace of a link: a pressed peer's, from the first that it took on.
 */
#include "schedule/goodput.h"
#include "tests/unit/runner.h"

static mtree_goodput_t *goodput; /* of two peers */

static void create(void)
{
    static mtree_peer_t peers[2] = {{.rank = 3}, {.rank = 7}};
    static const mtree_layout_t layout = {
        .num_streams = 2, .num_peers = 2, .peers = peers};

    goodput = mtree_goodput_create(&layout);
}

static void destroy(void)
{
    mtree_goodput_destroy(goodput);
}

UNIT_TEST(a_peer_that_comes_late_was_not_backlogged)
{
    mtree_goodput_backlog(goodput, 0, true, 1.0);
    mtree_goodput_sent(goodput, 0, 0, 100, 9.0);
    mtree_goodput_backlog(goodput, 0, true, 9.0);
    mtree_goodput_sent(goodput, 0, 1, 50, 10.0);
    mtree_goodput_backlog(goodput, 0, false, 10.5);
    mtree_goodput_sent(goodput, 0, 1, 25, 11.0);
    ck_assert_int_eq(goodput->links[0].rank, 3);
    ck_assert_double_eq(goodput->links[0].bytes, 175);
    ck_assert_double_eq(goodput->links[0].backlogged_bytes, 50);
    ck_assert_double_eq(goodput->links[0].backlogged_seconds, 1.5);
    ck_assert_double_eq(goodput->links[1].bytes, 0);
}

UNIT_TEST(backlogged_times_add_up)
{
    mtree_goodput_sent(goodput, 1, 0, 8, 1.0);
    for (int i = 2; i < 6; i++) {
        mtree_goodput_backlog(goodput, 1, true, i);
        mtree_goodput_backlog(goodput, 1, true, i + 0.125);
        mtree_goodput_sent(goodput, 1, 0, 8, i + 0.25);
        mtree_goodput_backlog(goodput, 1, false, i + 0.5);
        mtree_goodput_backlog(goodput, 1, false, i + 0.75);
    }
    ck_assert_double_eq(goodput->links[1].backlogged_bytes, 32);
    ck_assert_double_eq(goodput->links[1].backlogged_seconds, 2);
    ck_assert_double_eq(goodput->links[0].backlogged_seconds, 0);
}

UNIT_TEST(trees_end_with_their_last_message)
{
    mtree_goodput_moved(goodput, 1, 10, 2.0);
    mtree_goodput_sent(goodput, 0, 0, 20, 3.0);
    mtree_goodput_moved(goodput, 1, 30, 5.0);
    ck_assert_double_eq(goodput->begin, 2);
    ck_assert_double_eq(mtree_goodput_seconds(goodput), 3);
    ck_assert_double_eq(goodput->trees[0].end, 3);
    ck_assert_double_eq(goodput->trees[1].end, 5);
    ck_assert_double_eq(goodput->trees[1].bytes, 40);
    mtree_goodput_begin(goodput);
    ck_assert_double_eq(goodput->trees[1].bytes + goodput->links[0].bytes, 0);
    ck_assert_int_eq(goodput->links[1].rank, 7);
}

UNIT_FIXTURE(create, destroy)
