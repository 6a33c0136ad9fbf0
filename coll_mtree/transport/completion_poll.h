/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion of messages by polling, for MPI_THREAD_MULTIPLE.
 *
 * A callback may be lost there: ompi_request_set_callback() stores the callback and then
 * tests whether the request is complete, while the thread that completes the request
 * tests for a callback and then marks it complete.  When both test first, nobody calls.
 * So with MPI_THREAD_MULTIPLE every message under way is polled from within Open MPI's
 * progress.  Where processes may be lost coll_mtree/transport/failure_monitor.h has the
 * messages, and callbacks stay.
 */
#ifndef COLL_MTREE_TRANSPORT_COMPLETION_POLL_H
#define COLL_MTREE_TRANSPORT_COMPLETION_POLL_H

#include "schedule/transport.h"

#include <stdbool.h>

/* Called when the request that is `done->message` is complete; frees it. */
typedef void (*coll_mtree_completion_poll_func_t)(mtree_completion_t *done);

/* Open with the component and close with it; @a threads: several threads may call MPI at
 * the same time. */
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
