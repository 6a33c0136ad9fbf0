/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ordered gates: once a gate is open waiters pass in the order in which they joined,
 * which may be at once.
 *
 * Calls wait for their plan in a gate, nonblocking ones while their callers go on.
 * Exchanges of plans wait for the hosts, or for the plan before.
 */
#ifndef COLL_MTREE_BASE_ORDERED_GATE_H
#define COLL_MTREE_BASE_ORDERED_GATE_H

#include "coll_mtree/compat.h"

#include "base/list.h"

/* A member of what waits. */
typedef struct coll_mtree_waiter {
    void (*pass)(struct coll_mtree_waiter *waiter); /* it may join again, or be freed */
    mtree_list_t link;                              /* in the gate */
} coll_mtree_waiter_t;

typedef struct {
    opal_mutex_t lock;
    mtree_list_t waiters;
    bool is_open;
    bool busy; /* a thread passes, or lets waiters pass */
} coll_mtree_ordered_gate_t;

/* An empty gate, which is closed; open it, from any thread; and its end, when it is empty
 * again. */
void coll_mtree_ordered_gate_init(coll_mtree_ordered_gate_t *gate);
void coll_mtree_ordered_gate_open(coll_mtree_ordered_gate_t *gate);
void coll_mtree_ordered_gate_cleanup(coll_mtree_ordered_gate_t *gate);

/* @a waiter (NULL: none) joins as the last; those pass that may.  From any thread, in
 * callbacks, too. */
void coll_mtree_ordered_gate_pass(coll_mtree_ordered_gate_t *gate,
                                  coll_mtree_waiter_t *waiter);

/* Does nothing wait?  Then the caller passes at once, without a waiter, and leaves:
 * others pass behind it. */
bool coll_mtree_ordered_gate_enter(coll_mtree_ordered_gate_t *gate);
void coll_mtree_ordered_gate_leave(coll_mtree_ordered_gate_t *gate);

#endif
