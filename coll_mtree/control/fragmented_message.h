/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message of any length, whose length both ends know, in fragments of a bounded
 * length, one after the other.  Its completions are events of an inbox.
 */
#ifndef COLL_MTREE_CONTROL_FRAGMENTED_MESSAGE_H
#define COLL_MTREE_CONTROL_FRAGMENTED_MESSAGE_H

#include "schedule/inbox.h"

#include <stdatomic.h>

typedef struct coll_mtree_fragmented_message coll_mtree_fragmented_message_t;

/* What is to be moved where; the caller sets all of it. */
typedef struct {
    mtree_inbox_t *inbox; /* where the message ends */
    mtree_transport_t *transport;
    size_t longest; /* bytes of a fragment; the same at both ends, at least 1 */
    bool receives;
    int peer, tag;
    char *bytes; /* [length], the caller's, until the end */
    size_t length;
    /* Called in the inbox, exactly once, when all has been moved or something failed. */
    void (*ended)(coll_mtree_fragmented_message_t *message, mtree_status_t status);
    /* Gives up a message of the transport; NULL: this one is never abandoned. */
    void (*cancel)(mtree_completion_t *done);
} coll_mtree_move_t;

struct coll_mtree_fragmented_message {
    mtree_event_t event; /* of the fragment under way */
    coll_mtree_move_t move;
    size_t moved; /* bytes, those of the fragment under way included */
    atomic_bool is_abandoned;
};

/* Start @a message, which must stay in place until its end. */
void coll_mtree_fragmented_message_start(coll_mtree_fragmented_message_t *message,
                                         const coll_mtree_move_t *move);

/*
 * Give up @a message, which has not ended, from any thread.  The fragment under way is
 * cancelled.  Nothing more is received, since nobody may send it; what is sent is sent to
 * the end, since the receiver waits for all of it.
 */
void coll_mtree_fragmented_message_abandon(coll_mtree_fragmented_message_t *message);

#endif
