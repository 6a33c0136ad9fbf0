/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries: at which moment each rank came to a call, relative to the others, as far as
 * its messages tell; and whether calls by arrival (schedule/arrival/arrival.h) pay.
 *
 * Clocks of ranks are not compared.  The first chunk between two neighbours passes at one
 * moment, which both know as seconds from their own entry; the difference of the two is
 * the time between their entries.  Along a tree the differences add up.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_TIMES_H
#define MTREE_SCHEDULE_ARRIVAL_TIMES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Neighbours that a rank tells of by name; 128 bytes in all. */
#define MTREE_ENTRY_NAMED 15

/*
 * What one rank tells of a call.  It met `toward`, its neighbour on the way to the
 * tree's root, `met` seconds after its own entry, and those of the others that it met
 * last at the seconds beside them; the rest of them no later than the first that is
 * named.  The same on all machines of a job, which send it as it is.
 */
typedef struct {
    int32_t toward; /* rank; its own: it is the root; below 0: it tells nothing */
    float met;
    struct {
        int32_t rank; /* below 0: none */
        float after;
    } named[MTREE_ENTRY_NAMED]; /* by `after` */
} mtree_arrival_time_t;

/* Of rank @a rank, which met @a toward (itself: it is the root) @a met seconds after it
 * came, and nobody else yet. */
void mtree_arrival_time_init(mtree_arrival_time_t *entry, int rank, int toward,
                             double met);

/* It met @a rank, too, @a after seconds after it came. */
void mtree_arrival_time_add(mtree_arrival_time_t *entry, int rank, double after);

/*
 * Seconds from the first rank's entry to that of each of the @a num_ranks ranks, into @a
 * seconds_p; @a latency [num_ranks] (NULL: none) are seconds that a chunk took from each
 * rank's `toward` to it, negative where it went from the rank to it.  False: some are not
 * connected; *seconds_p is not set.
 */
bool mtree_arrival_times_solve(const mtree_arrival_time_t *entries, int num_ranks,
                               const double *latency, double *seconds_p);

/* What ranks would see of a call in seconds: how long they stay on average, and when the
 * last one leaves. */
typedef struct {
    double stay, end;
} mtree_outcome_t;

/* A choice between a plan's trees and the order of arrival for calls of one kind. */
typedef struct {
    bool by_arrival;
    int row;    /* hearings in a row that spoke for the other */
    int needed; /* to change; grows with each change */
    int quiet;  /* hearings since the last change */
} mtree_arrival_choice_t;

/* The trees, at first. */
void mtree_arrival_choice_init(mtree_arrival_choice_t *choice);

/*
 * A call of the kind was measured: what it would have seen over @a trees, and by @a
 * arrival.  Returns which it is from now on.  By arrival is chosen where ranks stay
 * clearly shorter and the end is hardly later, in several hearings in a row, and given up
 * where they hardly do; the more often it changed the more hearings that takes.
 */
bool mtree_arrival_choice_update(mtree_arrival_choice_t *choice,
                                 const mtree_outcome_t *trees,
                                 const mtree_outcome_t *arrival);

#endif
