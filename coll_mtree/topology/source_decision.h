/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rank 0 decides at the first call of a communicator: use a topology that it has,
 * probe, wait for a call that is worth it, or never serve the communicator.
 */
#ifndef COLL_MTREE_TOPOLOGY_SOURCE_DECISION_H
#define COLL_MTREE_TOPOLOGY_SOURCE_DECISION_H

#include "coll_mtree/base/params.h"

#include <stdbool.h>

/* Every rank does what rank 0 has decided. */
typedef enum {
    COLL_MTREE_SOURCE_NEVER, /* there will be no topology; also where an exchange fails */
    COLL_MTREE_SOURCE_READY, /* rank 0 has one, and so has each rank that needs it */
    COLL_MTREE_SOURCE_SEND,  /* rank 0 has one that the others do not have */
    COLL_MTREE_SOURCE_PROBE,
    COLL_MTREE_SOURCE_WAIT /* the fallback serves until a long call, which probes */
} coll_mtree_source_decision_t;

/* What rank 0 knows at the first call. */
typedef struct {
    int num_hosts;
    coll_mtree_topology_choice_t choice;
    bool is_known;  /* this process has learned a topology with all hosts */
    bool is_cached; /* the cache has one */
} coll_mtree_source_facts_t;

/* NEVER with fewer than two hosts. */
coll_mtree_source_decision_t
coll_mtree_source_decide(const coll_mtree_source_facts_t *facts);

#endif
