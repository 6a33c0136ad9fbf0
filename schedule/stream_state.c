/* SPDX-License-Identifier: BSD-3-Clause */
/* A running stream: steps, errors, the trace, and the two ends of its edges. */
#include "schedule/operation_private.h"

void mtree_operation_fail(mtree_operation_t *operation, mtree_status_t status)
{
    if (operation->status == MTREE_OK) {
        operation->status = status;
    }
}

bool mtree_operation_began(mtree_operation_t *operation, mtree_status_t status)
{
    if (status == MTREE_OK) {
        operation->outstanding++;
    } else {
        mtree_operation_fail(operation, status);
    }
    return status == MTREE_OK;
}

bool mtree_operation_ended(mtree_operation_t *operation, const mtree_event_t *event)
{
    operation->outstanding--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(operation, event->status);
    }
    return event->status == MTREE_OK;
}

bool mtree_stream_state_began(mtree_stream_state_t *state, mtree_status_t status)
{
    bool began = mtree_operation_began(state->operation, status);

    state->batch->outstanding += began;
    return began;
}

bool mtree_stream_state_ended(mtree_stream_state_t *state, const mtree_event_t *event)
{
    state->batch->outstanding--;
    return mtree_operation_ended(state->operation, event);
}

void mtree_stream_state_trace(const mtree_stream_state_t *state, mtree_act_t act, bool up,
                              int peer, size_t chunk, size_t units, double begin)
{
    mtree_operation_t *operation = state->operation;
    mtree_trace_event_t event = {.begin = begin,
                                 .end = begin,
                                 .chunk = chunk,
                                 .call = operation->call,
                                 .stream = state->stream->number,
                                 .peer = peer,
                                 .act = act,
                                 .up = up};

    if (operation->data.trace == NULL) {
        return;
    }
    event.bytes = units * (size_t)operation->data.extent;
    if (act != MTREE_TRACE_RECEIVE) {
        event.end = mtree_operation_clock(operation);
    }
    mtree_trace_add(operation->data.trace, &event);
}

void mtree_operation_step(mtree_operation_t *operation, int step)
{
    const mtree_layout_t *layout = operation->layout;

    if (step == 0 || --operation->step_waits[step] > 0 || step != operation->step) {
        return;
    }
    while (operation->step < 2 * layout->num_steps &&
           operation->step_waits[operation->step] == 0) {
        operation->step++;
    }
    for (int i = 0; i < layout->num_peers; i++) {
        operation->send_queues[i].dirty = true;
    }
}

void mtree_stream_state_wake(mtree_stream_state_t *state)
{
    for (mtree_send_channel_t *channel = state->channels; channel != NULL;
         channel = channel->sibling) {
        channel->send_queue->dirty = true;
    }
}

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
