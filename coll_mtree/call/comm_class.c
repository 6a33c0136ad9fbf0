/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/comm_class.h"

#include "coll_mtree/adapt/arrival_skew.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/select/trial_rule.h"

#include <stdlib.h>

/*
 * The size classes between an autotuner and those that it may learn from: few, but more
 * where trees were the fastest, because with longer messages nothing can be much faster
 * than trees that are near the network's limit.
 */
#define LEARN_CLASSES       2
#define LEARN_CLASSES_TREES 6

coll_mtree_comm_class_t *coll_mtree_comm_class_of(mca_coll_mtree_module_t *module,
                                                  const coll_mtree_coll_args_t *args,
                                                  bool may_relay)
{
    const mtree_call_t *call = &args->call;
    coll_mtree_call_class_t call_class = coll_mtree_call_class_of(
        call->collective, call->root, call->units * call->unit_bytes,
        module->hints.algorithm[call->collective], module->hints.own.trees);
    coll_mtree_comm_class_t *comm_class;

    call_class.relayed = may_relay;
    comm_class = coll_mtree_comm_class_get(module, &call_class);
    if (comm_class != NULL && comm_class->left_relays) {
        call_class.relayed = false;
        comm_class = coll_mtree_comm_class_get(module, &call_class);
    }
    if (comm_class != NULL && !args->keeps_order &&
        coll_mtree_arrival_skew_is_by_arrival(comm_class->skew)) {
        call_class.by_arrival = true;
        call_class.relayed = false;
        comm_class = coll_mtree_comm_class_get(module, &call_class);
    }
    return comm_class;
}

/* Leave out of the first trial of @a comm_class what calls that are only shorter showed
 * to be slower. */
static void learn_from_shorter(const mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm,
                               const coll_mtree_comm_class_t *comm_class)
{
    for (int classes = 1; classes <= LEARN_CLASSES_TREES; classes++) {
        coll_mtree_call_class_t call_class = comm_class->node.call_class;
        const coll_mtree_comm_class_t *shorter;

        call_class.size_class -= classes;
        shorter = coll_mtree_class_table_find(&module->classes, &call_class);
        if (shorter != NULL && shorter->known &&
            (classes <= LEARN_CLASSES ||
             coll_mtree_autotuner_backend(shorter->autotuner) == COLL_MTREE_TREES) &&
            coll_mtree_autotune_learn(comm_class->autotuner, shorter->autotuner, comm)) {
            return;
        }
    }
}

bool coll_mtree_comm_class_autotune(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm,
                                    coll_mtree_comm_class_t *comm_class,
                                    mtree_forecast_t forecast, bool *ring_p)
{
    coll_mtree_autotuner_t *autotuner = malloc(sizeof(*autotuner));

    if (autotuner == NULL) {
        return false;
    }
    *ring_p = coll_mtree_autotuner_init(autotuner, &comm_class->node.call_class, forecast,
                                        coll_mtree_params.autotune >=
                                            COLL_MTREE_AUTOTUNE_EXACT);
    if (comm_class->autotuner != NULL && comm_class->autotuner->open == autotuner->open &&
        coll_mtree_autotuner_has(comm_class->autotuner, COLL_MTREE_RING) == *ring_p) {
        free(autotuner);
        return true;
    }
    free(comm_class->autotuner);
    comm_class->autotuner = autotuner;
    learn_from_shorter(module, comm, comm_class);
    return true;
}

static void comm_class_clear(void *element)
{
    coll_mtree_comm_class_t *comm_class = element;

    coll_mtree_arrival_skew_destroy(comm_class->skew);
    free(comm_class->autotuner);
}

void coll_mtree_comm_classes_destroy(mca_coll_mtree_module_t *module)
{
    coll_mtree_class_table_cleanup(&module->classes, comm_class_clear);
}
