/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the edges of personalized streams carry: blocks, in an order that the first chunk
 * of each edge, its header, tells.  Inside an operation (schedule/operation_private.h).
 */
#ifndef MTREE_SCHEDULE_EDGE_BLOCKS_H
#define MTREE_SCHEDULE_EDGE_BLOCKS_H

#include "schedule/operation_private.h"

/* block_copy.c: the rank at the other end of the block in @a place of a personalized
 * stream. */
int mtree_block_peer(const mtree_stream_state_t *state, int place);

/* Where the block lies packed in memory of @a side, and where that slice of it begins
 * that is in @a chunk.  NULL: it has to be copied. */
char *mtree_block_address(const mtree_stream_state_t *state, const mtree_side_t *side,
                          int place);
char *mtree_block_slice_address(const mtree_stream_state_t *state,
                                const mtree_side_t *side, int place, size_t chunk);

/* Has the user's buffer room for the block in @a place?  What has none is thrown away, so
 * that others get theirs. */
bool mtree_block_fits(const mtree_stream_state_t *state, int place);

/* Copy the slice that is in @a chunk out of the user's buffer; its units. */
size_t mtree_block_get(const mtree_stream_state_t *state, int place, size_t chunk,
                       char *bytes);

/* Copy the slices in @a slot that are for this rank into the user's buffer, unless they
 * were received there. */
void mtree_edge_blocks_keep(const mtree_receiver_t *receiver, const mtree_slot_t *slot);

/* Is @a chunk the header of its edge? */
bool mtree_edge_header_is(const mtree_stream_state_t *state, size_t chunk);

/* Bytes of the header of @a edge. */
size_t mtree_edge_header_bytes(const mtree_edge_t *edge);

/* Put the header of @a channel at @a bytes. */
void mtree_edge_header_pack(const mtree_send_channel_t *channel, char *bytes);

/* Set the blocks that the header in the memory of @a receiver tells. */
void mtree_edge_header_unpack(const mtree_receiver_t *receiver);

/* edge_blocks.c: the blocks of a new personalized @a state. */
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

/* The header of @a receiver is there. */
void mtree_edge_blocks_know(mtree_receiver_t *receiver);

/* Where @a chunk lies that @a channel sends; NULL: it has to be put together. */
const char *mtree_edge_blocks_address(const mtree_send_channel_t *channel, size_t chunk);

/* Put @a chunk of @a channel together at @a bytes. */
void mtree_edge_blocks_pack(const mtree_send_channel_t *channel, size_t chunk,
                            char *bytes);

#endif
