/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ordered gates: once a gate is open waiters pass in the order in which they joined, each
 * as soon as it is ready and all before it have passed, which may be at once.
 *
 * Nonblocking calls wait for their plan in a gate, and for replies of replan queries,
 * while their callers go on; exchanges of plans wait for the hosts.
 */
#ifndef COLL_MTREE_BASE_ORDERED_GATE_H
#define COLL_MTREE_BASE_ORDERED_GATE_H

#include "coll_mtree/compat.h"

#include "base/list.h"

/* A member of what waits. */
typedef struct coll_mtree_waiter {
    bool (*is_ready)(struct coll_mtree_waiter *waiter); /* NULL: always */
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

/* @a waiter joins as the last (NULL: one may have become ready); let those pass that may.
 * From any thread, in callbacks, too. */
void coll_mtree_ordered_gate_pass(coll_mtree_ordered_gate_t *gate,
                                  coll_mtree_waiter_t *waiter);

/* Does nothing wait?  Then the caller passes at once, without a waiter, and leaves:
 * others pass behind it. */
bool coll_mtree_ordered_gate_enter(coll_mtree_ordered_gate_t *gate);
void coll_mtree_ordered_gate_leave(coll_mtree_ordered_gate_t *gate);

#endif
