/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotune.h"

#include "base/clock.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

bool coll_mtree_autotune_init(coll_mtree_autotuner_t *autotuner,
                              const coll_mtree_call_class_t *call_class,
                              mtree_forecast_t forecast)
{
    /* Backends add in different orders. */
    bool fixed = coll_mtree_params.deterministic &&
                 mtree_collective_reduces(call_class->collective);

    return coll_mtree_autotuner_init(autotuner, call_class, forecast,
                                     coll_mtree_params.autotune && !fixed);
}

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

/*
 * The seconds from the last rank's beginning of the call to the last one's end, so that
 * it does not matter how late some come.  Clocks differ between hosts; but all ranks
 * return from the last timed call's allreduce at about the same time, from which they
 * count. *agreed_p is the clock at the return of this one.
 */
static double agree_on_time(const coll_mtree_trial_t *trial,
                            mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                            double *agreed_p)
{
    double agreed = trial->autotuner->agreed;
    double since = agreed > 0 ? agreed : trial->begin;
    double last[2] = {trial->begin - since, mtree_clock_seconds() - since};

    *agreed_p = agreed;
    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, last, 2, MPI_DOUBLE, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return 0;
    }
    *agreed_p = mtree_clock_seconds();
    return last[1] - last[0];
}

void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm)
{
    coll_mtree_autotuner_t *autotuner = trial->autotuner;
    double seconds[COLL_MTREE_BACKENDS], took, agreed;
    char text[COLL_MTREE_AUTOTUNER_TEXT];

    if (autotuner == NULL) {
        return;
    }
    took = agree_on_time(trial, module, comm, &agreed);
    if (!coll_mtree_autotuner_record(autotuner, took, agreed)) {
        return;
    }
    coll_mtree_autotuner_format_verdict(autotuner, text);
    coll_mtree_verbose(comm, 2, "%s", text);
    coll_mtree_autotuner_times(autotuner, seconds);
    coll_mtree_statistics_measured(&trial->count, seconds);
}
