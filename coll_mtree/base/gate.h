/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gates: waiters pass when the gate opens, in the order in which they joined, and at once
 * when it is open.  It stays open.
 *
 * Calls wait for their plan in a gate, nonblocking ones while their callers go on.
 */
#ifndef COLL_MTREE_BASE_GATE_H
#define COLL_MTREE_BASE_GATE_H

#include "coll_mtree/compat.h"

#include "base/list.h"

#include <stdatomic.h>

/* A member of what waits. */
typedef struct coll_mtree_waiter {
    void (*pass)(struct coll_mtree_waiter *waiter); /* it may be freed */
    mtree_list_t link;                              /* in the gate */
} coll_mtree_waiter_t;

typedef struct {
    opal_mutex_t lock; /* of the waiters */
    mtree_list_t waiters;
    atomic_bool is_open; /* changed under the lock */
} coll_mtree_gate_t;

/* An empty gate, which is closed; and its end, when it is empty again. */
void coll_mtree_gate_init(coll_mtree_gate_t *gate);
void coll_mtree_gate_cleanup(coll_mtree_gate_t *gate);

/* Open it; or have @a waiter join and, if it is open, pass.  From any thread, in
 * callbacks, too. */
void coll_mtree_gate_open(coll_mtree_gate_t *gate);
void coll_mtree_gate_pass(coll_mtree_gate_t *gate, coll_mtree_waiter_t *waiter);

#endif
