/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks: how long the messages are into which a stream is cut, how many of them a
 * receiver has room for, and how many bytes of them may be under way to a peer.
 */
#ifndef MTREE_SCHEDULE_CHUNKS_H
#define MTREE_SCHEDULE_CHUNKS_H

#include "schedule/call.h"

/* Bytes of a chunk of a share of @a length bytes, where the plan gives no size.  All
 * shares have as many chunks as the @a longest. */
size_t mtree_chunk_default(size_t length, size_t longest);

/* Units of a chunk of @a bytes in @a call: at least one, within the limit of the call. */
size_t mtree_chunk_units(const mtree_call_t *call, size_t bytes);

/* Bytes that are sent at @a rate bits/s before the credit for the first is back, over an
 * edge of @a latency seconds. */
double mtree_chunk_outstanding(const mtree_call_t *call, double rate, double latency);

/*
 * Chunks of @a chunk units of @a call that a receiver needs memory for in a tree of @a
 * rate bits/s whose longest edge has @a latency seconds, so that the credit for a free
 * slot is back before the sender has used up the others, also when one message is late by
 * `recovery`.  All of that comes from the plan, so both ends compute the same.
 */
size_t mtree_chunk_slots(const mtree_call_t *call, double rate, double latency,
                         size_t chunk);

/*
 * Bytes that are outstanding to a peer with a planned rate of @a rate bits/s (0: not
 * known) and a round-trip time of @a trip seconds before the next chunk of @a chunk bytes
 * waits.  What is planned on a link adds up to no more than the link's rate, so all
 * windows together leave the same short time in its queue.
 */
size_t mtree_chunk_window(double rate, double trip, size_t chunk);

/*
 * The same where each host sends to all others itself.  Two chunks are what a peer's part
 * of the queue holds (MTREE_CHUNK_PAYLOAD_SECONDS), and a third one for every peer would
 * overflow it.
 */
size_t mtree_chunk_direct_window(double rate, double trip, size_t chunk);

/*
 * Do windows begin with slow start (RFC 5681), where the farthest peer has a round-trip
 * time of @a trip seconds?  Until the first acknowledgement all of a window is in a
 * queue.  That is more than a queue holds where the round trip is long beside it; where
 * it is longer than the queue, slow start would leave the link idle.
 */
bool mtree_chunk_slow_start(double trip);

/* The initial window of slow start to a peer with a planned rate of @a rate bits/s, in
 * chunks of @a chunk bytes. */
size_t mtree_chunk_initial_window(double rate, size_t chunk);

#endif
