/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the edges of personalized streams carry: blocks, in an order that the first chunk
 * of each edge, its header, tells.  Inside an operation (schedule/operation_private.h).
 */
#ifndef MTREE_SCHEDULE_EDGE_BLOCKS_H
#define MTREE_SCHEDULE_EDGE_BLOCKS_H

#include "schedule/operation_private.h"

/* The blocks of a new personalized @a state. */
void mtree_edge_blocks_init(mtree_stream_state_t *state);

/* The edge to child number @a child, or to the parent where that is -1, on which this
 * rank @a sends, or receives; its end where that is known already. */
mtree_edge_t mtree_edge_blocks_edge(const mtree_stream_state_t *state, int child,
                                    bool sends);

/* Memory for the slots of a new @a receiver, or for its header. */
void mtree_edge_blocks_open(mtree_receiver_t *receiver);

/* Bytes of the slots of its receivers. */
size_t mtree_edge_blocks_scratch(const mtree_stream_t *stream, ptrdiff_t extent);

/* Where @a chunk from the sender of @a receiver goes. */
char *mtree_edge_blocks_place(const mtree_receiver_t *receiver, size_t chunk);

/* Copy the slices in @a slot that are for this rank into the user's buffer, unless they
 * were received there. */
void mtree_edge_blocks_keep(const mtree_receiver_t *receiver, const mtree_slot_t *slot);

/* Is @a chunk the header of its edge? */
bool mtree_edge_header_is(const mtree_stream_state_t *state, size_t chunk);

/* The header of @a receiver is there. */
void mtree_edge_blocks_know(mtree_receiver_t *receiver);

/* Where @a chunk lies that @a channel sends; NULL: it has to be put together. */
const char *mtree_edge_blocks_address(const mtree_send_channel_t *channel, size_t chunk);

/* Put @a chunk of @a channel together at @a bytes. */
void mtree_edge_blocks_pack(const mtree_send_channel_t *channel, size_t chunk,
                            char *bytes);

#endif
