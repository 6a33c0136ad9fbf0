/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrivals of a stream are kept in bounded room, and make marks at equal intervals.
 */
#include "coll_mtree/probe/stream_arrivals.h"
#include "tests/unit/runner.h"

/* A stream of @a count messages of 1,000 bytes on the wire, one each millisecond. */
static void add(coll_mtree_stream_arrivals_t *arrivals, int count)
{
    for (int i = 1; i <= count; i++) {
        coll_mtree_stream_arrivals_add(arrivals, 0.001 * i, 910.0 * i, i);
    }
}

UNIT_TEST(few_arrivals_tell_nothing)
{
    coll_mtree_stream_arrivals_t arrivals = {0};
    mtree_probe_result_t result = {0};

    coll_mtree_stream_arrivals_report(&arrivals, 1, &result);
    ck_assert(result.failed);
    add(&arrivals, COLL_MTREE_STREAM_LEAST_ARRIVALS - 1);
    coll_mtree_stream_arrivals_report(&arrivals, 1, &result);
    ck_assert(result.failed);
}

UNIT_TEST(marks_are_at_equal_intervals_and_count_headers)
{
    static coll_mtree_stream_arrivals_t arrivals;
    mtree_probe_result_t result = {.failed = true};

    add(&arrivals, 100);
    coll_mtree_stream_arrivals_report(&arrivals, 1, &result);
    ck_assert(!result.failed);
    ck_assert_int_eq(result.num_samples, 49);
    for (int i = 0; i < result.num_samples; i++) {
        double seconds = 0.001 + 0.099 * i / 48;

        ck_assert_double_eq_tol(result.samples[i].seconds, seconds, 1e-9);
        ck_assert_double_eq_tol(result.samples[i].bytes, 1e6 * seconds, 1e-3);
    }
}

UNIT_TEST(marks_end_when_the_sender_did)
{
    static coll_mtree_stream_arrivals_t arrivals;
    mtree_probe_result_t result;

    add(&arrivals, 100);
    coll_mtree_stream_arrivals_report(&arrivals, 0.05, &result);
    ck_assert_double_eq_tol(result.samples[48].seconds, 0.05, 1e-9);
    /* One that says no time, or one before the first byte, has no rate. */
    coll_mtree_stream_arrivals_report(&arrivals, 0, &result);
    ck_assert_double_eq_tol(result.samples[48].seconds, result.samples[0].seconds, 1e-12);
}

UNIT_TEST(many_arrivals_are_thinned)
{
    static coll_mtree_stream_arrivals_t arrivals;
    mtree_probe_result_t result;

    add(&arrivals, 20 * COLL_MTREE_STREAM_MOST_ARRIVALS);
    ck_assert_int_le(arrivals.count, COLL_MTREE_STREAM_MOST_ARRIVALS);
    ck_assert_int_gt(arrivals.count, COLL_MTREE_STREAM_MOST_ARRIVALS / 4);
    coll_mtree_stream_arrivals_report(&arrivals, 100, &result);
    ck_assert(!result.failed);
    /* The last byte is a mark, whatever was left out. */
    ck_assert_double_eq_tol(result.samples[48].seconds, 0.001 * 20 * 512, 1e-9);
    ck_assert_double_eq_tol(result.samples[48].bytes, 1000.0 * 20 * 512, 1e-3);
}
