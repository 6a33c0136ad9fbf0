/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the schedule needs of a network: start a send, start a receive, report the end of
 * each.
 *
 * The PML of Open MPI, MPI's public functions, the simulator and the transport of the
 * unit tests, which delays and reorders messages, implement it.  Two messages from one
 * rank to another with the same tag are received in the order in which they were sent.
 */
#ifndef MTREE_SCHEDULE_TRANSPORT_H
#define MTREE_SCHEDULE_TRANSPORT_H

#include "base/list.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mtree_transport mtree_transport_t;
typedef struct mtree_completion mtree_completion_t;

/* A member of the caller's structure.  It stays in place until @a func is called, exactly
 * once. */
struct mtree_completion {
    void (*func)(mtree_completion_t *self, mtree_status_t status);
    /* Used by the transport while the message is outstanding. */
    mtree_transport_t *transport;
    void *message;
    mtree_list_t link;
    mtree_status_t status;
};

typedef struct {
    /*
     * Start to send @a count units at @a buffer to rank @a peer with @a tag, from 0 to
     * the number of tags - 1.  @a count may be 0.  A synchronous send is done when the
     * receiver has matched it, or has it in its kernel, which shows how fast the link
     * drains, unless the transport cannot tell; another send is done when @a buffer may
     * be reused.  `done->func` may be called before this returns.  It is not called when
     * this returns an error.
     */
    mtree_status_t (*send)(mtree_transport_t *transport, int peer, int tag,
                           const void *buffer, size_t count, bool synchronous,
                           mtree_completion_t *done);

    /* Start to receive @a count units from @a peer with @a tag.  The rest is as for send.
     */
    mtree_status_t (*recv)(mtree_transport_t *transport, int peer, int tag, void *buffer,
                           size_t count, mtree_completion_t *done);

    /* Seconds on any steady clock. */
    double (*now)(mtree_transport_t *transport);

    /* Does the path to @a peer carry all that it can while sends to it are outstanding?
     * False: it loses packets, and those that are sent again take the time.  NULL:
     * always. */
    bool (*is_full)(mtree_transport_t *transport, int peer);
} mtree_transport_ops_t;

struct mtree_transport {
    const mtree_transport_ops_t *ops;
    /*
     * After a failure all other messages end, too.  False: some may stay outstanding for
     * ever.
     */
    bool ends_all;
};

#endif
