/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tags of a communicator's messages, among those that neither users nor Open MPI
 * take.
 *
 * Tags are negative; @a limit is the farthest that the PML distinguishes.  Users have
 * those from 0 up, Open MPI counts its calls from -1 down, and mtree has the far end:
 *
 * - Calls: COLL_MTREE_LIVE_CALLS sets of tags, in turn.  A call begins when the one that
 *   had its tags before it has released them on this rank
 *   (coll_mtree/base/call_window.h).
 * - Control messages: COLL_MTREE_CONTROL_TAGS in turn, so that the exchange that had a
 * tag before has ended long ago.
 * - Persistent requests: a slot each while they live (coll_mtree/base/tag_slots.h).  They
 *   come last, so that Open MPI's count stays away as long as there are few of them.
 */
#ifndef COLL_MTREE_BASE_TAG_RANGE_H
#define COLL_MTREE_BASE_TAG_RANGE_H

#include "coll_mtree/base/tag_slots.h"

#include <stdbool.h>

/* Calls of a communicator that may be under way, and the tags that each may use. */
#define COLL_MTREE_LIVE_CALLS 32
#define COLL_MTREE_CALL_TAGS  512

/* Tags of coll_mtree/tcp: two of its handshakes, and one of coll_mtree/tcp/encryption.h.
 */
#define COLL_MTREE_TCP_TAGS 3

/* Tags of control messages. */
#define COLL_MTREE_CONTROL_TAGS 131072

/* One communicator's; zeros are its initial value. */
typedef struct {
    int control; /* tags of control messages taken so far in this round */
    coll_mtree_tag_slots_t slots; /* of persistent requests */
    bool
        is_spent; /* there were too few for a persistent request, which has been logged */
} coll_mtree_tag_range_t;

void coll_mtree_tag_range_cleanup(coll_mtree_tag_range_t *range);

/* The tags that slots may have; below 0: there are too few even for calls. */
int coll_mtree_tag_range_most(int limit);

/*
 * The first tag of a call, of a control protocol with @a count tags, of the persistent
 * request that has slot @a slot.  The others are the next lower ones.
 */
int coll_mtree_tag_range_tcp(int limit);
int coll_mtree_tag_range_call(int limit, unsigned long number);
int coll_mtree_tag_range_control(coll_mtree_tag_range_t *range, int limit, int count);
int coll_mtree_tag_range_persistent(const coll_mtree_tag_range_t *range, int limit,
                                    int slot);

#endif
