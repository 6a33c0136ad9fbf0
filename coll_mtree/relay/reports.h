/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the relays of a job have reported to its rank 0: the calls that each has refused,
 * or that have failed there, and which of them cannot reach each other.
 *
 * Threads may have several calls under way, and the one that hears of a refusal may wait
 * for another call.
 */
#ifndef COLL_MTREE_RELAY_REPORTS_H
#define COLL_MTREE_RELAY_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

/* Relays of a job at most; a report knows one by its number, below that. */
#define COLL_MTREE_RELAYS 64

/* Refusals of a relay that are kept, the newest: as many calls of a job as it has under
 * way. */
#define COLL_MTREE_REFUSALS 64

/* Zeros are the initial value, since plans are numbered from 1. */
typedef struct {
    struct {
        struct {
            uint32_t plan, call;
        } refused[COLL_MTREE_REFUSALS];
        unsigned next;
        uint64_t unreached; /* bit j: it and relay j cannot reach each other */
    } relays[COLL_MTREE_RELAYS];
} coll_mtree_reports_t;

/* Relay @a i has refused number @a call of plan number @a plan. */
void coll_mtree_reports_refused(coll_mtree_reports_t *reports, int i, uint32_t plan,
                                uint32_t call);

/* Has it? */
bool coll_mtree_reports_has_refused(const coll_mtree_reports_t *reports, int i,
                                    uint32_t plan, uint32_t call);

/* Relay @a i cannot reach relay @a j; false: there are no two such relays. */
bool coll_mtree_reports_unreached(coll_mtree_reports_t *reports, uint32_t i, uint32_t j);

/*
 * The relay to leave out first, of those whose bit is set in @a up, so that those that
 * are left reach each other: that which has been in most such pairs, since it is the
 * likeliest to be cut off; of equals the one with the highest number, which the other
 * dials.  *other_p is one that is up and in a pair with it.  -1: all reach each other.
 */
int coll_mtree_reports_worst(const coll_mtree_reports_t *reports, uint64_t up,
                             int *other_p);

#endif
