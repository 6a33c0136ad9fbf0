/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions that are handled outside the PML's callback.
 *
 * Over two PMLs no message may be begun in a callback (docs/openmpi.md).  Over cm it may
 * call Open MPI's progress, when the network has no room, within the progress that called
 * it, and the mtl ofi of 4.1 then loses completions or reports them twice.  Over ucx it
 * may overtake messages to the same peer that UCX's shared memory had no room for.  There
 * a callback only queues the completion, and a poller handles it.
 */
#ifndef COLL_MTREE_TRANSPORT_DEFERRED_COMPLETION_H
#define COLL_MTREE_TRANSPORT_DEFERRED_COMPLETION_H

#include "coll_mtree/coll_mtree.h"

#include "schedule/transport.h"

/* Open with the component, when the PML is known, and close with it. */
void coll_mtree_deferred_completion_open(void);
void coll_mtree_deferred_completion_close(void);

/* From any thread: call done->func(done, status), at once or later as the PML needs it.
 */
void coll_mtree_deferred_completion_call(mtree_completion_t *done, mtree_status_t status);

#endif
