/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue of what waits: for a plan, or for whether it is to be another one.
 *
 * What joins passes in the order in which it joined, each as soon as it is ready and all
 * before it have passed: at once when nothing waits.  That is how a nonblocking call
 * waits without anybody waiting in it.
 */
#ifndef COLL_MTREE_BASE_ORDERED_GATE_H
#define COLL_MTREE_BASE_ORDERED_GATE_H

#include "coll_mtree/coll_mtree.h"

/* A place in a queue; embedded in who waits. */
typedef struct coll_mtree_waiter {
    bool (*is_ready)(struct coll_mtree_waiter *waiter); /* NULL: always */
    void (*pass)(struct coll_mtree_waiter *waiter); /* it may join again, or be freed */
    struct coll_mtree_waiter *next;
} coll_mtree_waiter_t;

typedef struct {
    opal_mutex_t lock;
    coll_mtree_waiter_t *first, **last;
    bool busy; /* somebody lets them pass */
} coll_mtree_ordered_gate_t;

/* An empty queue, and its end: nobody waits in it then. */
void coll_mtree_ordered_gate_init(coll_mtree_ordered_gate_t *gate);
void coll_mtree_ordered_gate_cleanup(coll_mtree_ordered_gate_t *gate);

/* Join as the last, and let pass who may. */
void coll_mtree_ordered_gate_join(coll_mtree_ordered_gate_t *gate,
                                  coll_mtree_waiter_t *waiter);

/* Who waits may have become ready: let pass who may.  From any thread, callbacks too. */
void coll_mtree_ordered_gate_advance(coll_mtree_ordered_gate_t *gate);

#endif
