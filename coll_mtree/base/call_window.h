/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of a communicator that may be under way at a time.
 *
 * Calls are numbered as they are issued, which is one order on all ranks.  Call n has
 * the set of tags n % COLL_MTREE_LIVE_CALLS (coll_mtree/base/tag_range.h), and begins
 * when its plan is known and call n - COLL_MTREE_LIVE_CALLS has left: it has ended on
 * this rank, and no message of it is under way any more.  That needs no word from other
 * ranks.  Let a rank send messages of both calls with one tag to another one.  Each has
 * begun the later call after the earlier one had left, so the sends of the earlier call
 * come before those of the later one, and so do its receives.  Messages with one sender
 * and one tag are matched in order: each meets a receive of its own call.
 *
 * COLL_MTREE_LONG_CALLS calls run whatever their size, and more while all together have
 * at most COLL_MTREE_LONG_BYTES (coll_mtree/base/tuning.h).  More would not be faster,
 * and the PML searches the list of posted receives for that of a message: many calls
 * would take quadratic time.
 *
 * No call waits for ever.  Of all calls that have not left on some rank, take the first.
 * Those before it have left everywhere, so its tags are free, and on each rank it is the
 * first that has not left, which begins however much is under way.
 *
 * A call that fails may have messages under way for ever.  From then on the communicator
 * is broken and all calls begin at once, most of which fail, too.
 */
#ifndef COLL_MTREE_BASE_CALL_WINDOW_H
#define COLL_MTREE_BASE_CALL_WINDOW_H

#include "coll_mtree/base/tag_range.h"

#include "base/list.h"

#include <stddef.h>

/* A call, as part of something larger. */
typedef struct {
    unsigned long number;
    size_t bytes; /* of its vector */
    mtree_list_t link;
} coll_mtree_windowed_call_t;

typedef struct {
    unsigned long issued;                      /* calls so far */
    unsigned long left[COLL_MTREE_LIVE_CALLS]; /* those that have left, of each set */
    bool is_broken;
    int num_running; /* calls that have begun and not left */
    size_t bytes;    /* of these */
    mtree_list_t waiting,
        ready; /* for their tags; those that have them, the earliest first
                */
} coll_mtree_call_window_t;

void coll_mtree_call_window_init(coll_mtree_call_window_t *window);

/* @a call, whose number and bytes are set and whose plan is known, waits until it may
 * begin. */
void coll_mtree_call_window_enter(coll_mtree_call_window_t *window,
                                  coll_mtree_windowed_call_t *call);

/* The next call that may begin, which is taken; or NULL. */
coll_mtree_windowed_call_t *coll_mtree_call_window_take(coll_mtree_call_window_t *window);

/* @a call, which had begun, has left. */
void coll_mtree_call_window_leave(coll_mtree_call_window_t *window,
                                  const coll_mtree_windowed_call_t *call);

/* A call has failed. */
void coll_mtree_call_window_break(coll_mtree_call_window_t *window);

#endif
