#include "coll_mtree_retired.h"

#include <stdatomic.h>

static _Atomic(coll_mtree_retired_t *) retired;

void coll_mtree_retired_add(coll_mtree_retired_t *self)
{
    self->next = atomic_load(&retired);
    while (!atomic_compare_exchange_weak(&retired, &self->next, self)) {}
}

void coll_mtree_retired_release(void)
{
    coll_mtree_retired_t *self =
        atomic_load(&retired) == NULL ? NULL : atomic_exchange(&retired, NULL);

    while (self != NULL) {
        coll_mtree_retired_t *next = self->next;

        self->release(self);
        self = next;
    }
}
