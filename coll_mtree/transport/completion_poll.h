/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion of messages by polling: every message under way is in one list, which is
 * looked at from within Open MPI's progress.  Two cases need it; else callbacks are set.
 *
 * With MPI_THREAD_MULTIPLE a callback may be lost: ompi_request_set_callback() stores the
 * callback and then tests whether the request is complete, while the thread that
 * completes the request tests for a callback and then marks it complete.  When both test
 * first, nobody calls.  Where processes may be lost
 * coll_mtree/transport/failure_monitor.h has the messages, and callbacks stay.
 *
 * Over two PMLs no message may be begun in a callback (docs/openmpi.md).  Over cm it may
 * call Open MPI's progress, when the network has no room, within the progress that called
 * it, and the mtl ofi of 4.1 then loses completions or reports them twice.  Over ucx it
 * may overtake messages to the same peer that UCX's shared memory had no room for.
 */
#ifndef COLL_MTREE_TRANSPORT_COMPLETION_POLL_H
#define COLL_MTREE_TRANSPORT_COMPLETION_POLL_H

#include "schedule/transport.h"

#include <stdbool.h>

/* Called when the request that is `done->message` is complete; frees it. */
typedef void (*coll_mtree_completion_poll_func_t)(mtree_completion_t *done);

/* Open with the component, when the PML is known, and close with it; @a threads: several
 * threads may call MPI at the same time. */
void coll_mtree_completion_poll_open(bool threads,
                                     coll_mtree_completion_poll_func_t func);
void coll_mtree_completion_poll_close(void);

/* Are messages polled?  Otherwise callbacks are set. */
bool coll_mtree_completion_poll_is_open(void);

/* Poll @a done, whose `message` is set, from now on. */
void coll_mtree_completion_poll_add(mtree_completion_t *done);

/* Cancel the request of @a done if it is still polled. */
void coll_mtree_completion_poll_cancel(mtree_completion_t *done);

#endif
