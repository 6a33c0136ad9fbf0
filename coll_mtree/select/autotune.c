/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotune.h"

#include "base/clock.h"
#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/select/agreed_time.h"
#include "coll_mtree/select/autotuner_text.h"

bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm)
{
    char text[COLL_MTREE_AUTOTUNER_TEXT];

    if (!coll_mtree_autotuner_learn(autotuner, shorter)) {
        return false;
    }
    if (!autotuner->trying) {
        coll_mtree_autotuner_text_learned(autotuner, shorter, text);
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

void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm)
{
    coll_mtree_autotuner_t *autotuner = trial->autotuner;
    double seconds[COLL_MTREE_BACKENDS], took, agreed;
    double excludes = !trial->is_predefined || coll_mtree_fallback_is_configured();
    char text[COLL_MTREE_AUTOTUNER_TEXT];

    if (autotuner == NULL) {
        return;
    }
    agreed = autotuner->agreed;
    took = coll_mtree_agreed_time(module, comm, trial->begin, &agreed, &excludes);
    if (excludes > 0 && coll_mtree_autotuner_exclude_base_algorithms(autotuner)) {
        coll_mtree_verbose(comm, 2,
                           "%s: Open MPI's other algorithms are not tried, since a "
                           "datatype is derived or a parameter of coll_tuned is set",
                           mtree_collective_name(autotuner->call_class.collective));
        return;
    }
    if (!coll_mtree_autotuner_record(autotuner, took, agreed)) {
        return;
    }
    coll_mtree_autotuner_text_verdict(autotuner, text);
    coll_mtree_verbose(comm, 2, "%s", text);
    coll_mtree_autotuner_times(autotuner, seconds);
    coll_mtree_statistics_measured(&trial->count, seconds);
}
