/* SPDX-License-Identifier: BSD-3-Clause */
/* The two ends of an edge: channels and receivers. */
#include "schedule/operation_private.h"

size_t mtree_stream_num_chunks(const mtree_stream_t *stream)
{
    return (stream->length + stream->chunk - 1) / stream->chunk;
}

size_t mtree_stream_slots(const mtree_stream_t *stream)
{
    size_t chunks = mtree_stream_num_chunks(stream);
    bool is_known = stream->below == NULL || !stream->below->headed;

    return is_known && chunks < stream->window ? chunks : stream->window;
}

size_t mtree_stream_slot_bytes(const mtree_operation_data_t *data,
                               const mtree_stream_t *stream)
{
    size_t units = stream->chunk < stream->length ? stream->chunk : stream->length;
    size_t bytes = units == 0 ? 0 : data->span + (units - 1) * (size_t)data->extent;

    return (bytes + MTREE_SLOT_ALIGNMENT - 1) / MTREE_SLOT_ALIGNMENT *
           MTREE_SLOT_ALIGNMENT;
}

mtree_send_queue_t *mtree_operation_send_queue(mtree_operation_t *operation, int rank)
{
    int low = 0, high = operation->layout->num_peers - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (operation->send_queues[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &operation->send_queues[low];
}

int mtree_operation_count_step(mtree_operation_t *operation, int step)
{
    operation->step_waits[step]++;
    return step;
}

/* Chunks of the result are delivered at once, but to a relay; sums, and what is sent on,
 * take memory until they are out of the way. */
static bool edge_needs_credit(const mtree_edge_t *edge, bool up, bool to_relay)
{
    return up || edge->num > 1 || to_relay;
}

static size_t edge_known_chunks(const mtree_edge_t *edge)
{
    return edge->end == MTREE_END_UNKNOWN ? 1 : edge->end;
}

static mtree_turn_t open_turn(bool up)
{
    return (mtree_turn_t){.lane = up ? 0 : 1, .is_open = true};
}

mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *state,
                                                     int rank, int step, bool up,
                                                     mtree_edge_t edge,
                                                     mtree_cursor_t *at)
{
    mtree_send_channel_t *channel = at->channel++;

    channel->state = state;
    channel->send_queue = mtree_operation_send_queue(state->operation, rank);
    channel->edge = edge;
    channel->up = up;
    channel->credited = edge_needs_credit(
        &edge, up,
        state->operation->layout
            ->peers[mtree_send_queue_number(state->operation, channel->send_queue)]
            .is_relay);
    channel->step = mtree_operation_count_step(
        state->operation,
        mtree_layout_step(state->operation->layout, state->stream, step, up));
    channel->turn = open_turn(up);
    channel->blank = channel->credit = edge.end;
    if (channel->credited && state->stream->window < edge.end) {
        channel->credit = state->stream->window;
    }
    channel->sibling = state->channels;
    state->channels = channel;
    state->batch->unsent += edge_known_chunks(&edge);
    return channel;
}

mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *state, int rank,
                                                  int step, bool up, mtree_edge_t edge,
                                                  size_t window, bool memory,
                                                  mtree_cursor_t *at)
{
    const mtree_operation_data_t *data = &state->operation->data;
    mtree_receiver_t *receiver = at->receiver++;

    receiver->state = state;
    receiver->edge = edge;
    receiver->peer = rank;
    receiver->up = up;
    receiver->credited = edge_needs_credit(&edge, up, state->operation->layout->is_relay);
    receiver->turn = open_turn(up);
    receiver->step = mtree_operation_count_step(
        state->operation,
        mtree_layout_step(state->operation->layout, state->stream, step, up));
    receiver->window = window;
    state->batch->unreceived += edge_known_chunks(&edge);
    receiver->slots = at->slot;
    for (size_t i = 0; i < receiver->window; i++) {
        at->slot->receiver = receiver;
        if (memory) {
            at->slot->memory = mtree_address(at->scratch, -data->gap);
            at->scratch += mtree_stream_slot_bytes(data, state->stream);
        }
        at->slot++;
    }
    return receiver;
}
