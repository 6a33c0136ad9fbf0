/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/counters.h"

#include <stdatomic.h>

static atomic_uint_fast64_t counters[COLL_MTREE_COUNTERS];

void coll_mtree_counter_add(unsigned counter, uint64_t number)
{
    atomic_fetch_add_explicit(&counters[counter], number, memory_order_relaxed);
}

uint64_t coll_mtree_counter_get(unsigned counter)
{
    return atomic_load(&counters[counter]);
}

void coll_mtree_counters_add_chunk(size_t bytes)
{
    coll_mtree_counter_add(COLL_MTREE_COUNT_CHUNKS, 1);
    coll_mtree_counter_add(COLL_MTREE_COUNT_CHUNK_BYTES, bytes);
}

void coll_mtree_counters_add_probe(size_t bytes)
{
    coll_mtree_counter_add(COLL_MTREE_COUNT_PROBE_BYTES, bytes);
}

void coll_mtree_counters_add_scratch(ptrdiff_t bytes)
{
    atomic_uint_fast64_t *scratch = &counters[COLL_MTREE_COUNT_SCRATCH];
    atomic_uint_fast64_t *most_scratch = &counters[COLL_MTREE_COUNT_MOST_SCRATCH];
    uint_fast64_t now =
        atomic_fetch_add(scratch, (uint_fast64_t)bytes) + (uint_fast64_t)bytes;
    uint_fast64_t most = atomic_load(most_scratch);

    while (now > most && bytes > 0 &&
           !atomic_compare_exchange_weak(most_scratch, &most, now)) {}
}
