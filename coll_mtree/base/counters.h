/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of this process that any thread adds to, for each message.
 */
#ifndef COLL_MTREE_BASE_COUNTERS_H
#define COLL_MTREE_BASE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* All only grow, except for scratch. */
typedef struct {
    uint64_t chunks;       /* messages sent for mtree's calls, credits left out */
    uint64_t chunk_bytes;  /* that they held */
    uint64_t replans;      /* times that a communicator gave its plans up for new ones */
    uint64_t probe_bytes;  /* sent for probing the network */
    uint64_t scratch;      /* bytes of receive slots in use */
    uint64_t most_scratch; /* the most there were */
} coll_mtree_counters_t;

void coll_mtree_counters_add_chunk(size_t bytes);
void coll_mtree_counters_add_replan(void);
void coll_mtree_counters_add_probe(size_t bytes);

/* @a bytes is negative when receive slots are freed. */
void coll_mtree_counters_add_scratch(ptrdiff_t bytes);

/* What they are now. */
coll_mtree_counters_t coll_mtree_counters_get(void);

#endif
