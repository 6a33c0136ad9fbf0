/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/deferred_release.h"

#include <stdatomic.h>

static _Atomic(coll_mtree_deferred_release_t *) deferred;

void coll_mtree_deferred_release_add(coll_mtree_deferred_release_t *self)
{
    self->next = atomic_load(&deferred);
    while (!atomic_compare_exchange_weak(&deferred, &self->next, self)) {}
}

void coll_mtree_deferred_release_run(void)
{
    coll_mtree_deferred_release_t *self =
        atomic_load(&deferred) == NULL ? NULL : atomic_exchange(&deferred, NULL);

    while (self != NULL) {
        coll_mtree_deferred_release_t *next = self->next;

        self->release(self);
        self = next;
    }
}
