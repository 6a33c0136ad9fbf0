/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans that compete in a choice (simulate/forecast/choice.h): each is made, judged
 * by the simulator as far as the work that is left allows, and may get other chunks.
 */
#ifndef MTREE_SIMULATE_FORECAST_CONTEST_H
#define MTREE_SIMULATE_FORECAST_CONTEST_H

#include "simulate/forecast/choice.h"
#include "simulate/forecast/prediction.h"

/* What is compared of a plan. */
typedef struct {
    double seconds; /* that it takes */
    double load;    /* sum of the squares of the seconds for which each arc is busy, so
                       that arcs filled without need count */
    int height;     /* hops, of its highest tree */
} mtree_contender_t;

/*
 * The best of @a count contenders (at least one).  Those that take at most @a close (a
 * part) longer than the fastest are equal; of these it is the one with the least load, of
 * those with hardly more the lowest, and of those the last.
 */
int mtree_contest_best_of(const mtree_contender_t *contenders, int count, double close);

/* A candidate with what it needs while it competes. */
typedef struct {
    mtree_candidate_t facts;
    mtree_plan_t *plan; /* NULL: it has none, or lost */
    mtree_prediction_load_t load;
} mtree_entrant_t;

/* Zeroed but for `on`, and begun by mtree_contest_begin(). */
typedef struct {
    mtree_prediction_t on;
    mtree_entrant_t entrants[MTREE_CHOICE_MOST];
    int count;
    double share; /* units of work of each of two halves of the contest */
    double left;  /* of them */
    double burst; /* seconds, the longest of a link */
    double bound; /* bits/s, the least of all plans; 0: none is known */
    char *limit;  /* what limits that, in words; may be NULL */
} mtree_contest_t;

/* The work of its first half is there. */
void mtree_contest_begin(mtree_contest_t *contest);

/* The work of its second half, too: what comes later gets as much as what came before. */
void mtree_contest_begin_second_half(mtree_contest_t *contest);

/* A new entrant, whose plan is made by @a algorithm (NULL: as the planner does by
 * default), of at most @a max_trees trees.  With @a reason (static; else NULL) it is only
 * listed.  Errors as of mtree_planner_run(). */
mtree_status_t mtree_contest_enter(mtree_contest_t *contest, const char *algorithm,
                                   int max_trees, const char *reason,
                                   mtree_entrant_t **entrant_p);

/* @a entrant lost for @a reason, static. */
void mtree_contest_drop(mtree_entrant_t *entrant, const char *reason);

/* Judge @a entrant: it loses if it is clearly slower than the fastest so far by its
 * estimate; else the simulator says what it takes, if enough work is left. */
mtree_status_t mtree_contest_judge(mtree_contest_t *contest, mtree_entrant_t *entrant);

/* Have the simulator predict the seconds of @a entrant's plan.  *done_p is false, and
 * they stay, where too little work is left. */
mtree_status_t mtree_contest_simulate(mtree_contest_t *contest, mtree_entrant_t *entrant,
                                      bool *done_p);

/* Find better chunks for those that may become the fastest. */
mtree_status_t mtree_contest_tune(mtree_contest_t *contest);

/* The fastest that was simulated so far; NULL: there is none. */
mtree_entrant_t *mtree_contest_fastest(mtree_contest_t *contest);

/* The seconds that it takes, as they are compared; infinite: there is none. */
double mtree_contest_fastest_seconds(mtree_contest_t *contest);

/* The best of all that are left, of which there is at least one. */
mtree_entrant_t *mtree_contest_best(mtree_contest_t *contest);

/* Free the plans that are left. */
void mtree_contest_clear(mtree_contest_t *contest);

#endif
