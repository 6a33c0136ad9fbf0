/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival_times.h"

#include <stdlib.h>
#include <string.h>

/* By arrival where ranks stay so many times shorter; by trees again below the second. */
#define CLEAR_GAIN 1.2
#define LEAST_GAIN 1.1

/* The last one may leave so many times later. */
#define LATER 1.1

/* Hearings in a row that it takes to change; doubled by each change up to the most, and
 * halved after so many hearings without. */
#define LEAST_NEEDED 3
#define MOST_NEEDED  48
#define QUIET        32

void mtree_arrival_time_init(mtree_arrival_time_t *entry, int rank, int toward,
                             double met)
{
    memset(entry, 0, sizeof(*entry));
    entry->toward = toward;
    entry->met = toward == rank ? 0 : (float)met;
    for (int i = 0; i < MTREE_ENTRY_NAMED; i++) {
        entry->named[i].rank = -1;
    }
}

void mtree_arrival_time_add(mtree_arrival_time_t *entry, int rank, double after)
{
    int first = 0, place;

    while (first < MTREE_ENTRY_NAMED && entry->named[first].rank < 0) {
        first++;
    }
    /* Where all places are taken, the one that it met first goes. */
    if (first == 0 && (float)after <= entry->named[0].after) {
        return;
    }
    first = first == 0 ? 1 : first;
    for (place = first;
         place < MTREE_ENTRY_NAMED && entry->named[place].after < (float)after; place++) {
        entry->named[place - 1] = entry->named[place];
    }
    entry->named[place - 1].rank = rank;
    entry->named[place - 1].after = (float)after;
}

/* When @a entry met @a rank, one of its neighbours; those without a name no later than
 * the first that has one. */
static double entry_met(const mtree_arrival_time_t *entry, int rank)
{
    for (int i = 0; i < MTREE_ENTRY_NAMED; i++) {
        if (entry->named[i].rank == rank) {
            return (double)entry->named[i].after;
        }
    }
    return entry->named[0].rank < 0 ? -1 : (double)entry->named[0].after;
}

/* Take those whose neighbour is known; how many these are. */
static int entries_advance(const mtree_arrival_time_t *entries, int num_ranks,
                           const double *latency, bool *known, double *seconds)
{
    int taken = 0;

    for (int rank = 0; rank < num_ranks; rank++) {
        int toward = entries[rank].toward;
        double met;

        if (known[rank] || toward < 0 || toward >= num_ranks || !known[toward]) {
            continue;
        }
        met = entry_met(&entries[toward], rank);
        if (met < 0) {
            continue;
        }
        /* Of the two that note the moment, the sender hears of it a latency late. */
        seconds[rank] = seconds[toward] + met - (double)entries[rank].met -
                        (latency == NULL ? 0 : latency[rank]);
        known[rank] = true;
        taken++;
    }
    return taken;
}

bool mtree_arrival_times_solve(const mtree_arrival_time_t *entries, int num_ranks,
                               const double *latency, double *seconds_p)
{
    double *seconds = calloc((size_t)num_ranks, sizeof(*seconds));
    bool *known = calloc((size_t)num_ranks, sizeof(*known));
    int num_known = 0, taken = 1;
    double first = 0;

    for (int rank = 0; seconds != NULL && known != NULL && rank < num_ranks; rank++) {
        known[rank] = entries[rank].toward == rank;
        num_known += known[rank];
    }
    if (num_known > 1) {
        /* Nothing connects several roots. */
        num_known = 0;
    }
    while (num_known > 0 && taken > 0) {
        taken = entries_advance(entries, num_ranks, latency, known, seconds);
        num_known += taken;
    }
    if (num_known == num_ranks) {
        for (int rank = 0; rank < num_ranks; rank++) {
            first = seconds[rank] < first ? seconds[rank] : first;
        }
        for (int rank = 0; rank < num_ranks; rank++) {
            seconds_p[rank] = seconds[rank] - first;
        }
    }
    free(known);
    free(seconds);
    return num_known == num_ranks;
}

void mtree_arrival_choice_init(mtree_arrival_choice_t *choice)
{
    *choice = (mtree_arrival_choice_t){.needed = LEAST_NEEDED};
}

/* Does a call speak for a change? */
static bool speaks_for_other(bool by_arrival, const mtree_outcome_t *trees,
                             const mtree_outcome_t *arrival)
{
    double gain = trees->stay / arrival->stay;
    bool late = arrival->end > LATER * trees->end;

    return by_arrival ? gain < LEAST_GAIN || late : gain >= CLEAR_GAIN && !late;
}

bool mtree_arrival_choice_update(mtree_arrival_choice_t *choice,
                                 const mtree_outcome_t *trees,
                                 const mtree_outcome_t *arrival)
{
    if (!speaks_for_other(choice->by_arrival, trees, arrival)) {
        choice->row = 0;
    } else if (++choice->row >= choice->needed) {
        choice->by_arrival = !choice->by_arrival;
        choice->row = choice->quiet = 0;
        choice->needed =
            2 * choice->needed > MOST_NEEDED ? MOST_NEEDED : 2 * choice->needed;
        return choice->by_arrival;
    }
    if (++choice->quiet >= QUIET) {
        choice->quiet = 0;
        choice->needed =
            choice->needed / 2 < LEAST_NEEDED ? LEAST_NEEDED : choice->needed / 2;
    }
    return choice->by_arrival;
}
