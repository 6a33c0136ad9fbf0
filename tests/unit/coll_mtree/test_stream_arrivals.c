/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrivals of a stream are kept in bounded room: these are its rate samples. */
#include "coll_mtree/probe/stream_arrivals.h"

#include "coll_mtree/base/tuning.h"
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
    add(&arrivals, COLL_MTREE_LEAST_SAMPLES - 1);
    coll_mtree_stream_arrivals_report(&arrivals, 1, &result);
    ck_assert(result.failed);
}

UNIT_LOOP(few_arrivals_are_all_samples_and_count_headers, 0, 2)
{
    const int count = _i == 0 ? 50 : MTREE_PROBE_MAX_SAMPLES - 1;
    coll_mtree_stream_arrivals_t arrivals = {0};
    mtree_probe_result_t result = {.failed = true};

    add(&arrivals, count);
    coll_mtree_stream_arrivals_report(&arrivals, 1, &result);
    ck_assert(!result.failed);
    ck_assert_int_eq(result.num_samples, count);
    for (int i = 0; i < result.num_samples; i++) {
        unit_near(result.samples[i].seconds, 0.001 * (i + 1));
        ck_assert_double_eq_tol(result.samples[i].bytes, 1000.0 * (i + 1), 1e-3);
    }
}

UNIT_TEST(samples_end_when_the_sender_did)
{
    coll_mtree_stream_arrivals_t arrivals = {0};
    mtree_probe_result_t result;

    add(&arrivals, 40);
    coll_mtree_stream_arrivals_report(&arrivals, 0.02, &result);
    ck_assert(!result.failed);
    unit_near(result.samples[result.num_samples - 1].seconds, 0.02);
    /* One that says no time, or one before the first byte, has no rate. */
    coll_mtree_stream_arrivals_report(&arrivals, 0, &result);
    ck_assert(result.failed);
}

UNIT_LOOP(many_arrivals_are_thinned, 0, 40)
{
    coll_mtree_stream_arrivals_t arrivals = {0};
    mtree_probe_result_t result;
    int count = 100 + 37 * _i;

    add(&arrivals, count);
    coll_mtree_stream_arrivals_report(&arrivals, 100, &result);
    ck_assert(!result.failed);
    ck_assert_int_le(result.num_samples, MTREE_PROBE_MAX_SAMPLES);
    ck_assert_int_gt(result.num_samples, MTREE_PROBE_MAX_SAMPLES / 4);
    for (int i = 1; i < result.num_samples; i++) {
        double width = result.samples[i].seconds - result.samples[i - 1].seconds;

        ck_assert_double_gt(width, 0);
        ck_assert_double_le(width, 0.001 * count / 12);
    }
    /* The last byte is a sample, whatever was left out. */
    unit_near(result.samples[result.num_samples - 1].seconds, 0.001 * count);
    ck_assert_double_eq_tol(result.samples[result.num_samples - 1].bytes, 1000.0 * count,
                            1e-3);
}
