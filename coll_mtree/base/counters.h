/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of this process, to which any thread adds, for each call or message: by
 * backend, which is what serves a call, and by the reason for which Open MPI does.
 */
#ifndef COLL_MTREE_BASE_COUNTERS_H
#define COLL_MTREE_BASE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    COLL_MTREE_TREES,    /* mtree, over the trees of a plan */
    COLL_MTREE_FALLBACK, /* the function that was installed before mtree */
    COLL_MTREE_BACKENDS
} coll_mtree_backend_t;

/* Why the fallback serves a call. */
typedef enum {
    COLL_MTREE_REASON_CALL,
    COLL_MTREE_REASON_INTERNAL,
    COLL_MTREE_REASON_GROUP,
    COLL_MTREE_REASON_TAGS,
    COLL_MTREE_REASON_TOPOLOGY,
    COLL_MTREE_REASON_PLAN,
    COLL_MTREE_REASON_FORECAST,
    COLL_MTREE_REASON_ORDER,
    COLL_MTREE_REASONS
} coll_mtree_fallback_reason_t;

/* A reason's name, for programs. */
const char *coll_mtree_reason_name(coll_mtree_fallback_reason_t reason);

/* The same for people: a clause that follows "since". */
const char *coll_mtree_reason_text(coll_mtree_fallback_reason_t reason);

/* All only grow, except for scratch. */
typedef enum {
    COLL_MTREE_COUNT_CALLS, /* and the following: by backend */
    COLL_MTREE_COUNT_BYTES = COLL_MTREE_COUNT_CALLS + COLL_MTREE_BACKENDS, /* of calls */
    /* Calls of the fallback, by reason. */
    COLL_MTREE_COUNT_REASON = COLL_MTREE_COUNT_BYTES + COLL_MTREE_BACKENDS,
    /* Messages sent for mtree's calls, credits left out, and the bytes that they held. */
    COLL_MTREE_COUNT_CHUNKS = COLL_MTREE_COUNT_REASON + COLL_MTREE_REASONS,
    COLL_MTREE_COUNT_CHUNK_BYTES,
    COLL_MTREE_COUNT_PLANS,        /* agreed on by this rank */
    COLL_MTREE_COUNT_REPLANS,      /* times that a communicator gave its plans up */
    COLL_MTREE_COUNT_PROBE_BYTES,  /* sent for probing the network */
    COLL_MTREE_COUNT_SCRATCH,      /* bytes of receive slots in use */
    COLL_MTREE_COUNT_MOST_SCRATCH, /* the most there were */
    COLL_MTREE_COUNTERS
} coll_mtree_counter_t;

/* @a counter: one of coll_mtree_counter_t, or a later one by backend or reason. */
void coll_mtree_counter_add(unsigned counter, uint64_t number);
uint64_t coll_mtree_counter_get(unsigned counter);

void coll_mtree_counters_add_chunk(size_t bytes);
void coll_mtree_counters_add_probe(size_t bytes);

/* @a bytes is negative when receive slots are freed. */
void coll_mtree_counters_add_scratch(ptrdiff_t bytes);

#endif
