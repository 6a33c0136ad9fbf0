/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic peers: an operation with one open stream, whose neighbours become known while
 * it runs.
 *
 * Its controller (schedule/operation.h) adds them, in its progress function or when one
 * of its own messages is done, so that everything happens in the order of the operation's
 * inbox. The operation ends after mtree_dynamic_peers_end(), when nothing is outstanding.
 */
#ifndef MTREE_SCHEDULE_DYNAMIC_PEERS_H
#define MTREE_SCHEDULE_DYNAMIC_PEERS_H

#include "schedule/inbox.h"
#include "schedule/operation.h"

/*
 * Set the children, whose sums this rank adds to its own part in this order; once, before
 * the sum is sent.  @a children stays the caller's until the operation is released.
 */
void mtree_dynamic_peers_children(mtree_operation_t *operation, int num_children,
                                  const int *children);

/* Set the parent, which the sum is sent to; once. */
void mtree_dynamic_peers_parent(mtree_operation_t *operation, int rank);

/* Set the source of the result; once. */
void mtree_dynamic_peers_source(mtree_operation_t *operation, int rank);

/* Add a receiver, which is sent the result; each rank once. */
void mtree_dynamic_peers_receiver(mtree_operation_t *operation, int rank);

/* No more peers will be added. */
void mtree_dynamic_peers_end(mtree_operation_t *operation);

/* Is the result complete? */
bool mtree_dynamic_peers_is_complete(const mtree_operation_t *operation);

/* The least part of the result that any receiver was sent so far; 1: there is none. */
double mtree_dynamic_peers_progress(const mtree_operation_t *operation);

/* Has everything been sent to the receivers so far? */
bool mtree_dynamic_peers_is_idle(const mtree_operation_t *operation);

/* In broadcasts, while nothing is being sent: copy the result and send from the copy, so
 * that the user's buffer is free. */
void mtree_dynamic_peers_copy_result(mtree_operation_t *operation);

/* End the operation now, although messages are outstanding. */
void mtree_dynamic_peers_detach(mtree_operation_t *operation);

/*
 * Send, or receive if it @a receives, a message of the controller, of @a bytes bytes over
 * @a transport, whose unit is the byte.  @a handle is called when it is done.  It must
 * begin with mtree_operation_ended() (schedule/operation_private.h).  @a event and @a
 * buffer stay until then.  False: it could not be started, and the operation has failed.
 */
bool mtree_dynamic_peers_message(mtree_operation_t *operation,
                                 mtree_transport_t *transport, bool receives, int peer,
                                 int tag, void *buffer, size_t bytes,
                                 mtree_event_t *event,
                                 void (*handle)(mtree_event_t *event));

#endif
