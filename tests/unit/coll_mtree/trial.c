/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/coll_mtree/trial.h"

#include <check.h>

coll_mtree_call_class_t trial_class(mtree_collective_t collective, size_t bytes)
{
    return coll_mtree_call_class_of(collective, 0, bytes, NULL, -1);
}

bool trial_init(coll_mtree_autotuner_t *autotuner, mtree_confidence_t confidence,
                unsigned base_algorithms)
{
    coll_mtree_call_class_t call_class = trial_class(MTREE_ALLREDUCE, MB);

    return coll_mtree_autotuner_init(
        autotuner, &call_class,
        (mtree_forecast_t){.confidence = confidence, .base_algorithms = base_algorithms},
        true);
}

bool trial_call(coll_mtree_autotuner_t *autotuner, const trial_times_t times,
                coll_mtree_selection_t *selection_p)
{
    *selection_p = coll_mtree_autotuner_select(autotuner);
    return selection_p->timed &&
           coll_mtree_autotuner_record(autotuner, times[selection_p->backend], 1);
}

int trial_run(coll_mtree_autotuner_t *autotuner, const trial_times_t times)
{
    coll_mtree_selection_t selection;
    int calls = 1;

    while (!trial_call(autotuner, times, &selection)) {
        ck_assert_int_lt(++calls, 3000);
    }
    ck_assert(!autotuner->trying);
    return calls;
}
