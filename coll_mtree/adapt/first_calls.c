/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/first_calls.h"

#include "base/median.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The topology is not the network where times are off by more than this factor. */
#define OFF 2.0

/* A change of the order in which sums are added must gain so much. */
#define LEAST_GAIN 1.2

/* Relays are left where calls without them take this many times less. */
#define LEAST_RELAY_LOSS 1.03

/* One call of the fallback that takes longer says enough. */
#define LONG_SECONDS 0.1

/*
 * Of calls that take less the ranks agree after each.  Of longer ones they agree after
 * the last one, since between sites that takes hundreds of milliseconds, and a job of few
 * calls does without; by then clocks have drifted apart by microseconds per second.
 */
#define BRIEF_SECONDS 0.01

_Static_assert(COLL_MTREE_CALL_TIMES > COLL_MTREE_FIRST_CALLS,
               "there is room for all first calls");

bool coll_mtree_first_calls_note(coll_mtree_first_calls_t *first, double began,
                                 double ended, double expected)
{
    first->expecting[first->times.count] = expected;
    coll_mtree_call_times_add(&first->times, began, ended);
    return expected < BRIEF_SECONDS ||
           first->calls + first->times.count > COLL_MTREE_FIRST_CALLS;
}

double coll_mtree_first_calls_seconds(const coll_mtree_call_time_t *agreed,
                                      double expected)
{
    return fmin(fmax(expected, agreed->seconds), agreed->elapsed);
}

void coll_mtree_first_calls_add(coll_mtree_first_calls_t *first, double seconds,
                                double expected, double lead)
{
    double ratios[COLL_MTREE_FIRST_CALLS], ratio;

    if (first->calls > 0) {
        first->ratios[first->calls - 1] = seconds / expected;
    }
    if (first->calls++ < COLL_MTREE_FIRST_CALLS) {
        return;
    }
    memcpy(ratios, first->ratios, sizeof(ratios));
    ratio = mtree_median(ratios, COLL_MTREE_FIRST_CALLS);
    first->expected = expected;
    first->took = ratio * expected;
    first->state = ratio > fmax(OFF, lead) || ratio * OFF < 1
                       ? COLL_MTREE_FIRST_CALLS_OFF
                       : COLL_MTREE_FIRST_CALLS_STAY;
}

bool coll_mtree_first_calls_goes_on(const double *seconds, int count)
{
    return count < COLL_MTREE_FALLBACK_CALLS &&
           (count == 0 || seconds[count - 1] < LONG_SECONDS);
}

double coll_mtree_first_calls_typical(double *seconds, int count)
{
    return count == 1 ? seconds[0] : mtree_median(seconds + 1, count - 1);
}

bool coll_mtree_first_calls_doubt_relays(const coll_mtree_first_calls_t *first,
                                         double promised)
{
    return first->state == COLL_MTREE_FIRST_CALLS_STAY && promised > 0 &&
           first->took > promised;
}

bool coll_mtree_first_calls_leave_relays(const coll_mtree_first_calls_t *first,
                                         double without, bool keeps_order)
{
    return first->took >= (keeps_order ? LEAST_GAIN : LEAST_RELAY_LOSS) * without;
}

void coll_mtree_first_calls_judge(coll_mtree_first_calls_t *first, double *seconds,
                                  int count)
{
    first->state = COLL_MTREE_FIRST_CALLS_STAY;
    if (count == 0) {
        return;
    }
    first->fallback = coll_mtree_first_calls_typical(seconds, count);
    if (first->took >= LEAST_GAIN * first->fallback) {
        first->state = COLL_MTREE_FIRST_CALLS_LEAVE;
    }
}

void coll_mtree_first_calls_format(const coll_mtree_first_calls_t *first,
                                   mtree_collective_t collective, double bytes,
                                   char text[COLL_MTREE_FIRST_CALLS_TEXT])
{
    char size[32], expected[32], took[32], fallback[32];

    mtree_units_format_size(bytes, size, sizeof(size));
    mtree_units_format_time(first->expected, expected, sizeof(expected));
    mtree_units_format_time(first->took, took, sizeof(took));
    mtree_units_format_time(first->fallback, fallback, sizeof(fallback));
    (void)snprintf(text, COLL_MTREE_FIRST_CALLS_TEXT,
                   "%s of about %s: %s over trees, not %s as predicted, and %s by Open "
                   "MPI, so the topology is not the network; from here on %s",
                   mtree_collective_name(collective), size, took, expected, fallback,
                   first->state == COLL_MTREE_FIRST_CALLS_LEAVE ? "served by Open MPI"
                                                                : "over trees as before");
}
