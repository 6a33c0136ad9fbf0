/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/dynamic_peers.h"

#include "schedule/operation_private.h"

#include <string.h>

/* Receives of the result that are started ahead, the same on all ranks.  No window to a
 * peer is as long on the networks in use; more would wait in the transport. */
#define RESULT_WINDOW 64

/* Memory for @a counts parts, which lives as long as the operation.  False: none. */
static bool add_memory(mtree_operation_t *operation, mtree_part_counts_t counts,
                       mtree_cursor_t *at)
{
    mtree_batch_t *extra = mtree_batch_alloc(0, &counts, at);

    if (extra != NULL) {
        extra->next = operation->extra;
        operation->extra = extra;
    }
    return extra != NULL;
}

/* The same, without which the operation fails. */
static bool add_parts(mtree_operation_t *operation, mtree_part_counts_t counts,
                      mtree_cursor_t *at)
{
    if (!add_memory(operation, counts, at)) {
        mtree_operation_fail(operation, MTREE_ERR_NO_MEMORY);
        return false;
    }
    return true;
}

/* A channel to @a rank; NULL: no memory, and the operation has failed. */
static mtree_send_channel_t *add_channel(mtree_operation_t *operation, int rank, bool up)
{
    mtree_stream_state_t *state = &operation->states[0];
    mtree_cursor_t at;

    return add_parts(operation, (mtree_part_counts_t){.channels = 1}, &at)
               ? mtree_stream_state_add_channel(state, rank, 0, up,
                                                mtree_edge_whole(state), &at)
               : NULL;
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
    if (!add_parts(
            operation,
            (mtree_part_counts_t){
                .receivers = (size_t)num_children,
                .slots = slots,
                .scratch = slots * mtree_stream_slot_bytes(&operation->data, stream)},
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
    mtree_send_channel_t *channel = add_channel(operation, rank, true);

    if (channel != NULL) {
        mtree_send_channel_open(channel);
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

    if (add_parts(
            operation,
            (mtree_part_counts_t){.receivers = 1, .slots = slots, .scratch = scratch},
            &at)) {
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
    mtree_send_channel_t *channel = add_channel(operation, rank, false);

    if (channel == NULL) {
        return;
    }
    channel->next = channel->sent = first;
    if (first < channel->edge.end) {
        mtree_send_channel_open(channel);
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
    mtree_cursor_t at;

    if (!add_memory(operation, (mtree_part_counts_t){.scratch = bytes}, &at)) {
        return MTREE_ERR_NO_MEMORY;
    }
    if (data->pack != NULL) {
        data->pack(data->arg, 0, at.scratch, bytes);
    } else {
        memcpy(at.scratch, data->output, bytes);
    }
    data->pack = NULL;
    data->output = at.scratch;
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

    mtree_event_init(event, &operation->inbox, handle);
    return mtree_operation_began(
        operation,
        receives
            ? ops->recv(transport, peer, tag, buffer, bytes, &event->completion)
            : ops->send(transport, peer, tag, buffer, bytes, false, &event->completion));
}
