/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/comm_class.h"

#include "coll_mtree/adapt/arrival_skew.h"

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

static void comm_class_clear(void *element)
{
    coll_mtree_comm_class_t *comm_class = element;

    coll_mtree_arrival_skew_destroy(comm_class->skew);
}

void coll_mtree_comm_classes_destroy(mca_coll_mtree_module_t *module)
{
    coll_mtree_class_table_cleanup(&module->classes, comm_class_clear);
}
