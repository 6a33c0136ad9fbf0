/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends of messages that are handled a little later.
 *
 * Two PMLs cannot bear it that a message is begun in a callback (docs/openmpi.md).  Over
 * cm it may call Open MPI's progress, when the network has no room, within the progress
 * that called it, and the mtl ofi of 4.1 then loses ends of messages or tells them twice.
 * Over ucx it may overtake messages to the same peer that UCX's shared memory had no room
 * for.  So there a callback only notes the end, and mtree handles it at a turn of its
 * own.
 */
#ifndef COLL_MTREE_TRANSPORT_DEFERRED_COMPLETION_H
#define COLL_MTREE_TRANSPORT_DEFERRED_COMPLETION_H

#include "coll_mtree/coll_mtree.h"

#include "schedule/transport.h"

/* Begin and end to take turns in Open MPI's progress, with the component. */
void coll_mtree_deferred_completion_open(void);
void coll_mtree_deferred_completion_close(void);

/* From any thread: call done->func(done, status), at once or later as the PML needs it.
 */
void coll_mtree_deferred_completion_call(mtree_completion_t *done, mtree_status_t status);

#endif
