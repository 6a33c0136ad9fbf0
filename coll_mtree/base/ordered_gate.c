/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/ordered_gate.h"

void coll_mtree_ordered_gate_init(coll_mtree_ordered_gate_t *gate)
{
    OBJ_CONSTRUCT(&gate->lock, opal_mutex_t);
    gate->first = NULL;
    gate->last = &gate->first;
    gate->busy = false;
}

void coll_mtree_ordered_gate_cleanup(coll_mtree_ordered_gate_t *gate)
{
    OBJ_DESTRUCT(&gate->lock);
}

/* Take who may pass; NULL: nobody may. */
static coll_mtree_waiter_t *gate_take(coll_mtree_ordered_gate_t *gate)
{
    coll_mtree_waiter_t *waiter = gate->first;

    if (waiter == NULL || (waiter->is_ready != NULL && !waiter->is_ready(waiter))) {
        return NULL;
    }
    gate->first = waiter->next;
    if (gate->first == NULL) {
        gate->last = &gate->first;
    }
    return waiter;
}

void coll_mtree_ordered_gate_advance(coll_mtree_ordered_gate_t *gate)
{
    coll_mtree_waiter_t *waiter;

    opal_mutex_lock(&gate->lock);
    /* Who is at it looks again before it ends.  So they pass one at a time. */
    if (gate->busy) {
        opal_mutex_unlock(&gate->lock);
        return;
    }
    gate->busy = true;
    while ((waiter = gate_take(gate)) != NULL) {
        opal_mutex_unlock(&gate->lock);
        waiter->pass(waiter);
        opal_mutex_lock(&gate->lock);
    }
    gate->busy = false;
    opal_mutex_unlock(&gate->lock);
}

void coll_mtree_ordered_gate_join(coll_mtree_ordered_gate_t *gate,
                                  coll_mtree_waiter_t *waiter)
{
    waiter->next = NULL;
    opal_mutex_lock(&gate->lock);
    *gate->last = waiter;
    gate->last = &waiter->next;
    opal_mutex_unlock(&gate->lock);
    coll_mtree_ordered_gate_advance(gate);
}
