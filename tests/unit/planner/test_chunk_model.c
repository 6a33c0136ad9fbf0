/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/chunk_times.h"
#include "planner/plan/finish.h"
#include "tests/unit/runner.h"

#define OVERHEAD 1e-4

/* Host 0 is the root; 1 and 2 hang on it, 3 on 2: the way over 2 is the longest. */
static int parent[] = {-1, 0, 0, 2};
static double latency[] = {0, 0.05, 0.1, 0.3};
static const mtree_tree_t tree = {
    .root = 0, .rate = 80e6, .share = 1, .parent = parent, .latency = latency};

UNIT_TEST(test_path_is_the_longest_and_doubles_for_allreduce)
{
    mtree_chunk_path_t path = mtree_chunk_path(&tree, 4, MTREE_REDUCE);

    ck_assert_int_eq(path.num_links, 2);
    ck_assert_double_eq_tol(path.latency_sum, 0.4, 1e-12);
    ck_assert_double_eq_tol(path.latency_max, 0.3, 1e-12);
    ck_assert_double_eq(path.rate, 80e6);
    path = mtree_chunk_path(&tree, 4, MTREE_ALLREDUCE);
    ck_assert_int_eq(path.num_links, 4);
    ck_assert_double_eq_tol(path.latency_sum, 0.8, 1e-12);
    ck_assert_double_eq_tol(path.latency_max, 0.3, 1e-12);
}

/* l = 4 links of 0.3 s at most, 0.8 s in sum, beta = 1e-7 s per byte, v = 1e8 bytes (10
 * s).
 */
UNIT_TEST(test_published_worked_example)
{
    mtree_chunk_path_t path = mtree_chunk_path(&tree, 4, MTREE_ALLREDUCE);

    /* mu* = sqrt(1e8 0.3 / (3 1e-7)) = 1e7, lambda* = 10. */
    ck_assert_double_eq_tol(mtree_chunk_published_size(&path, 1e8), 1e7, 1);
    unit_near(mtree_chunk_published_count(&path, 1e8), 10);
    /* 0.8 + 9 0.3 + 3 1 + 10 */
    unit_near(mtree_chunk_published_time(&path, 1e8, 1e7), 16.5);
    unit_near(mtree_chunk_published_time_of_count(&path, 1e8, 10), 16.5);
    /* One message: 0.8 + 3 10 + 10; so does lambda# = 100 chunks. */
    unit_near(mtree_chunk_published_time(&path, 1e8, 1e8), 40.8);
    unit_near(mtree_chunk_published_break_even(&path, 1e8), 100);
    unit_near(mtree_chunk_published_time_of_count(&path, 1e8, 100), 40.8);
}

/* Seconds when a link's latency is paid once, and OVERHEAD for each chunk at each hop. */
static double production_time(const mtree_chunk_path_t *path, double bytes, double chunk)
{
    return path->latency_sum +
           (path->num_links - 1 + bytes / chunk) * (8 * chunk / path->rate + OVERHEAD);
}

UNIT_TEST(test_best_sizes_beat_their_neighbours)
{
    mtree_chunk_path_t path = mtree_chunk_path(&tree, 4, MTREE_ALLREDUCE);
    double published = mtree_chunk_published_size(&path, 3e7);
    double production = mtree_chunk_size(path.num_links, path.rate, 3e7, OVERHEAD);
    double factor;

    for (factor = 0.25; factor < 2; factor += 0.25) {
        if (factor == 1) {
            continue;
        }
        ck_assert_double_gt(mtree_chunk_published_time(&path, 3e7, published * factor),
                            mtree_chunk_published_time(&path, 3e7, published));
        ck_assert_double_gt(production_time(&path, 3e7, production * factor),
                            production_time(&path, 3e7, production));
    }
    /* Overhead is far below latency, so production cuts finer. */
    ck_assert_double_lt(production, published);
}

UNIT_TEST(test_nothing_to_pipeline)
{
    mtree_chunk_path_t one_link = {
        .num_links = 1, .latency_sum = 0.1, .latency_max = 0.1, .rate = 8e6};
    mtree_chunk_path_t no_link = {.rate = 8e6};

    ck_assert_double_eq(mtree_chunk_published_size(&one_link, 1e6), 1e6);
    ck_assert_double_eq(mtree_chunk_size(1, 8e6, 1e6, 1e-5), 1e6);
    ck_assert_double_eq(mtree_chunk_published_count(&one_link, 1e6), 1);
    unit_near(mtree_chunk_published_time(&one_link, 1e6, 1e6), 1.1);
    ck_assert_double_eq(mtree_chunk_published_time(&no_link, 1e6, 1e6), 0);
}

UNIT_TEST(test_best_size_never_exceeds_the_message)
{
    mtree_chunk_path_t path = {
        .num_links = 4, .latency_sum = 0.8, .latency_max = 0.3, .rate = 80e6};

    ck_assert_double_eq(mtree_chunk_published_size(&path, 100), 100);
    ck_assert_double_eq(mtree_chunk_published_count(&path, 100), 1);
}

UNIT_TEST(test_whole_bytes)
{
    ck_assert_uint_eq(mtree_chunk_bytes(0), 1);
    ck_assert_uint_eq(mtree_chunk_bytes(12.5), 13);
    ck_assert_uint_eq(mtree_chunk_bytes(64), 64);
    ck_assert_uint_eq(mtree_chunk_bytes(64.5), 128);
}
