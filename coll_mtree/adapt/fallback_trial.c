/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/fallback_trial.h"

#include "coll_mtree/adapt/scratch_call.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"

/* The calls are off: compare them with the fallback. */
static void judge(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                  coll_mtree_comm_class_t *comm_class,
                  const coll_mtree_first_call_t *what)
{
    coll_mtree_first_calls_t *first = &comm_class->first_calls;
    const coll_mtree_call_class_t *call_class = &comm_class->node.call_class;
    double seconds[COLL_MTREE_FALLBACK_CALLS], measured[COLL_MTREE_BACKENDS] = {0};
    char text[COLL_MTREE_FIRST_CALLS_TEXT];
    int count;

    coll_mtree_scratch_calls_time(module, comm, what->call, &module->fallback, 0, seconds,
                                  &count);
    coll_mtree_first_calls_judge(first, seconds, count);
    if (count == 0) {
        return;
    }
    measured[COLL_MTREE_TREES] = first->took;
    measured[COLL_MTREE_FALLBACK] = first->fallback;
    coll_mtree_statistics_measured(what->count, measured);
    coll_mtree_first_calls_format(first, call_class->collective, call_class->bytes, text);
    coll_mtree_verbose(comm, first->state == COLL_MTREE_FIRST_CALLS_LEAVE ? 1 : 2, "%s",
                       text);
}

/* The ranks agree on what the calls took of which they do not know it yet. */
static void agree(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                  coll_mtree_first_calls_t *first, double lead)
{
    coll_mtree_call_time_t agreed[COLL_MTREE_CALL_TIMES];
    int count = first->times.count;
    double fails = 0;

    coll_mtree_agreed_times(module, comm, &first->times, agreed, &fails);
    if (fails > 0) {
        first->state = COLL_MTREE_FIRST_CALLS_STAY;
        return;
    }
    for (int i = 0; i < count; i++) {
        double expected = first->expecting[i];

        coll_mtree_first_calls_add(
            first, coll_mtree_first_calls_seconds(&agreed[i], expected), expected, lead);
    }
}

void coll_mtree_fallback_trial_note(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm,
                                    coll_mtree_comm_class_t *comm_class,
                                    const coll_mtree_first_call_t *what)
{
    coll_mtree_first_calls_t *first = &comm_class->first_calls;

    if (coll_mtree_first_calls_note(first, what->began, mtree_clock_seconds(),
                                    what->expected)) {
        agree(module, comm, first, what->lead);
    }
    if (first->state == COLL_MTREE_FIRST_CALLS_OFF) {
        judge(module, comm, comm_class, what);
    }
}
