/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First calls: do calls over a plan take the time that was expected of them?
 *
 * The first blocking calls of a class over a plan are timed.  Where they are off the
 * expectation by more than a factor of two, to either side, the topology is not the
 * network, and that trees are faster than the fallback is not known any more.  So the
 * fallback is timed, too, unless the calls, slow as they are, take less than was expected
 * of it: what slows them slows it.  It serves from then on where it gains enough: one
 * change in the life of a class, since another backend adds in another order.
 * Calls through relays are compared with those without as well.
 *
 * No Open MPI header is used; coll_mtree/adapt/fallback_trial.h makes the measurements.
 * All facts are the same on all ranks.
 */
#ifndef COLL_MTREE_ADAPT_FIRST_CALLS_H
#define COLL_MTREE_ADAPT_FIRST_CALLS_H

#include "coll_mtree/select/call_times.h"
#include "planner/plan/collective.h"

#include <stdbool.h>

/* Calls that are timed.  The one before them brings the ranks into step. */
#define COLL_MTREE_FIRST_CALLS 3

/* Bytes of a longest line with its NUL. */
#define COLL_MTREE_FIRST_CALLS_TEXT 320

typedef enum {
    COLL_MTREE_FIRST_CALLS_WATCH, /* more calls are to be timed */
    COLL_MTREE_FIRST_CALLS_OFF,   /* the fallback is to be timed */
    COLL_MTREE_FIRST_CALLS_STAY,  /* over trees */
    COLL_MTREE_FIRST_CALLS_LEAVE  /* the fallback serves from now on */
} coll_mtree_first_calls_state_t;

/* Of one class; zeros at first. */
typedef struct {
    coll_mtree_first_calls_state_t state;
    int calls;                             /* of which the ranks know the time */
    double ratios[COLL_MTREE_FIRST_CALLS]; /* of the times to the expected ones */
    double expected, took, fallback;       /* seconds of the last call's bytes */
    coll_mtree_call_times_t times; /* of calls of which the ranks do not know it yet */
    double expecting[COLL_MTREE_CALL_TIMES]; /* seconds, of each of these */
} coll_mtree_first_calls_t;

/* A call that began at @a began has ended at @a ended, on this rank's clock, where @a
 * expected seconds were expected.  Are the ranks to agree on what the calls took? */
bool coll_mtree_first_calls_note(coll_mtree_first_calls_t *first, double began,
                                 double ended, double expected);

/*
 * What a call took that the ranks did not begin together, as nothing holds up those that
 * were done with the call before: what is the nearest to the @a expected seconds of all
 * that it may be.
 */
double coll_mtree_first_calls_seconds(const coll_mtree_call_time_t *agreed,
                                      double expected);

/* A call took @a seconds, where @a expected were expected, and of the fallback @a lead
 * times as many (0: not known). */
void coll_mtree_first_calls_add(coll_mtree_first_calls_t *first, double seconds,
                                double expected, double lead);

/* Is what they are compared with to be timed once more, which took @a seconds in each of
 * @a count calls so far?  The first of short calls opens connections. */
bool coll_mtree_first_calls_goes_on(const double *seconds, int count);

/* The most such calls. */
#define COLL_MTREE_FALLBACK_CALLS 4

/* What one call takes of which @a count, at least one, took @a seconds. */
double coll_mtree_first_calls_typical(double *seconds, int count);

/* The fallback took @a seconds in @a count calls, perhaps none: stay or leave. */
void coll_mtree_first_calls_judge(coll_mtree_first_calls_t *first, double *seconds,
                                  int count);

/*
 * Of calls through relays, which are not left: might they be faster without?  What passes
 * through relays crosses more processors, which no forecast knows.  Where they take less
 * than the @a promised seconds of the plan without (0: not known), they are not; else
 * calls over that plan are timed.
 */
bool coll_mtree_first_calls_doubt_relays(const coll_mtree_first_calls_t *first,
                                         double promised);

/* Such calls took @a without seconds without relays: is that so much faster that relays
 * are left, where some calls of the class @a keeps_order of additions? */
bool coll_mtree_first_calls_leave_relays(const coll_mtree_first_calls_t *first,
                                         double without, bool keeps_order);

/* The line about the judgement on calls of about @a bytes. */
void coll_mtree_first_calls_format(const coll_mtree_first_calls_t *first,
                                   mtree_collective_t collective, double bytes,
                                   char text[COLL_MTREE_FIRST_CALLS_TEXT]);

#endif
