/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes: the few tags that the streams between two ranks share.
 *
 * A message is matched by its sender and its tag, so a tag has to be unique only among
 * the streams that flow from one rank to one other.  Both ends number these alike: in the
 * order of the call's streams, in a lockstep first by the step in which the data passes.
 * Number n has lane n % lanes and waits until its predecessor in the lane, n - lanes, is
 * out of the way: the sender until all chunks of the predecessor have been handed to the
 * transport, the receiver until all its receives are posted.  Messages with one sender
 * and one tag are matched in the order in which they were sent, so each finds its
 * receive.
 *
 * Nobody waits for ever.  Take the first stream of the call that is not out of the way on
 * all its edges.  Those before it are, so it is open everywhere and advances as if it
 * were alone; what is sent behind it needs nothing but posted receives, of which each
 * that is matched makes room for the next.  In a lockstep a predecessor belongs to the
 * same or an earlier step.
 */
#ifndef MTREE_SCHEDULE_LANES_H
#define MTREE_SCHEDULE_LANES_H

#include "planner/plan/collective.h"

#include <stdbool.h>
#include <stddef.h>

/* Lanes from one rank to another: without and with a block for each rank, whose streams
 * are many.  With fewer streams than lanes each goes on as soon as it can. */
#define MTREE_LANES       32
#define MTREE_BLOCK_LANES 256

/* Tags of a lane: its data, and the credit that goes the other way. */
enum { MTREE_TAG_DATA, MTREE_TAG_CREDIT, MTREE_LANE_TAGS };

/* Lanes of a stream whose peers become known while it runs: for sums, for the result. */
#define MTREE_OPEN_LANES 2

/* Tags of a call at most, whatever its plan and its ranks. */
#define MTREE_CALL_TAGS (MTREE_BLOCK_LANES * MTREE_LANE_TAGS)

static inline int mtree_lanes(mtree_collective_t collective)
{
    return mtree_collective_has_blocks(collective) ? MTREE_BLOCK_LANES : MTREE_LANES;
}

/* The turn of one stream from one rank to another, at one of the two. */
typedef struct mtree_turn {
    struct mtree_turn *following; /* the next number of the same pair */
    int lane;
    bool is_open;  /* no predecessor is in the way */
    bool is_ended; /* it is out of the way */
} mtree_turn_t;

/* The turns from one rank to another; zeros are the initial value. */
typedef struct {
    mtree_turn_t *first, *last; /* of those that were not dropped */
    int dropped;
    int count; /* with those that were dropped */
} mtree_turns_t;

/* Give @a turn the next number of @a turns, which share @a lanes lanes. */
void mtree_turns_add(mtree_turns_t *turns, mtree_turn_t *turn, int lanes);

/* Forget the first of @a turns, which has ended, as have all that were dropped before. */
void mtree_turns_drop(mtree_turns_t *turns);

/* What @a turn stands for is out of the way: open its successor in the lane, which is
 * returned; NULL: it has none.  Called once. */
mtree_turn_t *mtree_turn_end(mtree_turn_t *turn, int lanes);

#endif
