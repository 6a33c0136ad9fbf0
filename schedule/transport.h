/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the schedule needs of a network: start a send, start a receive, tell when each is
 * done.
 *
 * Open MPI's PML is one transport, the simulator's virtual clock another, a test
 * transport that delays and reorders a third.  Two messages from one rank to another with
 * the same tag are received in the order they were sent.
 */
#ifndef MTREE_SCHEDULE_TRANSPORT_H
#define MTREE_SCHEDULE_TRANSPORT_H

#include "base/list.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mtree_transport mtree_transport_t;
typedef struct mtree_completion mtree_completion_t;

/* Embedded in the caller's slot; must stay in place until @a func is called, exactly
 * once. */
struct mtree_completion {
    void (*func)(mtree_completion_t *self, mtree_status_t status);
    /* The transport's own, while the message is under way. */
    mtree_transport_t *transport;
    void *message;
    mtree_list_t link;
    mtree_status_t status;
    bool empty; /* of a receive that is done: what came was an empty message */
};

typedef struct {
    /*
     * Start sending @a count units at @a buffer to rank @a peer with @a tag (0 .. number
     * of tags - 1).  A @a synchronous send is done when the receiver has matched it,
     * which tells how fast the link drains, unless the transport cannot tell; another is
     * done when @a buffer may be reused.
     * `done->func` may be called before this returns.  When it returns an error,
     * `done->func` is not called.  @a count may be zero.
     */
    mtree_status_t (*send)(mtree_transport_t *transport, int peer, int tag,
                           const void *buffer, size_t count, bool synchronous,
                           mtree_completion_t *done);

    /* Start receiving @a count units from @a peer with @a tag, or an empty message in
     * their place, which leaves @a buffer alone; `done->empty` tells.  The rest as for
     * send. */
    mtree_status_t (*recv)(mtree_transport_t *transport, int peer, int tag, void *buffer,
                           size_t count, mtree_completion_t *done);

    /* Seconds on any steady clock. */
    double (*now)(mtree_transport_t *transport);
} mtree_transport_ops_t;

struct mtree_transport {
    const mtree_transport_ops_t *ops;
    /*
     * After a failure: the other messages come to their ends, too.  Else some may be
     * under way for ever.
     */
    bool ends_all;
};

#endif
