/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guards: who serves the blocking calls of one kind: mtree over the plan's trees, mtree
 * around a ring, the fallback, or another algorithm of Open MPI's (a rival).
 *
 * Where the forecast leaves it open, all that it does not rule out get turns, and all
 * ranks together find out which is the fastest; after many calls they try again.  A turn
 * is one call, or two of short calls, since what the one before left in the network's
 * queues is a part of the time of the first.  Whose turn it is follows from the number of
 * calls, and what was measured is made one by the fallback's allreduce after every call
 * that is tried, so all ranks come to the same end.
 */
#ifndef COLL_MTREE_SELECT_AUTOTUNE_H
#define COLL_MTREE_SELECT_AUTOTUNE_H

#include "coll_mtree/report/statistics.h"

/* Rounds of turns that are measured at most, after one that warms up. */
#define COLL_MTREE_AUTOTUNE_ROUNDS 8

/* Whoever may get turns: each server once, and each rival. */
#define COLL_MTREE_AUTOTUNE_CANDIDATES (COLL_MTREE_BASE_ALGORITHM + MTREE_BASE_ALGORITHMS)

/* The typical time of who was left out of the trial. */
#define COLL_MTREE_UNTRIED INT64_MAX

typedef struct {
    coll_mtree_backend_t backend;
    int base_algorithm; /* of COLL_MTREE_BASE_ALGORITHM; else 0 */
    bool out;           /* of the trial: clearly slower */
    int64_t time[COLL_MTREE_AUTOTUNE_ROUNDS + 1]; /* nanoseconds */
    int64_t typical; /* of the rounds so far; COLL_MTREE_UNTRIED */
} coll_mtree_candidate_t;

typedef struct {
    coll_mtree_call_class_t call_class;
    coll_mtree_candidate_t candidates[COLL_MTREE_AUTOTUNE_CANDIDATES];
    int num_candidates;
    int serving; /* the candidate that serves when nothing is being tried */
    bool open;   /* the forecast left it open */
    bool trying;
    int trial;      /* the candidate whose turn it is */
    int round;      /* 0: the warm-up */
    bool settled;   /* the first of two calls of a turn has been made */
    int calls;      /* of the trial that is under way, or since the last one */
    int trials;     /* that have ended */
    int64_t spent;  /* nanoseconds in the trial that is under way */
    int64_t agreed; /* when its last call was agreed on; 0: there was none */
} coll_mtree_autotuner_t;

/* One call in a guard's books (guard NULL: none of its business) and in the statistics.
 */
typedef struct {
    coll_mtree_autotuner_t *autotuner;
    int base_algorithm; /* that is to serve it; 0: none */
    int64_t begin;      /* nanoseconds */
    coll_mtree_count_t count;
} coll_mtree_trial_t;

/* A guard of calls of @a call_class, of whose plan @a forecast is told; true when it
 * wants a ring to try. */
bool coll_mtree_autotune_init(coll_mtree_autotuner_t *autotuner,
                              const coll_mtree_call_class_t *call_class,
                              mtree_forecast_t forecast);

/*
 * Leave out of the first trial of @a autotuner who was clearly slower in that of @a
 * shorter, be it over or not, which is of calls that differ by their length alone and
 * took 20 ms at least: such calls go by the network.  Trees stay, since those of longer
 * messages may be others.  False: there is nothing to be learnt from @a shorter.
 */
bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm);

/* Who serves when nothing is being tried. */
coll_mtree_backend_t coll_mtree_autotune_backend(const coll_mtree_autotuner_t *autotuner);

/* A blocking call begins: who is to serve it. */
coll_mtree_backend_t coll_mtree_autotune_begin(coll_mtree_autotuner_t *autotuner,
                                               coll_mtree_trial_t *trial);

/* The call has ended, whoever served it.  What was measured is agreed by @a module's
 * fallback. */
void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm);

#endif
