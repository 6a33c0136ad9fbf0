/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/counters.h"

#include <stdatomic.h>

typedef struct {
    const char *name, *text;
} reason_t;

// clang-format off
static const reason_t reasons[COLL_MTREE_REASONS] = {
    [COLL_MTREE_REASON_CALL] = {
        "call", "mtree does not serve such an operation, datatype or size"},
    [COLL_MTREE_REASON_INTERNAL] = {
        "internal", "it is nonblocking and so short that it may be Open MPI's own"},
    [COLL_MTREE_REASON_GROUP] = {
        "group", "mtree cannot serve these processes (coll_mtree_verbose 1 tells why)"},
    [COLL_MTREE_REASON_TAGS] = {
        "tags", "no tags are left: free persistent requests, or start them again"},
    [COLL_MTREE_REASON_TOPOLOGY] = {
        "topology", "the topology was not known yet"},
    [COLL_MTREE_REASON_PLAN] = {
        "plan", "no plan could be made for it"},
    [COLL_MTREE_REASON_FORECAST] = {
        "forecast", "Open MPI was expected to be faster"},
    [COLL_MTREE_REASON_ORDER] = {
        "order", "trees would combine in another order than the calls before"},
};
// clang-format on

const char *coll_mtree_reason_name(coll_mtree_fallback_reason_t reason)
{
    return reasons[reason].name;
}

const char *coll_mtree_reason_text(coll_mtree_fallback_reason_t reason)
{
    return reasons[reason].text;
}

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
