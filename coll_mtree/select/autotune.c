/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotune.h"

#include "base/clock.h"
#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/log.h"

bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm)
{
    char text[COLL_MTREE_AUTOTUNER_TEXT];

    if (!coll_mtree_autotuner_learn(autotuner, shorter)) {
        return false;
    }
    if (!autotuner->trying) {
        coll_mtree_autotuner_format_learned(autotuner, shorter, text);
        coll_mtree_verbose(comm, 2, "%s", text);
    }
    return true;
}

coll_mtree_backend_t coll_mtree_autotune_begin(coll_mtree_autotuner_t *autotuner,
                                               coll_mtree_trial_t *trial)
{
    coll_mtree_selection_t selection = coll_mtree_autotuner_select(autotuner);

    trial->base_algorithm = selection.base_algorithm;
    if (selection.timed) {
        trial->autotuner = autotuner;
        trial->begin = mtree_clock_seconds();
    }
    return selection.backend;
}

/* What the ranks agree on after a timed call; the greatest of each counts. */
typedef struct {
    double began, ended;       /* seconds */
    double no_base_algorithms; /* 1: none may be tried */
} outcome_t;

/*
 * Agree on the seconds from the last rank's beginning of the call to the last one's end,
 * so that it does not matter how late some come.  Clocks differ between hosts; but all
 * ranks return from the last timed call's allreduce at about the same time, from which
 * they count. *agreed_p is the clock at the return of this one.
 */
static outcome_t agree_on_outcome(const coll_mtree_trial_t *trial,
                                  mca_coll_mtree_module_t *module,
                                  ompi_communicator_t *comm, double *agreed_p)
{
    double agreed = trial->autotuner->agreed;
    double since = agreed > 0 ? agreed : trial->begin;
    outcome_t outcome = {trial->begin - since, mtree_clock_seconds() - since,
                         !trial->is_predefined || coll_mtree_fallback_is_configured()};

    *agreed_p = agreed;
    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, &outcome,
                       sizeof(outcome) / sizeof(double), MPI_DOUBLE, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return (outcome_t){0, 0, 1};
    }
    *agreed_p = mtree_clock_seconds();
    return outcome;
}

void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm)
{
    coll_mtree_autotuner_t *autotuner = trial->autotuner;
    double seconds[COLL_MTREE_BACKENDS], agreed;
    char text[COLL_MTREE_AUTOTUNER_TEXT];
    outcome_t outcome;

    if (autotuner == NULL) {
        return;
    }
    outcome = agree_on_outcome(trial, module, comm, &agreed);
    if (outcome.no_base_algorithms > 0 &&
        coll_mtree_autotuner_exclude_base_algorithms(autotuner)) {
        coll_mtree_verbose(comm, 2,
                           "%s: Open MPI's other algorithms are not tried, since a "
                           "datatype is derived or a parameter of coll_tuned is set",
                           mtree_collective_name(autotuner->call_class.collective));
        return;
    }
    if (!coll_mtree_autotuner_record(autotuner, outcome.ended - outcome.began, agreed)) {
        return;
    }
    coll_mtree_autotuner_format_verdict(autotuner, text);
    coll_mtree_verbose(comm, 2, "%s", text);
    coll_mtree_autotuner_times(autotuner, seconds);
    coll_mtree_statistics_measured(&trial->count, seconds);
}
