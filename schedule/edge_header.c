/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of an edge of a personalized stream, its first chunk where the blocks are
 * not known to all ranks: the most slices, and the units of each block below the edge.
 */
#include "schedule/edge_blocks.h"

#include <stdint.h>

bool mtree_edge_header_is(const mtree_stream_state_t *state, size_t chunk)
{
    return state->stream->below->headed && chunk == 0;
}

size_t mtree_edge_header_bytes(const mtree_edge_t *edge)
{
    return ((size_t)edge->num + 1) * sizeof(uint64_t);
}

void mtree_edge_header_pack(const mtree_send_channel_t *channel, char *bytes)
{
    const mtree_block_slices_t *slices = channel->state->blocks;
    uint64_t *header = (uint64_t *)(void *)bytes;

    header[0] = slices->most;
    for (int i = 0; i < channel->edge.num; i++) {
        header[i + 1] = slices->blocks[channel->edge.first + i].units;
    }
}

/* Has this rank room for each block of @a receiver that is for it? */
static bool header_fits(const mtree_receiver_t *receiver)
{
    const mtree_stream_state_t *state = receiver->state;
    int first = receiver->edge.first;
    int end = mtree_stream_state_is_root(state) ? first + receiver->edge.num
                                                : first + !receiver->up;

    while (first < end && mtree_block_fits(state, first)) {
        first++;
    }
    return first == end;
}

void mtree_edge_header_unpack(const mtree_receiver_t *receiver)
{
    mtree_block_slices_t *slices = receiver->state->blocks;
    const uint64_t *header = (const uint64_t *)(const void *)receiver->memory;

    if (!receiver->up) {
        slices->most = header[0] == 0 ? 1 : header[0];
    }
    for (int i = 0; i < receiver->edge.num; i++) {
        mtree_block_slices_set(slices, receiver->edge.first + i, header[i + 1]);
    }
    receiver->state->operation->truncates |= !header_fits(receiver);
}
