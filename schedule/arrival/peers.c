/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbours of an open stream, which become known while it runs. */
#include "schedule/arrival/private.h"

#include <string.h>

static mtree_stream_state_t *stream_of(const mtree_arrival_run_t *run)
{
    return &run->operation->states[0];
}

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

void mtree_arrival_add_children(mtree_arrival_run_t *run)
{
    const int num_children = run->stream.num_children;
    mtree_stream_state_t *state = stream_of(run);
    mtree_batch_t *memory;

    run->stream.children = run->children;
    if (num_children == 0) {
        state->folded = state->num_chunks;
        mtree_stream_state_wake(state);
        return;
    }
    memory = add_receivers(run->operation, (size_t)num_children, true);
    state->receivers = memory->receivers;
    state->num_receivers = num_children;
    for (int i = 0; i < num_children; i++) {
        mtree_receiver_post(
            mtree_stream_state_add_receiver(state, i, run->children[i], memory));
    }
}

void mtree_arrival_add_channel(mtree_arrival_run_t *run, int rank, bool up)
{
    mtree_send_channel_t *channel = mtree_stream_state_add_channel(
        stream_of(run), up ? -1 : 0, rank,
        add_memory(run->operation, (mtree_part_counts_t){.channels = 1}));

    if (channel != NULL) {
        mtree_send_channel_open(channel);
    }
}

void mtree_arrival_add_source(mtree_arrival_run_t *run, int rank)
{
    mtree_stream_state_t *state = stream_of(run);

    state->above = mtree_stream_state_add_receiver(
        state, -1, rank, add_receivers(run->operation, 1, false));
    mtree_receiver_post(state->above);
}

void mtree_arrival_end_peers(mtree_operation_t *operation)
{
    if (operation->held) {
        operation->held = false;
        operation->outstanding--;
    }
}

bool mtree_arrival_is_complete(const mtree_arrival_run_t *run)
{
    return stream_of(run)->complete == stream_of(run)->num_chunks;
}

double mtree_arrival_sent_part(const mtree_arrival_run_t *run)
{
    const mtree_stream_state_t *state = stream_of(run);
    size_t least = state->num_chunks;

    for (const mtree_send_channel_t *channel = state->channels; channel != NULL;
         channel = channel->sibling) {
        if (!channel->up && channel->sent < least) {
            least = channel->sent;
        }
    }
    return (double)least / (double)state->num_chunks;
}

bool mtree_arrival_is_idle(const mtree_arrival_run_t *run)
{
    const mtree_send_channel_t *channel = stream_of(run)->channels;

    while (channel != NULL && channel->sent == channel->edge.end) {
        channel = channel->sibling;
    }
    return channel == NULL;
}

void mtree_arrival_copy_result(mtree_arrival_run_t *run)
{
    mtree_operation_data_t *data = &run->operation->data;
    size_t bytes = run->stream.length * (size_t)data->extent;
    void *copy =
        add_memory(run->operation, (mtree_part_counts_t){.scratch = bytes})->scratch;

    if (data->pack != NULL) {
        data->pack(data->arg, -1, 0, copy, bytes);
    } else {
        memcpy(copy, data->output, bytes);
    }
    data->pack = NULL;
    data->output = copy;
}

void mtree_arrival_message(mtree_arrival_run_t *run, bool receives, int peer, int tag,
                           void *buffer, size_t bytes, mtree_event_t *event,
                           void (*handle)(mtree_event_t *event))
{
    mtree_transport_t *transport = run->arrival.control;
    const mtree_transport_ops_t *ops = transport->ops;

    mtree_event_init(event, &run->operation->inbox, handle);
    (void)mtree_operation_began(
        run->operation,
        receives
            ? ops->recv(transport, peer, tag, buffer, bytes, &event->completion)
            : ops->send(transport, peer, tag, buffer, bytes, false, &event->completion));
}
