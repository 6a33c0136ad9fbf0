/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival_times.h"

#include <stdlib.h>
#include <string.h>

/* Arrival-ordered calls must shorten the time in a call by this factor; below the second
 * factor the trees return. */
#define CLEAR_GAIN 1.2
#define LEAST_GAIN 1.1

/* The factor by which the last rank may leave later. */
#define LATER 1.1

/* Calls in a row that it takes to change.  A change doubles the number, up to the most;
 * QUIET calls without a change halve it. */
#define LEAST_NEEDED 3
#define MOST_NEEDED  48
#define QUIET        32

void mtree_arrival_time_init(mtree_arrival_time_t *entry, int rank, int parent,
                             double contact)
{
    memset(entry, 0, sizeof(*entry));
    entry->parent = parent;
    entry->parent_contact = parent == rank ? 0 : (float)contact;
    for (int i = 0; i < MTREE_ARRIVAL_CONTACTS; i++) {
        entry->contacts[i].rank = -1;
    }
}

void mtree_arrival_time_add(mtree_arrival_time_t *entry, int rank, double seconds)
{
    int first = 0, place;

    while (first < MTREE_ARRIVAL_CONTACTS && entry->contacts[first].rank < 0) {
        first++;
    }
    /* A full list drops its earliest contact. */
    if (first == 0 && (float)seconds <= entry->contacts[0].seconds) {
        return;
    }
    first = first == 0 ? 1 : first;
    for (place = first; place < MTREE_ARRIVAL_CONTACTS &&
                        entry->contacts[place].seconds < (float)seconds;
         place++) {
        entry->contacts[place - 1] = entry->contacts[place];
    }
    entry->contacts[place - 1].rank = rank;
    entry->contacts[place - 1].seconds = (float)seconds;
}

/* The contact of @a entry with its neighbour @a rank; at the latest that of the first in
 * the list, if @a rank is not in it. */
static double entry_contact(const mtree_arrival_time_t *entry, int rank)
{
    for (int i = 0; i < MTREE_ARRIVAL_CONTACTS; i++) {
        if (entry->contacts[i].rank == rank) {
            return (double)entry->contacts[i].seconds;
        }
    }
    return entry->contacts[0].rank < 0 ? -1 : (double)entry->contacts[0].seconds;
}

/* Solve for the ranks whose parent is solved; returns how many these are. */
static int entries_advance(const mtree_arrival_time_t *entries, int num_ranks,
                           const double *latency, bool *known, double *seconds)
{
    int taken = 0;

    for (int rank = 0; rank < num_ranks; rank++) {
        int parent = entries[rank].parent;
        double contact;

        if (known[rank] || parent < 0 || parent >= num_ranks || !known[parent]) {
            continue;
        }
        contact = entry_contact(&entries[parent], rank);
        if (contact < 0) {
            continue;
        }
        /* The sender notes the moment one latency later than the receiver. */
        seconds[rank] = seconds[parent] + contact - (double)entries[rank].parent_contact -
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
        known[rank] = entries[rank].parent == rank;
        num_known += known[rank];
    }
    if (num_known > 1) {
        /* Several roots are not connected. */
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

/* Would the other have been better for a call? */
static bool is_other_better(bool by_arrival, const mtree_outcome_t *trees,
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
    if (!is_other_better(choice->by_arrival, trees, arrival)) {
        choice->streak = 0;
    } else if (++choice->streak >= choice->needed) {
        choice->by_arrival = !choice->by_arrival;
        choice->streak = choice->since_change = 0;
        choice->needed =
            2 * choice->needed > MOST_NEEDED ? MOST_NEEDED : 2 * choice->needed;
        return choice->by_arrival;
    }
    if (++choice->since_change >= QUIET) {
        choice->since_change = 0;
        choice->needed =
            choice->needed / 2 < LEAST_NEEDED ? LEAST_NEEDED : choice->needed / 2;
    }
    return choice->by_arrival;
}
