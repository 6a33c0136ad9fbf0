/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a chunk of a personalized stream holds: slices of blocks, which are copied from
 * and into the user's buffers; or, first on an edge where the blocks are not known to all
 * ranks, a header with the most slices and the units of each block below the edge.
 */
#include "schedule/edge_blocks.h"

#include <stdint.h>
#include <string.h>

/* The slice of the block in @a place that is in @a chunk: its units, and where it begins.
 */
static size_t slice(const mtree_stream_state_t *state, int place, size_t chunk,
                    size_t *begin_p)
{
    return mtree_block_slices_get(state->blocks, place,
                                  chunk - state->stream->below->headed, begin_p);
}

int mtree_block_peer(const mtree_stream_state_t *state, int place)
{
    return mtree_stream_state_is_root(state) ? state->stream->below->ranks[place]
                                             : state->stream->below->root;
}

char *mtree_block_address(const mtree_stream_state_t *state, const mtree_side_t *side,
                          int place)
{
    return side->address == NULL ? NULL : side->address[mtree_block_peer(state, place)];
}

bool mtree_block_fits(const mtree_stream_state_t *state, int place)
{
    const size_t *units = state->operation->data.recv.units;

    return !state->stream->below->headed ||
           state->blocks->blocks[place].units <= units[mtree_block_peer(state, place)];
}

size_t mtree_block_get(const mtree_stream_state_t *state, int place, size_t chunk,
                       char *bytes)
{
    const mtree_operation_data_t *data = &state->operation->data;
    size_t extent = (size_t)data->extent, begin;
    size_t units = slice(state, place, chunk, &begin);
    const char *address = mtree_block_address(state, &data->send, place);

    if (units > 0 && address != NULL) {
        memcpy(bytes, address + begin * extent, units * extent);
    } else if (units > 0) {
        data->pack(data->arg, mtree_block_peer(state, place), begin, bytes, units);
    }
    return units;
}

char *mtree_block_slice_address(const mtree_stream_state_t *state,
                                const mtree_side_t *side, int place, size_t chunk)
{
    char *address = mtree_block_address(state, side, place);
    size_t begin;

    if (address == NULL) {
        return NULL;
    }
    (void)slice(state, place, chunk, &begin);
    return address + begin * (size_t)state->operation->data.extent;
}

/* Copy the slice that is in @a chunk into the user's buffer; its units. */
static size_t block_put(const mtree_stream_state_t *state, int place, size_t chunk,
                        const char *bytes)
{
    const mtree_operation_data_t *data = &state->operation->data;
    size_t extent = (size_t)data->extent, begin;
    size_t units = slice(state, place, chunk, &begin);
    char *address = mtree_block_address(state, &data->recv, place);

    if (units == 0 || !mtree_block_fits(state, place)) {
        return units;
    }
    if (address != NULL) {
        memcpy(address + begin * extent, bytes, units * extent);
    } else {
        data->unpack(data->arg, mtree_block_peer(state, place), begin, bytes, units);
    }
    return units;
}

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

/* The place behind those of the blocks of @a receiver that are for this rank. */
static int own_end(const mtree_receiver_t *receiver)
{
    return receiver->edge.first + (mtree_stream_state_is_root(receiver->state)
                                       ? receiver->edge.num
                                       : !receiver->up);
}

void mtree_edge_blocks_keep(const mtree_receiver_t *receiver, const mtree_slot_t *slot)
{
    const mtree_stream_state_t *state = receiver->state;
    const char *bytes = slot->memory;

    if (bytes == NULL || mtree_edge_header_is(state, slot->chunk)) {
        return;
    }
    for (int place = receiver->edge.first; place < own_end(receiver); place++) {
        bytes += block_put(state, place, slot->chunk, bytes) *
                 (size_t)state->operation->data.extent;
    }
}

/* Has this rank room for each block of @a receiver that is for it? */
static bool header_fits(const mtree_receiver_t *receiver)
{
    int place = receiver->edge.first;

    while (place < own_end(receiver) && mtree_block_fits(receiver->state, place)) {
        place++;
    }
    return place == own_end(receiver);
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
