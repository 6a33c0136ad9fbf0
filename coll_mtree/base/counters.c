/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/counters.h"

#include <stdatomic.h>

static atomic_uint_fast64_t chunks, chunk_bytes, replans, probe_bytes, scratch,
    most_scratch;

static void add(atomic_uint_fast64_t *counter, uint64_t number)
{
    atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
}

void coll_mtree_counters_add_chunk(size_t bytes)
{
    add(&chunks, 1);
    add(&chunk_bytes, bytes);
}

void coll_mtree_counters_add_replan(void)
{
    add(&replans, 1);
}

void coll_mtree_counters_add_probe(size_t bytes)
{
    add(&probe_bytes, bytes);
}

void coll_mtree_counters_add_scratch(ptrdiff_t bytes)
{
    uint_fast64_t now =
        atomic_fetch_add(&scratch, (uint_fast64_t)bytes) + (uint_fast64_t)bytes;
    uint_fast64_t most = atomic_load(&most_scratch);

    while (now > most && bytes > 0 &&
           !atomic_compare_exchange_weak(&most_scratch, &most, now)) {}
}

coll_mtree_counters_t coll_mtree_counters_get(void)
{
    return (coll_mtree_counters_t){.chunks = atomic_load(&chunks),
                                   .chunk_bytes = atomic_load(&chunk_bytes),
                                   .replans = atomic_load(&replans),
                                   .probe_bytes = atomic_load(&probe_bytes),
                                   .scratch = atomic_load(&scratch),
                                   .most_scratch = atomic_load(&most_scratch)};
}
