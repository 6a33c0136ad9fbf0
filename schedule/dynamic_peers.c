/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/dynamic_peers.h"

#include "schedule/operation_private.h"

#include <stdlib.h>
#include <string.h>

/* Receives of the result that are started ahead, the same on all ranks.  No window to a
 * peer is as long on the networks in use; more would wait in the transport. */
#define RESULT_WINDOW 64

/* Memory for channels, receivers and slots, with @a scratch bytes for the chunks of the
 * slots.  It lives as long as the operation. */
static bool extra_buffer_create(mtree_operation_t *operation, size_t channels,
                                size_t receivers, size_t slots, size_t scratch,
                                mtree_cursor_t *at)
{
    mtree_extra_buffer_t *extra_buffer = calloc(
        1, sizeof(*extra_buffer) + channels * sizeof(mtree_send_channel_t) +
               receivers * sizeof(mtree_receiver_t) + slots * sizeof(mtree_slot_t));

    if (extra_buffer == NULL ||
        (scratch > 0 && posix_memalign((void **)&extra_buffer->scratch,
                                       MTREE_SLOT_ALIGNMENT, scratch) != 0)) {
        free(extra_buffer);
        mtree_operation_fail(operation, MTREE_ERR_NO_MEMORY);
        return false;
    }
    extra_buffer->link = operation->extra_buffers;
    operation->extra_buffers = extra_buffer;
    at->channel = (mtree_send_channel_t *)(extra_buffer + 1);
    at->receiver = (mtree_receiver_t *)(at->channel + channels);
    at->slot = (mtree_slot_t *)(at->receiver + receivers);
    at->scratch = extra_buffer->scratch;
    return true;
}

void mtree_dynamic_peers_children(mtree_operation_t *operation, int num_children,
                                  const int *children)
{
    mtree_stream_state_t *state = &operation->states[0];
    mtree_stream_t *stream = &operation->layout->streams[0];
    size_t slots = mtree_stream_slots(stream) * (size_t)num_children;
    mtree_cursor_t at;

    stream->num_children = num_children;
    stream->children = children;
    if (num_children == 0) {
        state->folded = state->num_chunks;
        mtree_stream_state_wake(state);
        return;
    }
    if (!extra_buffer_create(operation, 0, (size_t)num_children, slots,
                             slots * mtree_stream_slot_bytes(&operation->data, stream),
                             &at)) {
        return;
    }
    state->receivers = at.receiver;
    state->num_receivers = num_children;
    for (int i = 0; i < num_children; i++) {
        mtree_receiver_post(mtree_stream_state_add_receiver(
            state, children[i], 0, true, mtree_edge_whole(state),
            mtree_stream_slots(stream), true, &at));
    }
}

void mtree_dynamic_peers_parent(mtree_operation_t *operation, int rank)
{
    mtree_cursor_t at;

    if (extra_buffer_create(operation, 1, 0, 0, 0, &at)) {
        mtree_send_channel_open(
            mtree_stream_state_add_channel(&operation->states[0], rank, 0, true,
                                           mtree_edge_whole(&operation->states[0]), &at));
    }
}

/* Receives of the result that are started beyond the chunks that are complete. */
static size_t result_slots(const mtree_stream_state_t *state)
{
    return state->num_chunks < RESULT_WINDOW ? state->num_chunks : RESULT_WINDOW;
}

void mtree_dynamic_peers_source(mtree_operation_t *operation, int rank)
{
    mtree_stream_state_t *state = &operation->states[0];
    size_t slots = result_slots(state);
    bool memory = operation->data.unpack != NULL;
    size_t scratch =
        memory ? slots * mtree_stream_slot_bytes(&operation->data, state->stream) : 0;
    mtree_cursor_t at;

    if (extra_buffer_create(operation, 0, 1, slots, scratch, &at)) {
        state->above = mtree_stream_state_add_receiver(
            state, rank, 0, false, mtree_edge_whole(state), slots, memory, &at);
        state->above->posted = state->above->arrived = state->above->taken =
            state->above->released = state->complete;
        state->stopped = false;
        mtree_receiver_post(state->above);
    }
}

bool mtree_dynamic_peers_is_stopped(const mtree_operation_t *operation)
{
    return operation->states[0].stopped;
}

void mtree_dynamic_peers_receiver(mtree_operation_t *operation, int rank, size_t first)
{
    mtree_cursor_t at;

    if (extra_buffer_create(operation, 1, 0, 0, 0, &at)) {
        mtree_send_channel_t *channel =
            mtree_stream_state_add_channel(&operation->states[0], rank, 0, false,
                                           mtree_edge_whole(&operation->states[0]), &at);

        channel->next = channel->sent = first;
        if (first < channel->edge.end) {
            mtree_send_channel_open(channel);
        }
    }
}

size_t mtree_dynamic_peers_stop(mtree_operation_t *operation, int rank)
{
    mtree_stream_state_t *state = &operation->states[0];
    size_t slots = result_slots(state);
    mtree_send_channel_t *channel = state->channels;

    while (channel != NULL && (channel->up || channel->send_queue->rank != rank)) {
        channel = channel->sibling;
    }
    /* The receiver could not be added, and the operation has failed. */
    if (channel == NULL) {
        return state->num_chunks;
    }
    channel->blank = channel->next;
    if (state->num_chunks - channel->next > slots) {
        channel->edge.end = channel->credit = channel->next + slots;
    }
    channel->send_queue->dirty = true;
    return channel->blank;
}

void mtree_dynamic_peers_end(mtree_operation_t *operation)
{
    if (operation->held) {
        operation->held = false;
        operation->outstanding--;
    }
}

bool mtree_dynamic_peers_is_complete(const mtree_operation_t *operation)
{
    return operation->states[0].complete == operation->states[0].num_chunks;
}

double mtree_dynamic_peers_progress(const mtree_operation_t *operation)
{
    const mtree_stream_state_t *state = &operation->states[0];
    size_t least = state->num_chunks;

    for (const mtree_send_channel_t *channel = state->channels; channel != NULL;
         channel = channel->sibling) {
        if (!channel->up && channel->sent < least) {
            least = channel->sent;
        }
    }
    return (double)least / (double)state->num_chunks;
}

bool mtree_dynamic_peers_is_idle(const mtree_operation_t *operation)
{
    const mtree_stream_state_t *state = &operation->states[0];
    const mtree_send_channel_t *channel = state->channels;

    while (channel != NULL && channel->sent == channel->edge.end) {
        channel = channel->sibling;
    }
    return channel == NULL && state->awaited == 0;
}

mtree_status_t mtree_dynamic_peers_copy_result(mtree_operation_t *operation)
{
    mtree_operation_data_t *data = &operation->data;
    size_t bytes = operation->layout->streams[0].length * (size_t)data->extent;
    mtree_extra_buffer_t *extra_buffer = calloc(1, sizeof(*extra_buffer));

    if (extra_buffer == NULL || (extra_buffer->scratch = malloc(bytes)) == NULL) {
        free(extra_buffer);
        return MTREE_ERR_NO_MEMORY;
    }
    if (data->pack != NULL) {
        data->pack(data->arg, 0, extra_buffer->scratch, bytes);
    } else {
        memcpy(extra_buffer->scratch, data->output, bytes);
    }
    data->pack = NULL;
    data->output = extra_buffer->scratch;
    extra_buffer->link = operation->extra_buffers;
    operation->extra_buffers = extra_buffer;
    return MTREE_OK;
}

void mtree_dynamic_peers_detach(mtree_operation_t *operation)
{
    operation->detached = true;
}

bool mtree_dynamic_peers_message(mtree_operation_t *operation,
                                 mtree_transport_t *transport, bool receives, int peer,
                                 int tag, void *buffer, size_t bytes,
                                 mtree_event_t *event,
                                 void (*handle)(mtree_event_t *event))
{
    const mtree_transport_ops_t *ops = transport->ops;
    mtree_status_t status;

    operation->outstanding++;
    mtree_event_init(event, &operation->inbox, handle);
    status = receives ? ops->recv(transport, peer, tag, buffer, bytes, &event->completion)
                      : ops->send(transport, peer, tag, buffer, bytes, false,
                                  &event->completion);
    if (status != MTREE_OK) {
        operation->outstanding--;
        mtree_operation_fail(operation, status);
    }
    return status == MTREE_OK;
}

bool mtree_dynamic_peers_message_done(mtree_operation_t *operation,
                                      const mtree_event_t *event)
{
    operation->outstanding--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(operation, event->status);
        return false;
    }
    return true;
}
