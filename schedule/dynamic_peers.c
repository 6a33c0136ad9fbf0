/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/dynamic_peers.h"

#include "schedule/operation_private.h"

#include <string.h>

/* Memory for @a counts parts, which lives as long as the operation. */
static mtree_batch_t *add_memory(mtree_operation_t *operation, mtree_part_counts_t counts)
{
    mtree_batch_t *extra = mtree_batch_alloc(0, &counts);

    extra->next = operation->extra;
    operation->extra = extra;
    return extra;
}

/* Memory for @a num receivers from children, or from the source if not @a up. */
static mtree_batch_t *add_receivers(mtree_operation_t *operation, size_t num, bool up)
{
    const mtree_stream_t *stream = &operation->layout->streams[0];
    size_t slots = num * mtree_stream_slots(stream, up);
    size_t copied =
        up || mtree_operation_copies_results(operation->layout, &operation->data) ? slots
                                                                                  : 0;

    return add_memory(operation, (mtree_part_counts_t){
                                     .receivers = num,
                                     .slots = slots,
                                     .scratch = copied * mtree_stream_slot_bytes(
                                                             &operation->data, stream)});
}

/* Open a channel to child @a rank, or to the parent if @a child is -1. */
static void add_channel(mtree_operation_t *operation, int child, int rank)
{
    mtree_batch_t *memory = add_memory(operation, (mtree_part_counts_t){.channels = 1});
    mtree_send_channel_t *channel =
        mtree_stream_state_add_channel(&operation->states[0], child, rank, memory);

    if (channel != NULL) {
        mtree_send_channel_open(channel);
    }
}

void mtree_dynamic_peers_children(mtree_operation_t *operation, int num_children,
                                  const int *children)
{
    mtree_stream_state_t *state = &operation->states[0];
    mtree_stream_t *stream = &operation->layout->streams[0];
    mtree_batch_t *memory;

    stream->num_children = num_children;
    stream->children = children;
    if (num_children == 0) {
        state->folded = state->num_chunks;
        mtree_stream_state_wake(state);
        return;
    }
    memory = add_receivers(operation, (size_t)num_children, true);
    state->receivers = memory->receivers;
    state->num_receivers = num_children;
    for (int i = 0; i < num_children; i++) {
        mtree_receiver_post(
            mtree_stream_state_add_receiver(state, i, children[i], memory));
    }
}

void mtree_dynamic_peers_parent(mtree_operation_t *operation, int rank)
{
    add_channel(operation, -1, rank);
}

void mtree_dynamic_peers_receiver(mtree_operation_t *operation, int rank)
{
    add_channel(operation, 0, rank);
}

void mtree_dynamic_peers_source(mtree_operation_t *operation, int rank)
{
    mtree_stream_state_t *state = &operation->states[0];
    mtree_batch_t *memory = add_receivers(operation, 1, false);
    mtree_receiver_t *above = mtree_stream_state_add_receiver(state, -1, rank, memory);

    if (above != NULL) {
        state->above = above;
        mtree_receiver_post(above);
    }
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
    const mtree_send_channel_t *channel = operation->states[0].channels;

    while (channel != NULL && channel->sent == channel->edge.end) {
        channel = channel->sibling;
    }
    return channel == NULL;
}

void mtree_dynamic_peers_copy_result(mtree_operation_t *operation)
{
    mtree_operation_data_t *data = &operation->data;
    size_t bytes = operation->layout->streams[0].length * (size_t)data->extent;
    mtree_batch_t *memory =
        add_memory(operation, (mtree_part_counts_t){.scratch = bytes});

    if (data->pack != NULL) {
        data->pack(data->arg, -1, 0, memory->scratch, bytes);
    } else {
        memcpy(memory->scratch, data->output, bytes);
    }
    data->pack = NULL;
    data->output = memory->scratch;
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
