/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The autotuner of one call class: it finds out by timing which backend serves the
 * blocking calls of the class fastest.
 *
 * The candidates are the backends that the forecast does not rule out.  A trial goes in
 * rounds; in each round every candidate that is still in the trial serves one timed call.
 * The first round warms up.  Where calls are short, an untimed call of the same candidate
 * precedes each timed one, because what the previous candidate left in the network's
 * queues is part of the time of the first.  After a round, candidates that are clearly
 * slower than the fastest leave the trial.  The fastest serves until the next trial.
 *
 * This unit decides and sends nothing; coll_mtree/select/autotune.h times the calls.  Its
 * decisions follow from the number of calls and from times that all ranks agree on, so
 * the autotuners of all ranks decide alike.  Times are in seconds.
 */
#ifndef COLL_MTREE_SELECT_AUTOTUNER_H
#define COLL_MTREE_SELECT_AUTOTUNER_H

#include "coll_mtree/base/backend.h"
#include "coll_mtree/base/call_class.h"
#include "simulate/forecast/forecast.h"

/* Rounds of a trial at most, after the one that warms up. */
#define COLL_MTREE_AUTOTUNER_ROUNDS 8

/* Candidates at most: each backend once, and each base algorithm. */
#define COLL_MTREE_AUTOTUNER_CANDIDATES                                                  \
    (COLL_MTREE_BASE_ALGORITHM + MTREE_BASE_ALGORITHMS)

/* Calls between two trials, since networks change. */
#define COLL_MTREE_AUTOTUNER_INTERVAL 2000

/* Calls before the first trial where the fallback serves anyway and only Open MPI's other
 * algorithms are candidates: a job of few calls pays nothing. */
#define COLL_MTREE_AUTOTUNER_DELAY 16

/* Calls before it where trees are expected to be as fast as any: a job of few calls does
 * without a trial, and a map that is wrong is found out soon. */
#define COLL_MTREE_AUTOTUNER_TRUST 8

typedef struct {
    coll_mtree_backend_t backend;
    int base_algorithm; /* of COLL_MTREE_BASE_ALGORITHM; else 0 */
    bool out;           /* of the trial: clearly slower */
    double time[COLL_MTREE_AUTOTUNER_ROUNDS + 1]; /* by round; [0] is the warm-up */
    double typical; /* of the rounds so far; INFINITY: not in the last trial */
} coll_mtree_candidate_t;

typedef struct coll_mtree_autotuner {
    coll_mtree_call_class_t call_class;
    coll_mtree_candidate_t candidates[COLL_MTREE_AUTOTUNER_CANDIDATES];
    int num_candidates;
    int serving;   /* the candidate that serves between trials: the fastest so far */
    bool open;     /* there is a choice to make */
    bool trying;   /* a trial is under way */
    int trusted;   /* calls before the trial begins, which `serving` serves */
    int trial;     /* the candidate that serves the trial's next call */
    int round;     /* of the trial; 0: the warm-up */
    bool settled;  /* the untimed call that precedes a timed one has been made */
    int calls;     /* of the trial that is under way, or since the last one */
    int trials;    /* that have ended */
    int measured;  /* calls of the last trial that has ended */
    double spent;  /* seconds in the trial that is under way */
    double agreed; /* clock at which the ranks agreed on its last time; 0: not yet */
} coll_mtree_autotuner_t;

/* What serves one call. */
typedef struct {
    coll_mtree_backend_t backend;
    int base_algorithm; /* 0: none */
    bool timed;         /* coll_mtree_autotuner_record() is to be called after it */
} coll_mtree_selection_t;

/*
 * An autotuner of calls of @a call_class whose plan has @a forecast.  Without @a enabled
 * the forecast alone decides, because the user wants that or because results must not
 * depend on the backend.  True when a ring is a candidate.
 */
bool coll_mtree_autotuner_init(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_call_class_t *call_class,
                               mtree_forecast_t forecast, bool enabled);

/*
 * Leave out of the first trial of @a autotuner the candidates that were clearly slower in
 * a trial of @a shorter, which may still be under way.  @a shorter is of calls that
 * differ by their size alone.  It must have taken 20 ms at least, so that the network
 * decided and not the hosts.  Trees always stay, since those of longer messages may be
 * other trees.  False: @a shorter shows nothing.
 */
bool coll_mtree_autotuner_learn(coll_mtree_autotuner_t *autotuner,
                                const coll_mtree_autotuner_t *shorter);

/* Is @a backend a candidate? */
bool coll_mtree_autotuner_has(const coll_mtree_autotuner_t *autotuner,
                              coll_mtree_backend_t backend);

/* What serves between trials. */
coll_mtree_backend_t
coll_mtree_autotuner_backend(const coll_mtree_autotuner_t *autotuner);

/* No base algorithm may be tried: what is left of the candidates has a trial of its own.
 * False: there were none. */
bool coll_mtree_autotuner_exclude_base_algorithms(coll_mtree_autotuner_t *autotuner);

/* A call begins: what serves it. */
coll_mtree_selection_t coll_mtree_autotuner_select(coll_mtree_autotuner_t *autotuner);

/* The timed call took @a seconds on all ranks together, on which they agreed at @a agreed
 * on this rank's clock.  True when this ends the trial. */
bool coll_mtree_autotuner_record(coll_mtree_autotuner_t *autotuner, double seconds,
                                 double agreed);

/* The seconds that the last trial measured by backend, 0 where it was not a candidate; of
 * the base algorithms the fastest one's. */
void coll_mtree_autotuner_times(const coll_mtree_autotuner_t *autotuner,
                                double seconds[COLL_MTREE_BACKENDS]);

#endif
