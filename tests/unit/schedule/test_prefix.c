/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How scans cut the vector: the streams from one rank to the next bring each unit once,
 * and each has its share of every part of the vector.
 */
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/random_parts.h"
#include "tests/unit/whole_plan.h"

#define CASES 300
#define UNITS 3000

static mtree_layout_t *layout_of(const mtree_plan_t *plan,
                                 const mtree_placement_t *placement, size_t units,
                                 int rank)
{
    const mtree_call_t call = {.collective = MTREE_SCAN,
                               .units = units,
                               .unit_bytes = 4,
                               .chunk_bytes = 4 * (1 + (size_t)random_draw(40)),
                               .longest_bytes = 4 * (1 + (size_t)random_draw(40))};
    mtree_layout_t *layout = NULL;

    unit_ok(layout_from_plan(plan, placement, &call, rank, &layout));
    for (int i = 0; i < layout->num_in; i++) {
        const mtree_stream_t *stream = &layout->streams[layout->first_in + i];

        ck_assert_uint_le(stream->chunk * call.unit_bytes,
                          call.chunk_bytes < call.longest_bytes ? call.chunk_bytes
                                                                : call.longest_bytes);
    }
    return layout;
}

/* Count in @a times how often @a stream brings each unit. */
static void count_units(const mtree_stream_t *stream, int *times)
{
    for (size_t i = 0; i < stream->length; i++) {
        times[stream->offset + i / stream->chunk * stream->stride + i % stream->chunk]++;
    }
}

static void verify(const mtree_layout_t *layout, size_t units)
{
    int times[UNITS] = {0}, once = 0;
    size_t stride = layout->streams[layout->first_in].stride;

    for (int i = 0; i < layout->num_in; i++) {
        const mtree_stream_t *stream = &layout->streams[layout->first_in + i];

        count_units(stream, times);
        ck_assert_uint_eq(stream->stride, stride);
        ck_assert(stream->length == 0 || stream->offset + stream->chunk <= stride);
    }
    for (size_t i = 0; i < units; i++) {
        once += times[i] == 1;
    }
    ck_assert_int_eq(once, (int)units);
}

UNIT_TEST(each_rank_gets_every_unit_once)
{
    for (int i = 0; i < CASES; i++) {
        OWNED(plan) *plan = NULL;
        OWNED(placement) *placement = NULL;
        int hosts, ranks;
        size_t units;

        random_seed((unsigned)i + 1);
        hosts = 2 + random_draw(6);
        ranks = hosts + random_draw(6);
        units = 1 + (size_t)random_draw(UNITS);
        plan = random_plan(MTREE_SCAN, -1, hosts, 1 + random_draw(4));
        placement = random_placement(hosts, ranks, 0);
        for (int rank = 1; rank < ranks; rank++) {
            OWNED(layout) *layout = layout_of(plan, placement, units, rank);

            verify(layout, units);
        }
    }
}
