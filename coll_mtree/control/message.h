/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control messages: what ranks send each other besides the data of calls.  The owner of a
 * message waits for it with a deadline of its own, so a process that has gone cannot hold
 * up the others.  Where no function waits, ranks use coll_mtree/control/exchange.h.
 *
 * A message is one object from its start until its owner gives it back, by finding that
 * it has ended or by abandoning it.
 */
#ifndef COLL_MTREE_CONTROL_MESSAGE_H
#define COLL_MTREE_CONTROL_MESSAGE_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/transport/progress.h"

/* What the messages of one protocol have in common; the same on all its ranks. */
typedef struct {
    ompi_communicator_t *comm;
    int first_tag;                    /* tag i is first_tag - i for the PML */
    size_t longest;                   /* bytes of a fragment */
    coll_mtree_wait_t wait;           /* how functions that block wait */
    void (*count_sent)(size_t bytes); /* counts what is sent; NULL: it is not counted */
} coll_mtree_channel_t;

typedef struct coll_mtree_message coll_mtree_message_t;

/*
 * Start one that @a sends @a length bytes to rank @a peer, or receives as many, of which
 * fewer may come when they fit in one fragment.  @a bytes stays the caller's and must
 * remain until the end; what is sent is only read.
 */
coll_mtree_message_t *coll_mtree_message_start(const coll_mtree_channel_t *channel,
                                               bool sends, int peer, int tag, void *bytes,
                                               size_t length);

/*
 * True when *message_p has ended, or is NULL, as it is from then on.  *status_p (may be
 * NULL) is how it ended: MTREE_OK or MTREE_ERR_TRANSPORT, for NULL MTREE_OK.
 */
bool coll_mtree_message_test(coll_mtree_message_t **message_p, mtree_status_t *status_p);

/*
 * Wait for the end of *message_p until @a deadline (mtree_clock_seconds()); true when it
 * has come and all went well.  Otherwise *message_p is to be abandoned.
 */
bool coll_mtree_message_wait(coll_mtree_message_t **message_p, double deadline);

/*
 * Give up *message_p (may be NULL), which is NULL afterwards.  @a owned, which is
 * malloc'ed and holds its bytes (NULL: nothing does), is freed, at once or when the PML
 * no longer needs it.
 */
void coll_mtree_message_abandon(coll_mtree_message_t **message_p, void *owned);

/* The PML is closed, so that nothing ends any more: free *message_p, which may be NULL,
 * and its bytes @a owned. */
void coll_mtree_message_forget(coll_mtree_message_t **message_p, void *owned);

/*
 * The same as one blocking call with a deadline, for few bytes, which are copied.  False:
 * they have not left or come in time.
 */
bool coll_mtree_message_send_copy(const coll_mtree_channel_t *channel, int peer, int tag,
                                  const void *bytes, size_t length, double deadline);
bool coll_mtree_message_recv_copy(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void *bytes, size_t length, double deadline);

/*
 * The same for many bytes, whose number the receiver does not know.  @a owned is
 * malloc'ed (NULL: there are none) and freed by this; *bytes_p is malloc'ed (NULL: there
 * are none), the caller's.  The receiver waits for their number until @a deadline, and
 * for the bytes themselves as long as a slow network may need; what the sender has not
 * sent by @a deadline leaves later.
 */
bool coll_mtree_message_send_bulk(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void *owned, size_t length, double deadline);
bool coll_mtree_message_recv_bulk(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void **bytes_p, size_t *length_p, double deadline);

#endif
