/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects whose last reference was given up inside a completion callback.
 *
 * Releasing a communicator there would take it from under the PML, which still uses it
 * when the callback returns; so it is done by the next call of the user's.
 */
#ifndef COLL_MTREE_BASE_DEFERRED_RELEASE_H
#define COLL_MTREE_BASE_DEFERRED_RELEASE_H

#include "coll_mtree/coll_mtree.h"

/* A reference that is to be given up; embedded in what is done with. */
typedef struct coll_mtree_deferred_release {
    void (*release)(struct coll_mtree_deferred_release *self);
    struct coll_mtree_deferred_release *next;
} coll_mtree_deferred_release_t;

/* From any thread: call self->release(self) later. */
void coll_mtree_deferred_release_add(coll_mtree_deferred_release_t *self);

/* From a thread of the user's, outside callbacks: call all releases that are due. */
void coll_mtree_deferred_release_run(void);

#endif
