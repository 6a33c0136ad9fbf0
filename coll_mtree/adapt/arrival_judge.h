/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge of arrival skew: are calls of one class to go over a plan's trees, or to be
 * arrival-ordered (schedule/arrival/arrival.h)?
 *
 * Rank 0 judges one call after the other.  The simulator predicts what lateness costs
 * over trees and by arrival.  That takes some ten milliseconds, so the outcome of one
 * simulation stands for several calls whose hosts arrive about as far apart.
 * docs/arrival.md has the rules.  No Open MPI header is used; times are in seconds.
 */
#ifndef COLL_MTREE_ADAPT_ARRIVAL_JUDGE_H
#define COLL_MTREE_ADAPT_ARRIVAL_JUDGE_H

#include "coll_mtree/plan/plan_choice.h"

#include "schedule/arrival_times.h"

/* More hosts take too long to simulate. */
#define COLL_MTREE_ARRIVAL_MOST_HOSTS 64

/* What the outcome of a call rests on. */
typedef enum {
    COLL_MTREE_ARRIVAL_TOGETHER, /* its hosts arrive together: neither order gains */
    COLL_MTREE_ARRIVAL_REUSE,    /* the last simulation */
    COLL_MTREE_ARRIVAL_SIMULATE  /* a simulation of this call */
} coll_mtree_arrival_ground_t;

/* Of calls of one class. */
typedef struct {
    mtree_arrival_choice_t choice;
    double spread; /* of the call that was simulated last; 0: none counts */
    int reused;    /* calls that its outcome was taken for */
    mtree_outcome_t trees, arrival; /* of the last call that was judged */
} coll_mtree_arrival_judge_t;

/* A call as rank 0 knows it. */
typedef struct {
    const coll_mtree_plan_hosts_t *hosts;
    const coll_mtree_call_class_t *call_class;
    int root; /* host; -1: none */
    const mtree_plan_t *trees, *arrival;
    const double *arrivals; /* [hosts] since the first rank's arrival */
} coll_mtree_arrival_call_t;

/* Trees at first. */
void coll_mtree_arrival_judge_init(coll_mtree_arrival_judge_t *judge);

/* What the outcome of a call is to rest on, whose hosts arrive @a spread apart and whose
 * trees are predicted to take @a seconds.  Counts the reuse. */
coll_mtree_arrival_ground_t
coll_mtree_arrival_judge_ground(coll_mtree_arrival_judge_t *judge, double spread,
                                double seconds);

/* Simulate @a call, whose hosts arrive @a spread apart: sets the judge's outcomes. False:
 * that is not possible, and the call is not judged. */
bool coll_mtree_arrival_judge_simulate(coll_mtree_arrival_judge_t *judge,
                                       const coll_mtree_arrival_call_t *call,
                                       double spread);

/* The hosts arrived together: both outcomes of the judge become @a seconds. */
void coll_mtree_arrival_judge_together(coll_mtree_arrival_judge_t *judge, double seconds);

/* Judge a call by the outcomes.  True: calls of the class change (judge->choice). */
bool coll_mtree_arrival_judge_decide(coll_mtree_arrival_judge_t *judge);

#endif
