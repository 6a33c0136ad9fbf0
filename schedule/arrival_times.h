/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrival times: the time at which each rank entered a call, relative to the others, as
 * measured by messages of the call; and whether arrival-ordered calls
 * (schedule/arrival/arrival.h) are worth it.
 *
 * Clocks of ranks are not compared.  The first chunk between two neighbours passes at one
 * moment.  Both know this moment as seconds from their own arrival, and the difference is
 * the time between their arrivals.  Along a tree the differences add up.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_TIMES_H
#define MTREE_SCHEDULE_ARRIVAL_TIMES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Neighbours whose contact a rank reports; the report has 128 bytes. */
#define MTREE_ARRIVAL_CONTACTS 15

/*
 * What one rank reports of a call: the seconds from its own arrival to its first contact
 * with `parent`, its neighbour towards the root of the tree, and with those of its other
 * neighbours that it had contact with last.  All others had contact no later than the
 * first of these.  The layout is the same on all machines of a job, which send it as it
 * is.
 */
typedef struct {
    int32_t parent; /* rank; its own: it is the root; below 0: it reports nothing */
    float parent_contact;
    struct {
        int32_t rank; /* below 0: none */
        float seconds;
    } contacts[MTREE_ARRIVAL_CONTACTS]; /* in ascending order of seconds */
} mtree_arrival_time_t;

/* The report of rank @a rank, which had its first contact with @a parent (itself: it is
 * the root) @a contact seconds after its arrival, and with nobody else yet. */
void mtree_arrival_time_init(mtree_arrival_time_t *entry, int rank, int parent,
                             double contact);

/* Add the first contact with @a rank, @a seconds after the arrival. */
void mtree_arrival_time_add(mtree_arrival_time_t *entry, int rank, double seconds);

/*
 * Into @a seconds_p: seconds from the first arrival to that of each of the @a num_ranks
 * ranks.  @a latency [num_ranks] (NULL: none) are the seconds that a chunk took from the
 * `parent` of each rank to the rank; negative: it went from the rank to its parent.
 * False: the reports do not connect all ranks, and *seconds_p is not set.
 */
bool mtree_arrival_times_solve(const mtree_arrival_time_t *entries, int num_ranks,
                               const double *latency, double *seconds_p);

/* The cost of a call (seconds): the time that a rank spends in it on average, and the
 * time at which the last rank leaves. */
typedef struct {
    double stay, end;
} mtree_outcome_t;

/* The choice between trees and arrival-ordered calls, for one call class. */
typedef struct {
    bool by_arrival;
    int streak;       /* calls in a row for which the other would be better */
    int needed;       /* length of a streak that changes it; grows with each change */
    int since_change; /* calls */
} mtree_arrival_choice_t;

/* Choose the trees. */
void mtree_arrival_choice_init(mtree_arrival_choice_t *choice);

/*
 * A call of the class was measured: its cost over @a trees and in order of @a arrival,
 * one of them predicted.  Returns whether the next call is arrival-ordered.  It is where
 * ranks spend clearly less time in the call and the last leaves hardly later, in several
 * calls in a row; trees return where the gain is small.  Each change makes the next one
 * take more calls.
 */
bool mtree_arrival_choice_update(mtree_arrival_choice_t *choice,
                                 const mtree_outcome_t *trees,
                                 const mtree_outcome_t *arrival);

#endif
