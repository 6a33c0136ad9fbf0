/* SPDX-License-Identifier: BSD-3-Clause */
/* A running stream: steps, errors and the trace. */
#include "schedule/operation_private.h"

/* Receives of a result from a peer that becomes known late that are started ahead, the
 * same on all ranks.  No window to a peer is as long on the networks in use; more would
 * wait in the transport. */
#define RESULT_WINDOW 64

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

    state->batch->left += began;
    return began;
}

bool mtree_stream_state_ended(mtree_stream_state_t *state, const mtree_event_t *event)
{
    state->batch->left--;
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

size_t mtree_stream_slots(const mtree_stream_t *stream, bool up)
{
    size_t window = stream->open && !up ? RESULT_WINDOW : stream->window;
    size_t chunks = mtree_stream_num_chunks(stream);
    bool is_known = stream->below == NULL || !stream->below->headed;

    return is_known && chunks < window ? chunks : window;
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
