#include "coll_mtree/base/deferred_release.h"

#include <stdatomic.h>

static _Atomic(coll_mtree_deferred_release_t *) retired;

void coll_mtree_deferred_release_add(coll_mtree_deferred_release_t *self)
{
    self->next = atomic_load(&retired);
    while (!atomic_compare_exchange_weak(&retired, &self->next, self)) {}
}

void coll_mtree_deferred_release_run(void)
{
    coll_mtree_deferred_release_t *self =
        atomic_load(&retired) == NULL ? NULL : atomic_exchange(&retired, NULL);

    while (self != NULL) {
        coll_mtree_deferred_release_t *next = self->next;

        self->release(self);
        self = next;
    }
}
