/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: messages whose end is looked for, not told by a callback.
 *
 * Where several threads may be in MPI at once a callback may be lost:
 * ompi_request_set_callback() stores it and then looks whether the request is complete,
 * while the thread that completes it looks for a callback and then says so.  When both
 * look first, nobody calls.  So with MPI_THREAD_MULTIPLE every message under way is
 * looked at from within Open MPI's progress.  Where processes may be lost watches have
 * the messages, and callbacks stay.
 */
#ifndef COLL_MTREE_TRANSPORT_COMPLETION_POLL_H
#define COLL_MTREE_TRANSPORT_COMPLETION_POLL_H

#include "schedule/transport.h"

#include <stdbool.h>

/* Called when the request that is `done->message` is complete; frees it. */
typedef void (*coll_mtree_completion_poll_func_t)(mtree_completion_t *done);

/* Begin, with the component and if there may be many @a threads, and end. */
void coll_mtree_completion_poll_open(bool threads,
                                     coll_mtree_completion_poll_func_t func);
void coll_mtree_completion_poll_close(void);

/* Are ends looked for?  Else callbacks tell. */
bool coll_mtree_completion_poll_is_open(void);

/* Look for the end of @a done from now on. */
void coll_mtree_completion_poll_add(mtree_completion_t *done);

#endif
