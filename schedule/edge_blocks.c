/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the edges of personalized streams carry: a chunk holds a slice of each block below
 * the edge, in the order of `below`.
 *
 * On its way down a chunk stays in the slot in which it came until what is in it for
 * others was sent.  On its way up it is put together from the slots of the children,
 * which are free then.
 *
 * Where the blocks are not known to all ranks, the first chunk of every edge is a header
 * with the most slices and the units of each block below the edge.  What follows on an
 * edge is received as soon as its own header is there, so no stream waits for another.
 */
#include "schedule/edge_blocks.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A root that cuts unequal blocks lets slices be so much shorter than the grain of the
 * layout: then short blocks have as many slices as long ones, and all end together. */
#define FINER 8

/* The slice of the block in @a place that is in @a chunk: its units, and where it begins.
 */
static size_t slice(const mtree_stream_state_t *state, int place, size_t chunk,
                    size_t *begin_p)
{
    return mtree_block_slices_get(state->blocks, place,
                                  chunk - state->stream->below->headed, begin_p);
}

static int block_peer(const mtree_stream_state_t *state, int place)
{
    return mtree_stream_state_is_root(state) ? state->stream->below->ranks[place]
                                             : state->stream->below->root;
}

static char *block_address(const mtree_stream_state_t *state, const mtree_side_t *side,
                           int place)
{
    return side->address == NULL ? NULL : side->address[block_peer(state, place)];
}

static bool block_fits(const mtree_stream_state_t *state, int place)
{
    const size_t *units = state->operation->data.recv.units;

    return !state->stream->below->headed ||
           state->blocks->blocks[place].units <= units[block_peer(state, place)];
}

static size_t block_get(const mtree_stream_state_t *state, int place, size_t chunk,
                        char *bytes)
{
    const mtree_operation_data_t *data = &state->operation->data;
    size_t extent = (size_t)data->extent, begin;
    size_t units = slice(state, place, chunk, &begin);
    const char *address = block_address(state, &data->send, place);

    if (units > 0 && address != NULL) {
        memcpy(bytes, address + begin * extent, units * extent);
    } else if (units > 0) {
        data->pack(data->arg, block_peer(state, place), begin, bytes, units);
    }
    return units;
}

static char *block_slice_address(const mtree_stream_state_t *state,
                                 const mtree_side_t *side, int place, size_t chunk)
{
    char *address = block_address(state, side, place);
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
    char *address = block_address(state, &data->recv, place);

    if (units == 0 || !block_fits(state, place)) {
        return units;
    }
    if (address != NULL) {
        memcpy(address + begin * extent, bytes, units * extent);
    } else {
        data->unpack(data->arg, block_peer(state, place), begin, bytes, units);
    }
    return units;
}

bool mtree_edge_header_is(const mtree_stream_state_t *state, size_t chunk)
{
    return state->stream->below->headed && chunk == 0;
}

static size_t header_bytes(const mtree_edge_t *edge)
{
    return ((size_t)edge->num + 1) * sizeof(uint64_t);
}

static void header_pack(const mtree_send_channel_t *channel, char *bytes)
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

    while (place < own_end(receiver) && block_fits(receiver->state, place)) {
        place++;
    }
    return place == own_end(receiver);
}

static void header_unpack(const mtree_receiver_t *receiver)
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

size_t mtree_edge_blocks_count(const mtree_stream_state_t *state,
                               const mtree_edge_t *edge, size_t chunk)
{
    size_t extent = (size_t)state->operation->data.extent;

    return mtree_edge_header_is(state, chunk)
               ? (header_bytes(edge) + extent - 1) / extent
               : mtree_block_slices_span(state->blocks, edge->first, edge->num,
                                         chunk - state->stream->below->headed);
}

/* The chunks that pass @a edge, whose blocks are known. */
static size_t edge_end(const mtree_stream_state_t *state, const mtree_edge_t *edge)
{
    return mtree_block_slices_count(state->blocks, edge->first, edge->num) +
           state->stream->below->headed;
}

/* What is below child number @a child, or below this rank where that is -1. */
static mtree_edge_t edge_below(const mtree_stream_t *stream, int child)
{
    const mtree_below_t *below = stream->below;
    int first = child < 0 ? 0 : below->places[child];
    int end = child < 0 || child + 1 == stream->num_children ? below->num
                                                             : below->places[child + 1];

    return (mtree_edge_t){first, end - first, MTREE_END_UNKNOWN};
}

mtree_edge_t mtree_edge_blocks_edge(const mtree_stream_state_t *state, int child,
                                    bool sends)
{
    mtree_edge_t edge = edge_below(state->stream, child);

    if (!state->stream->below->headed ||
        (sends &&
         (child < 0 ? state->num_unknown == 0 : mtree_stream_state_is_root(state)))) {
        edge.end = edge_end(state, &edge);
    }
    return edge;
}

/* Does what comes go straight into the user's buffer? */
static bool receiver_is_direct(const mtree_receiver_t *receiver)
{
    const mtree_stream_state_t *state = receiver->state;

    return receiver->edge.num == 1 &&
           (!receiver->up || mtree_stream_state_is_root(state)) &&
           block_fits(state, receiver->edge.first) &&
           block_address(state, &state->operation->data.recv, receiver->edge.first) !=
               NULL;
}

void mtree_edge_blocks_open(mtree_receiver_t *receiver)
{
    const mtree_stream_state_t *state = receiver->state;
    const mtree_edge_t *edge = &receiver->edge;
    const bool is_known = edge->end != MTREE_END_UNKNOWN;
    size_t extent = (size_t)state->operation->data.extent;
    size_t num = 1, bytes = header_bytes(edge) + extent;

    if (is_known) {
        num = edge->end < receiver->window ? edge->end : receiver->window;
        bytes =
            mtree_block_slices_longest(state->blocks, edge->first, edge->num) * extent;
    }
    free(receiver->memory);
    receiver->memory = NULL;
    receiver->slots[0].memory = NULL;
    if ((is_known && receiver_is_direct(receiver)) || num * bytes == 0) {
        return;
    }
    receiver->memory = mtree_malloc(num * bytes);
    for (size_t i = 0; i < num; i++) {
        receiver->slots[i].memory = receiver->memory + i * bytes;
    }
}

/* What this rank knows of the blocks before any header is there. */
static void init_blocks(mtree_stream_state_t *state)
{
    const mtree_stream_t *stream = state->stream;
    const size_t *units = state->operation->layout->blocks;
    const size_t *sent = state->operation->data.send.units;

    if (state->operation->layout->blocks_alike) {
        return;
    }
    if (!stream->below->headed) {
        for (int place = mtree_stream_state_is_root(state); place < stream->below->num;
             place++) {
            mtree_block_slices_set(state->blocks, place,
                                   units[stream->below->ranks[place]]);
        }
    } else if (stream->up && !mtree_stream_state_is_root(state)) {
        mtree_block_slices_set(state->blocks, 0, sent[stream->below->root]);
    } else if (stream->down && mtree_stream_state_is_root(state)) {
        for (int place = 1; place < stream->below->num; place++) {
            mtree_block_slices_set(state->blocks, place,
                                   sent[stream->below->ranks[place]]);
        }
        mtree_block_slices_choose(state->blocks, stream->below->places,
                                  stream->num_children, stream->below->num,
                                  stream->below->longest);
    }
}

void mtree_edge_blocks_init(mtree_stream_state_t *state)
{
    const mtree_stream_t *stream = state->stream;
    const mtree_layout_t *layout = state->operation->layout;
    bool is_finer = stream->below->headed && stream->down && stream->chunk >= FINER;
    const mtree_below_t *below = stream->below;

    state->blocks =
        layout->blocks_alike
            ? mtree_block_slices_create_alike(layout->blocks[below->ranks[0]],
                                              below->begin, below->end, stream->chunk)
            : mtree_block_slices_create(below->num, below->begin, below->end,
                                        is_finer ? stream->chunk / FINER : stream->chunk);
    init_blocks(state);
    state->num_unknown = stream->up && below->headed ? stream->num_children : 0;
    if (stream->down && mtree_stream_state_is_root(state)) {
        state->complete = SIZE_MAX;
    }
}

size_t mtree_edge_blocks_scratch(const mtree_stream_t *stream, ptrdiff_t extent)
{
    size_t units = stream->chunk < stream->length ? stream->chunk : stream->length;
    size_t slot = units * (size_t)extent, blocks = 0;

    if (stream->down) {
        blocks = stream->parent >= 0 && stream->below->num > 1
                     ? (size_t)stream->below->num
                     : 0;
    }
    for (int i = 0; i < stream->num_children && stream->up; i++) {
        int num = edge_below(stream, i).num;

        blocks += num > 1 || stream->parent >= 0 ? (size_t)num : 0;
    }
    return blocks * mtree_stream_slots(stream, stream->up) * slot;
}

char *mtree_edge_blocks_place(const mtree_receiver_t *receiver, size_t chunk)
{
    const mtree_slot_t *slot = &receiver->slots[chunk % receiver->window];

    return slot->memory != NULL
               ? slot->memory
               : block_slice_address(receiver->state,
                                     &receiver->state->operation->data.recv,
                                     receiver->edge.first, chunk);
}

/* The chunks of @a channel are known now.  The first one was, and is counted. */
static void channel_know(mtree_send_channel_t *channel)
{
    const mtree_stream_state_t *state = channel->state;
    size_t end = edge_end(state, &channel->edge), window = state->stream->window;

    state->batch->left += end - 1;
    channel->edge.end = end;
    channel->credit = channel->credited && window < end ? window : end;
}

void mtree_edge_blocks_know(mtree_receiver_t *receiver)
{
    mtree_stream_state_t *state = receiver->state;

    header_unpack(receiver);
    receiver->edge.end = edge_end(state, &receiver->edge);
    state->batch->left += receiver->edge.end - 1;
    mtree_edge_blocks_open(receiver);
    if (!receiver->up || --state->num_unknown == 0) {
        mtree_send_channel_t *channel = state->channels;

        for (; channel != NULL; channel = channel->sibling) {
            channel_know(channel);
        }
    }
}

const char *mtree_edge_blocks_address(const mtree_send_channel_t *channel, size_t chunk)
{
    const mtree_stream_state_t *state = channel->state;
    const mtree_receiver_t *above = state->above;

    if (mtree_edge_header_is(state, chunk)) {
        return NULL;
    }
    if (above != NULL) {
        return above->slots[chunk % above->window].memory +
               mtree_block_slices_span(state->blocks, 0, channel->edge.first,
                                       chunk - state->stream->below->headed) *
                   (size_t)state->operation->data.extent;
    }
    return channel->edge.num == 1
               ? block_slice_address(state, &state->operation->data.send,
                                     channel->edge.first, chunk)
               : NULL;
}

/* What the children have sent of @a chunk, whose slots are free then. */
static void pack_children(mtree_stream_state_t *state, size_t chunk, char *bytes)
{
    for (int i = 0; i < state->num_receivers; i++) {
        mtree_receiver_t *receiver = &state->receivers[i];

        if (chunk >= receiver->edge.end) {
            continue;
        }
        if (!mtree_edge_header_is(state, chunk)) {
            size_t length = mtree_edge_count(state, &receiver->edge, chunk) *
                            (size_t)state->operation->data.extent;

            memcpy(bytes, receiver->slots[chunk % receiver->window].memory, length);
            bytes += length;
        }
        mtree_receiver_sent(receiver, chunk);
    }
}

void mtree_edge_blocks_pack(const mtree_send_channel_t *channel, size_t chunk,
                            char *bytes)
{
    mtree_stream_state_t *state = channel->state;
    size_t extent = (size_t)state->operation->data.extent;

    if (mtree_edge_header_is(state, chunk)) {
        header_pack(channel, bytes);
    } else if (!channel->up) {
        for (int i = 0; i < channel->edge.num; i++) {
            bytes += block_get(state, channel->edge.first + i, chunk, bytes) * extent;
        }
    } else {
        bytes += block_get(state, 0, chunk, bytes) * extent;
    }
    if (channel->up) {
        pack_children(state, chunk, bytes);
    }
}
