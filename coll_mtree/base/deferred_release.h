/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References that completion callbacks give up.
 *
 * The PML still uses a communicator when its callback returns, so it must not be released
 * there.  The next call of the user does it.
 */
#ifndef COLL_MTREE_BASE_DEFERRED_RELEASE_H
#define COLL_MTREE_BASE_DEFERRED_RELEASE_H

#include "coll_mtree/coll_mtree.h"

/* A reference to give up; a member of what it refers to. */
typedef struct coll_mtree_deferred_release {
    void (*release)(struct coll_mtree_deferred_release *self);
    struct coll_mtree_deferred_release *next;
} coll_mtree_deferred_release_t;

/* From any thread: have self->release(self) called later. */
void coll_mtree_deferred_release_add(coll_mtree_deferred_release_t *self);

/* From a thread of the user, outside callbacks: call the releases that were added. */
void coll_mtree_deferred_release_run(void);

#endif
