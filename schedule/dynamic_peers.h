/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attaching: an operation of one open stream whose neighbours become known while it runs.
 *
 * Its guide (schedule/operation.h) attaches them, in its turn or when one of its own
 * messages is done, so that all of this happens in the order that the operation's inbox
 * gives.  The operation ends after mtree_dynamic_peers_end(), when nothing is under way
 * any more.  What cannot be attached, for want of memory, makes the operation fail.
 */
#ifndef MTREE_SCHEDULE_DYNAMIC_PEERS_H
#define MTREE_SCHEDULE_DYNAMIC_PEERS_H

#include "schedule/inbox.h"
#include "schedule/operation.h"

/*
 * The ranks whose sums this rank folds its own part into, in this order; once, before the
 * sum goes anywhere.  @a children stays the caller's, until the operation is released.
 */
void mtree_dynamic_peers_children(mtree_operation_t *operation, int num_children,
                                  const int *children);

/* Where the sum goes; once. */
void mtree_dynamic_peers_parent(mtree_operation_t *operation, int rank);

/* Where the result, or what is missing of it when its source has stopped, comes from. */
void mtree_dynamic_peers_source(mtree_operation_t *operation, int rank);

/* Has the source stopped, and is everything here that it sent? */
bool mtree_dynamic_peers_is_stopped(const mtree_operation_t *operation);

/* One to whom the result goes on from chunk @a first, as far as it is there; each rank
 * once. */
void mtree_dynamic_peers_receiver(mtree_operation_t *operation, int rank, size_t first);

/*
 * Stop sending to receiver @a rank; returns the first chunk that it is not sent.  It
 * notices, since in its place, and that of each chunk after it for which the receiver has
 * or will have started a receive, an empty message comes.  The result must be here.
 */
size_t mtree_dynamic_peers_stop(mtree_operation_t *operation, int rank);

/* Nothing more will be attached. */
void mtree_dynamic_peers_end(mtree_operation_t *operation);

/* Is the result here? */
bool mtree_dynamic_peers_is_complete(const mtree_operation_t *operation);

/* The least part of the result that any receiver attached so far was sent; 1: there is
 * none. */
double mtree_dynamic_peers_progress(const mtree_operation_t *operation);

/* Is nothing left to send to those attached so far, and nothing awaited from a source? */
bool mtree_dynamic_peers_is_idle(const mtree_operation_t *operation);

/*
 * Broadcasts only, while nothing is being sent: give from a copy of the result from now
 * on, so that the user's buffer is free.  MTREE_ERR_NO_MEMORY: as before.
 */
mtree_status_t mtree_dynamic_peers_set_aside(mtree_operation_t *operation);

/* The operation's owner need not wait for what is under way: its function is called now.
 */
void mtree_dynamic_peers_let_go(mtree_operation_t *operation);

/* The operation's status, and to give it the first that is not MTREE_OK. */
mtree_status_t mtree_dynamic_peers_status(const mtree_operation_t *operation);
void mtree_dynamic_peers_fail(mtree_operation_t *operation, mtree_status_t status);

/*
 * A message of the guide's own, of @a bytes bytes over @a transport, whose units are
 * bytes.  @a handle is called when it is done and must begin with
 * mtree_dynamic_peers_settle(), which is false, having failed the operation, when it was
 * not.  @a event and @a buffer stay until then.
 */
void mtree_dynamic_peers_send(mtree_operation_t *operation, mtree_transport_t *transport,
                              int peer, int tag, const void *buffer, size_t bytes,
                              mtree_event_t *event, void (*handle)(mtree_event_t *event));
void mtree_dynamic_peers_recv(mtree_operation_t *operation, mtree_transport_t *transport,
                              int peer, int tag, void *buffer, size_t bytes,
                              mtree_event_t *event, void (*handle)(mtree_event_t *event));
bool mtree_dynamic_peers_settle(mtree_operation_t *operation, const mtree_event_t *event);

#endif
