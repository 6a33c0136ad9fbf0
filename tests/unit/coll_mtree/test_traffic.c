/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of one process sent to other hosts, and what a rank reports of it.
 */
#include "coll_mtree/call/replan_schedule.h"
#include "tests/unit/runner.h"

static const int host[] = {0, 1, 1, 0};
static mtree_goodput_link_t links[] = {
    {.rank = 1, .bytes = 100, .backlogged_bytes = 40, .backlogged_seconds = 0.5},
    {.rank = 2, .bytes = 10},
    {.rank = 3, .bytes = 7}};
static mtree_goodput_t goodput = {.begin = 5, .end = 7, .num_links = 3, .links = links};

UNIT_TEST(calls_add_up_by_host_and_leave_out_their_own)
{
    UNIT_FREED coll_mtree_traffic_t *traffic = coll_mtree_traffic_create(2);

    coll_mtree_traffic_add_call(traffic, &goodput, 0.5, host, 0);
    coll_mtree_traffic_add_call(traffic, &goodput, 0.5, host, 0);
    ck_assert_double_eq(traffic->seconds, 4);
    ck_assert_double_eq(traffic->paths[0].bytes, 0);
    ck_assert_double_eq(traffic->paths[1].bytes, 110);
    ck_assert_double_eq(traffic->paths[1].backlogged_bytes, 40);
    ck_assert_double_eq(traffic->paths[1].backlogged_seconds, 1);
}

UNIT_TEST(a_call_that_was_not_measured_adds_nothing)
{
    UNIT_FREED coll_mtree_traffic_t *traffic = coll_mtree_traffic_create(2);

    coll_mtree_traffic_add_call(traffic, NULL, 1, host, 0);
    ck_assert_double_eq(traffic->seconds, 0);
    ck_assert_double_eq(traffic->paths[1].bytes, 0);
}

#define MOST_HOSTS 40

static mtree_placement_t *placement;
static coll_mtree_traffic_t *packed;
static mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS];

static void forget(void)
{
    free(packed);
    mtree_placement_destroy(placement);
}

/* Rank r runs on host r. */
static void place(int num_hosts)
{
    int host[MOST_HOSTS];

    for (int h = 0; h < num_hosts; h++) {
        host[h] = h;
    }
    packed = coll_mtree_traffic_create((size_t)num_hosts);
    unit_ok(mtree_placement_create(num_hosts, num_hosts, host, NULL, &placement));
}

UNIT_TEST(rates_are_bits_per_second)
{
    place(3);
    packed->paths[2] = (mtree_path_total_t){
        .bytes = 3000, .backlogged_bytes = 1000, .backlogged_seconds = 0.5};
    packed->seconds = 2;
    coll_mtree_traffic_pack(placement, 1, packed, NULL, samples);
    ck_assert_int_eq(samples[0].from, 1);
    ck_assert_int_eq(samples[0].to, 2);
    ck_assert_float_eq(samples[0].rate, 12000);
    ck_assert_float_eq(samples[0].backlogged, 0.25F);
    ck_assert_float_eq(samples[0].backlogged_rate, 16000);
    ck_assert_float_eq(samples[1].rate, 0);
    ck_assert_float_eq(samples[1].backlogged_rate, 0);
}

UNIT_TEST(the_most_backlogged_paths_are_reported)
{
    place(MOST_HOSTS);
    for (int h = 1; h < MOST_HOSTS; h++) {
        packed->paths[h].bytes = 100;
        packed->paths[h].backlogged_seconds = h % 2 == 0 ? 0 : 0.01 * h;
    }
    packed->seconds = 1;
    coll_mtree_traffic_pack(placement, 0, packed, NULL, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_int_eq(samples[i].to, MOST_HOSTS - 1 - 2 * i);
    }
}

/* However little went over them, and even if nothing was measured. */
UNIT_LOOP(links_that_are_gone_or_lost_are_reported_first, 0, 2)
{
    mtree_link_state_t links[MOST_HOSTS] = {[9] = MTREE_LINK_LOST, [7] = MTREE_LINK_GONE};

    place(MOST_HOSTS);
    for (int h = 10; h < MOST_HOSTS; h++) {
        packed->paths[h].backlogged_seconds = 1;
    }
    packed->seconds = _i;
    coll_mtree_traffic_pack(placement, 0, packed, links, samples);
    ck_assert_int_eq(samples[0].to, 7);
    ck_assert_int_eq(samples[0].link, MTREE_LINK_GONE);
    ck_assert_int_eq(samples[1].to, 9);
    ck_assert_int_eq(samples[1].link, MTREE_LINK_LOST);
    ck_assert_int_eq(samples[2].link, MTREE_LINK_CARRIES);
}

UNIT_TEST(nothing_is_reported_of_no_time)
{
    place(2);
    packed->paths[1].bytes = 100;
    samples[0].rate = 7;
    coll_mtree_traffic_pack(placement, 0, packed, NULL, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_float_eq(samples[i].rate, 0);
    }
}

UNIT_FIXTURE(NULL, forget)
