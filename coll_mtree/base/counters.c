/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/counters.h"

#include <stdatomic.h>

static struct {
    atomic_uint_fast64_t chunks, chunk_bytes, replans, probe_bytes, scratch, most_scratch;
} counters;

static void add(atomic_uint_fast64_t *counter, uint64_t number)
{
    atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
}

void coll_mtree_counters_add_chunk(size_t bytes)
{
    add(&counters.chunks, 1);
    add(&counters.chunk_bytes, bytes);
}

void coll_mtree_counters_add_replan(void)
{
    add(&counters.replans, 1);
}

void coll_mtree_counters_add_probe(size_t bytes)
{
    add(&counters.probe_bytes, bytes);
}

void coll_mtree_counters_add_scratch(ptrdiff_t bytes)
{
    uint_fast64_t now =
        atomic_fetch_add(&counters.scratch, (uint_fast64_t)bytes) + (uint_fast64_t)bytes;
    uint_fast64_t most = atomic_load(&counters.most_scratch);

    while (now > most && bytes > 0 &&
           !atomic_compare_exchange_weak(&counters.most_scratch, &most, now)) {}
}

coll_mtree_counters_t coll_mtree_counters_get(void)
{
    return (coll_mtree_counters_t){.chunks = atomic_load(&counters.chunks),
                                   .chunk_bytes = atomic_load(&counters.chunk_bytes),
                                   .replans = atomic_load(&counters.replans),
                                   .probe_bytes = atomic_load(&counters.probe_bytes),
                                   .scratch = atomic_load(&counters.scratch),
                                   .most_scratch = atomic_load(&counters.most_scratch)};
}
