/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/gate.h"

void coll_mtree_gate_init(coll_mtree_gate_t *gate)
{
    OBJ_CONSTRUCT(&gate->lock, opal_mutex_t);
    mtree_list_init(&gate->waiters);
    atomic_init(&gate->is_open, false);
}

void coll_mtree_gate_cleanup(coll_mtree_gate_t *gate)
{
    OBJ_DESTRUCT(&gate->lock);
}

void coll_mtree_gate_open(coll_mtree_gate_t *gate)
{
    mtree_list_t waiters, *link;

    mtree_list_init(&waiters);
    opal_mutex_lock(&gate->lock);
    atomic_store(&gate->is_open, true);
    mtree_list_move(&waiters, &gate->waiters);
    opal_mutex_unlock(&gate->lock);
    while ((link = mtree_list_take(&waiters)) != NULL) {
        coll_mtree_waiter_t *waiter = MTREE_CONTAINER_OF(link, coll_mtree_waiter_t, link);

        waiter->pass(waiter);
    }
}

void coll_mtree_gate_pass(coll_mtree_gate_t *gate, coll_mtree_waiter_t *waiter)
{
    bool passes = atomic_load(&gate->is_open);

    if (!passes) {
        opal_mutex_lock(&gate->lock);
        passes = atomic_load(&gate->is_open);
        if (!passes) {
            mtree_list_append(&gate->waiters, &waiter->link);
        }
        opal_mutex_unlock(&gate->lock);
    }
    if (passes) {
        waiter->pass(waiter);
    }
}
