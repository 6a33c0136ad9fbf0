/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/ordered_gate.h"

void coll_mtree_ordered_gate_init(coll_mtree_ordered_gate_t *gate)
{
    OBJ_CONSTRUCT(&gate->lock, opal_mutex_t);
    mtree_list_init(&gate->waiters);
    gate->is_open = gate->busy = false;
}

void coll_mtree_ordered_gate_cleanup(coll_mtree_ordered_gate_t *gate)
{
    OBJ_DESTRUCT(&gate->lock);
}

/* Take the first waiter if it may pass; else NULL. */
static coll_mtree_waiter_t *gate_take(coll_mtree_ordered_gate_t *gate)
{
    mtree_list_t *link = gate->is_open ? mtree_list_take(&gate->waiters) : NULL;

    return link == NULL ? NULL : MTREE_CONTAINER_OF(link, coll_mtree_waiter_t, link);
}

void coll_mtree_ordered_gate_pass(coll_mtree_ordered_gate_t *gate,
                                  coll_mtree_waiter_t *waiter)
{
    bool was_busy;

    opal_mutex_lock(&gate->lock);
    if (waiter != NULL) {
        mtree_list_append(&gate->waiters, &waiter->link);
    }
    was_busy = gate->busy;
    gate->busy = true;
    opal_mutex_unlock(&gate->lock);
    if (!was_busy) {
        coll_mtree_ordered_gate_leave(gate);
    }
}

void coll_mtree_ordered_gate_open(coll_mtree_ordered_gate_t *gate)
{
    opal_mutex_lock(&gate->lock);
    gate->is_open = true;
    opal_mutex_unlock(&gate->lock);
    coll_mtree_ordered_gate_pass(gate, NULL);
}

bool coll_mtree_ordered_gate_enter(coll_mtree_ordered_gate_t *gate)
{
    bool enters;

    opal_mutex_lock(&gate->lock);
    enters = gate->is_open && !gate->busy && mtree_list_is_empty(&gate->waiters);
    gate->busy = gate->busy || enters;
    opal_mutex_unlock(&gate->lock);
    return enters;
}

/* The thread that lets waiters pass looks again before it ends, so they pass one at a
 * time. */
void coll_mtree_ordered_gate_leave(coll_mtree_ordered_gate_t *gate)
{
    coll_mtree_waiter_t *waiter;

    opal_mutex_lock(&gate->lock);
    while ((waiter = gate_take(gate)) != NULL) {
        opal_mutex_unlock(&gate->lock);
        waiter->pass(waiter);
        opal_mutex_lock(&gate->lock);
    }
    gate->busy = false;
    opal_mutex_unlock(&gate->lock);
}
