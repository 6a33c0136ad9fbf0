/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/source_decision.h"

#include <math.h>

/* A probe pays back once calls have taken PAYBACK times as long as it will take. */
#define PAYBACK 20.0

/* What a probe takes, measured in the lab: to set up, and per host. */
#define EXPECTED_SECONDS      1.0
#define EXPECTED_HOST_SECONDS 0.5

/* The first look after the one at call 1. */
#define FIRST_LOOK 16

coll_mtree_source_decision_t
coll_mtree_source_decide_first(const coll_mtree_source_facts_t *facts)
{
    if (facts->num_hosts < 2) {
        return COLL_MTREE_SOURCE_NEVER;
    }
    if (facts->is_known) {
        return COLL_MTREE_SOURCE_READY;
    }
    if (facts->choice == COLL_MTREE_TOPOLOGY_PROBE) {
        return COLL_MTREE_SOURCE_PROBE;
    }
    return facts->is_cached ? COLL_MTREE_SOURCE_SEND : COLL_MTREE_SOURCE_WAIT;
}

/* The part of the recent calls that the rank which was in them least spent there while
 * all others were, too. */
static double part_together(const coll_mtree_source_spent_t *spent, int ranks)
{
    double together = 0, least = INFINITY;

    for (int call = 0; call < COLL_MTREE_SOURCE_RECENT; call++) {
        double shortest = INFINITY;

        for (int rank = 0; rank < ranks; rank++) {
            shortest = fmin(shortest, (double)spent[rank].recent[call]);
        }
        together += shortest;
    }
    for (int rank = 0; rank < ranks; rank++) {
        double sum = 0;

        for (int call = 0; call < COLL_MTREE_SOURCE_RECENT; call++) {
            sum += (double)spent[rank].recent[call];
        }
        least = fmin(least, sum);
    }
    return least > 0 ? together / least : 0;
}

coll_mtree_source_decision_t
coll_mtree_source_decide_again(const coll_mtree_source_spent_t *spent, int ranks,
                               double payback_seconds)
{
    double least = INFINITY;

    for (int rank = 0; rank < ranks; rank++) {
        least = fmin(least, spent[rank].all);
    }
    return least * part_together(spent, ranks) > payback_seconds ? COLL_MTREE_SOURCE_PROBE
                                                                 : COLL_MTREE_SOURCE_WAIT;
}

double coll_mtree_source_payback_seconds(int num_hosts, double budget)
{
    return PAYBACK * fmin(EXPECTED_SECONDS + num_hosts * EXPECTED_HOST_SECONDS, budget);
}

unsigned coll_mtree_source_next_look(unsigned calls)
{
    return calls < FIRST_LOOK ? FIRST_LOOK : 2 * calls;
}
