/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Autotuned calls: blocking calls whose backend an autotuner selects
 * (coll_mtree/select/autotuner.h), timed where it wants that.
 *
 * After every timed call the ranks agree on what it took by an allreduce of the fallback,
 * so the autotuners of all ranks go on alike.  They also agree on whether Open MPI's base
 * algorithms may be tried: datatypes of calls that move data, and what the user has set
 * of coll/tuned, are each rank's own.
 */
#ifndef COLL_MTREE_SELECT_AUTOTUNE_H
#define COLL_MTREE_SELECT_AUTOTUNE_H

#include "coll_mtree/report/statistics.h"
#include "coll_mtree/select/autotuner.h"

/* One blocking call, as its autotuner and the statistics see it. */
typedef struct {
    coll_mtree_autotuner_t *autotuner; /* that times the call; NULL: it is not timed */
    int base_algorithm;                /* that serves the call; 0: none */
    bool is_predefined;                /* the datatypes on this rank are MPI's own */
    double begin;                      /* clock */
    coll_mtree_count_t count;
} coll_mtree_trial_t;

/* coll_mtree_autotuner_learn(), with a line where one candidate is left. */
bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm);

/* A blocking call begins: what serves it. */
coll_mtree_backend_t coll_mtree_autotune_begin(coll_mtree_autotuner_t *autotuner,
                                               coll_mtree_trial_t *trial);

/* The call has ended, whatever served it.  All ranks of @a comm call it; where the call
 * was timed, they agree on its time through the fallback of @a module. */
void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm);

#endif
