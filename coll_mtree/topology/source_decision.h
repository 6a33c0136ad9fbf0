/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rank 0 decides while no topology of a communicator's hosts is in force: wait,
 * probe, use one that it has, or never serve the communicator.
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
    COLL_MTREE_SOURCE_WAIT /* the fallback serves until the next look */
} coll_mtree_source_decision_t;

/* What rank 0 knows at the first call. */
typedef struct {
    int num_hosts;
    coll_mtree_topology_choice_t choice;
    bool is_known;  /* this process has learned a topology with all hosts */
    bool is_cached; /* the cache has one */
} coll_mtree_source_facts_t;

/* At the first call; NEVER with fewer than two hosts. */
coll_mtree_source_decision_t
coll_mtree_source_decide_first(const coll_mtree_source_facts_t *facts);

/* Calls whose times the ranks compare one by one. */
#define COLL_MTREE_SOURCE_RECENT 64

/* What a rank spent in calls that mtree could have served, seconds. */
typedef struct {
    double all;
    float recent[COLL_MTREE_SOURCE_RECENT]; /* by the number of the call; 0: none yet */
} coll_mtree_source_spent_t;

/*
 * At a later call: PROBE when all @a ranks ranks together lost more in such calls than
 * coll_mtree_source_payback_seconds(), otherwise WAIT; rank i spent @a spent [i].  What a
 * rank waits for others is no fault of the network: of each call the least time of a rank
 * counts, as far as the last calls show it, and of all calls that of the rank that was in
 * them least.
 */
coll_mtree_source_decision_t
coll_mtree_source_decide_again(const coll_mtree_source_spent_t *spent, int ranks,
                               double payback_seconds);

/* Seconds in calls from which on a probe of @a num_hosts hosts pays back, when a probe
 * may take @a budget seconds. */
double coll_mtree_source_payback_seconds(int num_hosts, double budget);

/* The number of the call at which rank 0 decides after it has at call @a calls. */
unsigned coll_mtree_source_next_look(unsigned calls);

#endif
