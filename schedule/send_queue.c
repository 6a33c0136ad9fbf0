/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "schedule/edge_blocks.h"
#include "schedule/operation_private.h"

#include <math.h>
#include <stdlib.h>

/* Calls that send a peer more than so many of its windows, but not very many, learn what
 * it has matched until the end. */
#define FEW_WINDOWS  2.0
#define MANY_WINDOWS 4.0

/* Chunks of @a channel that are ready, that the receiver has memory for, and whose step
 * has begun. */
static size_t channel_limit(const mtree_send_channel_t *channel)
{
    size_t ready = channel->up ? channel->state->folded : channel->state->complete;

    if (channel->step > channel->state->operation->step) {
        return 0;
    }
    return ready < channel->credit ? ready : channel->credit;
}

static void channel_credited(mtree_event_t *event)
{
    mtree_send_channel_t *channel =
        MTREE_CONTAINER_OF(event, mtree_send_channel_t, credit_event);

    if (!mtree_stream_state_ended(channel->state, event)) {
        return;
    }
    channel->crediting = false;
    channel->credit += mtree_credit_batch(channel->state->stream->window);
    channel->send_queue->dirty = true;
}

/* Wait for the next credit of a channel whose receiver has memory for fewer chunks than
 * there are. */
static void channel_await_credit(mtree_send_channel_t *channel)
{
    mtree_operation_t *operation = channel->state->operation;

    if (!channel->credited || channel->crediting ||
        channel->edge.end == MTREE_END_UNKNOWN || channel->credit >= channel->edge.end ||
        operation->status != MTREE_OK) {
        return;
    }
    channel->crediting = true;
    mtree_event_init(&channel->credit_event, &operation->inbox, channel_credited);
    (void)mtree_stream_state_began(
        channel->state,
        operation->transport->ops->recv(
            operation->transport, channel->send_queue->rank,
            mtree_stream_state_tag(channel->state, channel->up, MTREE_TAG_CREDIT), NULL,
            0, &channel->credit_event.completion));
}

void mtree_send_channel_open(mtree_send_channel_t *channel)
{
    mtree_send_queue_t *send_queue = channel->send_queue;

    channel->link = send_queue->channels;
    send_queue->channels = channel;
    send_queue->num_credited += channel->credited;
    send_queue->dirty = true;
}

/* All chunks of @a channel have been handed to the transport. */
static void channel_close(const mtree_send_channel_t *channel)
{
    mtree_send_channel_t **at = &channel->send_queue->channels;

    while (*at != channel) {
        at = &(*at)->link;
    }
    *at = channel->link;
    channel->send_queue->num_credited -= channel->credited;
}

/* The part of its chunks that @a channel has sent. */
static double channel_progress(const mtree_send_channel_t *channel)
{
    return (double)channel->next / (double)channel->edge.end;
}

/* Recompute the least progress of the channels in direction @a up that have begun and not
 * ended. */
static void operation_find_last(mtree_operation_t *operation, bool up)
{
    double last = INFINITY;

    for (int i = 0; i < operation->layout->num_peers; i++) {
        const mtree_send_channel_t *channel = operation->send_queues[i].channels;

        for (; channel != NULL; channel = channel->link) {
            if (channel->up == up && channel->next > 0) {
                last = fmin(last, channel_progress(channel));
            }
        }
    }
    operation->last[up] = last;
}

/* Advance @a channel to its next chunk; returns the present one. */
static size_t channel_advance(mtree_send_channel_t *channel)
{
    mtree_operation_t *operation = channel->state->operation;
    double *last = &operation->last[channel->up];
    bool begins = channel->next == 0;
    bool was_last = !begins && channel_progress(channel) <= *last;

    channel->next++;
    channel->state->batch->left--;
    if (channel->next == channel->edge.end) {
        channel_close(channel);
    }
    if (was_last) {
        operation_find_last(operation, channel->up);
    } else if (begins && channel->next < channel->edge.end) {
        *last = fmin(*last, channel_progress(channel));
    }
    return channel->next - 1;
}

/* Is @a channel too far ahead of the others?  It then sends only on an idle link. */
static bool channel_leads(const mtree_send_channel_t *channel)
{
    const mtree_operation_t *operation = channel->state->operation;

    return operation->layout->paced && channel->send_queue->outstanding > 0 &&
           channel_progress(channel) >
               operation->last[channel->up] + operation->layout->max_lead;
}

/*
 * The channel that is furthest behind, by the part of its chunks that is sent, among
 * those that have something to send.  So reduce and broadcast of all trees share a link
 * such that they end together.
 */
static mtree_send_channel_t *send_queue_pick(const mtree_send_queue_t *send_queue)
{
    mtree_send_channel_t *best = NULL;
    double least = 0;

    for (mtree_send_channel_t *channel = send_queue->channels; channel != NULL;
         channel = channel->link) {
        double progress;

        if (channel->next >= channel_limit(channel) || channel_leads(channel)) {
            continue;
        }
        progress = ((double)channel->next + 0.5) / (double)channel->edge.end;
        if (best == NULL || progress < least) {
            best = channel;
            least = progress;
        }
    }
    return best;
}

/* Keep it for the next send. */
static void send_op_put(mtree_operation_t *operation, mtree_send_op_t *send_op)
{
    free(send_op->packed);
    send_op->packed = NULL;
    send_op->link = operation->free_send_ops;
    operation->free_send_ops = send_op;
}

/* @a bytes are acknowledged. */
static void send_queue_acknowledge(mtree_send_queue_t *send_queue, size_t bytes)
{
    size_t growth = send_queue->max_window - send_queue->window;

    send_queue->outstanding -= bytes;
    send_queue->acknowledged += (double)bytes;
    send_queue->window += bytes < growth ? bytes : growth;
    send_queue->dirty = true;
}

static void send_op_sent(mtree_event_t *event)
{
    mtree_send_op_t *send_op = (mtree_send_op_t *)event;
    mtree_send_channel_t *channel = send_op->channel;
    mtree_stream_state_t *state = channel->state;
    mtree_operation_t *operation = state->operation;
    const size_t chunk = send_op->chunk, bytes = send_op->bytes;
    const bool is_sent = mtree_stream_state_ended(state, event);

    send_queue_acknowledge(channel->send_queue, bytes);
    mtree_stream_state_trace(state, MTREE_TRACE_SEND, channel->up,
                             channel->send_queue->rank, chunk,
                             bytes / (size_t)operation->data.extent, send_op->begin);
    send_op_put(operation, send_op);
    if (!is_sent) {
        return;
    }
    if (operation->data.goodput != NULL) {
        mtree_goodput_sent(operation->data.goodput,
                           mtree_send_queue_number(operation, channel->send_queue),
                           state->stream->number, (double)bytes,
                           mtree_operation_now(operation));
    }
    if (++channel->sent == channel->edge.end) {
        mtree_operation_step(operation, channel->step);
    }
    /* The slot in which the chunk lies may be free now. */
    if (channel->up && state->blocks == NULL && state->stream->num_children > 0) {
        mtree_receiver_sent(&state->receivers[0], chunk);
    } else if (!channel->up && state->above != NULL &&
               mtree_stream_state_sends_on(state)) {
        mtree_receiver_sent(state->above, chunk);
    }
}

static mtree_send_op_t *send_op_get(mtree_operation_t *operation)
{
    mtree_send_op_t *send_op = operation->free_send_ops;

    if (send_op != NULL) {
        operation->free_send_ops = send_op->link;
        return send_op;
    }
    return MTREE_ARENA_ARRAY(&operation->arena, send_op, 1);
}

static const char *slot_address(const mtree_receiver_t *receiver, size_t chunk)
{
    return receiver->slots[chunk % receiver->window].memory;
}

/* Where the chunk lies in memory, which may be at 0; false: it has to be packed. */
static bool send_op_in_place(const mtree_send_op_t *send_op, const char **address_p)
{
    const mtree_send_channel_t *channel = send_op->channel;
    const mtree_stream_state_t *state = channel->state;
    const mtree_operation_data_t *data = &state->operation->data;

    if (state->blocks != NULL) {
        *address_p = mtree_edge_blocks_address(channel, send_op->chunk);
        return *address_p != NULL;
    }
    if (channel->up && state->stream->num_children > 0) {
        *address_p = slot_address(&state->receivers[0], send_op->chunk);
    } else if (!channel->up && state->operation->layout->is_relay) {
        *address_p = slot_address(state->above, send_op->chunk);
    } else {
        bool is_result = !channel->up || state->stream->continues;

        *address_p = mtree_stream_state_address(
            state, is_result ? data->output : data->input, send_op->chunk);
    }
    return data->pack == NULL && (!data->is_exclusive || !state->stream->continues);
}

/* The address of the chunk, packed where it has to be. */
static const char *send_op_address(mtree_send_op_t *send_op, size_t count)
{
    mtree_stream_state_t *state = send_op->channel->state;
    const mtree_operation_data_t *data = &state->operation->data;
    const char *address;

    if (send_op_in_place(send_op, &address)) {
        return address;
    }
    send_op->packed =
        mtree_malloc(!data->is_exclusive ? count * (size_t)data->extent
                                         : mtree_stream_slot_bytes(data, state->stream));
    if (data->is_exclusive) {
        return mtree_prefix_pack(state, send_op->chunk, send_op->packed);
    }
    if (state->blocks != NULL) {
        mtree_edge_blocks_pack(send_op->channel, send_op->chunk, send_op->packed);
    } else {
        data->pack(data->arg, -1, mtree_stream_state_offset(state, send_op->chunk),
                   send_op->packed, count);
    }
    return send_op->packed;
}

/* Units of the next message of @a channel. */
static size_t channel_count(const mtree_send_channel_t *channel)
{
    return mtree_edge_count(channel->state, &channel->edge, channel->next);
}

/* Bytes of the chunks that are still to be sent over @a channel, about. */
static double channel_left(const mtree_send_channel_t *channel)
{
    return channel->next == channel->edge.end
               ? 0
               : (double)(channel->edge.end - channel->next) *
                     (double)channel_count(channel) *
                     (double)channel->state->operation->data.extent;
}

/*
 * Is it to be known when the next chunk of @a channel was matched?  Where all that is
 * left for the peer fits into its window, nothing waits for that, and a rank would wait a
 * trip back for its last chunks.  Of calls that fill a window a few times they are
 * waited for all the same, unless they are personalized: what is acknowledged tells how
 * much a link carries.
 */
static bool channel_is_paced(const mtree_send_channel_t *channel)
{
    const mtree_send_queue_t *send_queue = channel->send_queue;
    const double window = (double)send_queue->window;
    double left = (double)send_queue->outstanding, all;

    if (!channel->state->operation->layout->paced) {
        return false;
    }
    for (const mtree_send_channel_t *other = send_queue->channels;
         other != NULL && left <= window; other = other->link) {
        left += channel_left(other);
    }
    all = send_queue->acknowledged + left;
    return left > window || (channel->state->blocks == NULL &&
                             all > FEW_WINDOWS * window && all < MANY_WINDOWS * window);
}

static void channel_send(mtree_send_channel_t *channel)
{
    mtree_operation_t *operation = channel->state->operation;
    size_t count = channel_count(channel);
    size_t bytes = count * (size_t)operation->data.extent;
    mtree_send_op_t *send_op = send_op_get(operation);
    const bool paced = channel_is_paced(channel);
    const char *address;

    send_op->channel = channel;
    send_op->chunk = channel_advance(channel);
    send_op->bytes = bytes;
    send_op->begin = mtree_operation_clock(operation);
    address = send_op_address(send_op, count);
    channel->send_queue->outstanding += bytes;
    mtree_event_init(&send_op->event, &operation->inbox, send_op_sent);
    if (!mtree_stream_state_began(
            channel->state,
            operation->transport->ops->send(
                operation->transport, channel->send_queue->rank,
                mtree_stream_state_tag(channel->state, channel->up, MTREE_TAG_DATA),
                address, count, paced, &send_op->event.completion))) {
        send_op_put(operation, send_op);
    }
}

static void send_queue_await_credits(mtree_send_queue_t *send_queue)
{
    mtree_send_channel_t *channel = send_queue->channels;

    for (; channel != NULL && send_queue->num_credited > 0; channel = channel->link) {
        channel_await_credit(channel);
    }
}

/* The window to peer @a i is too full for what is ready, or not.  If what limits it is
 * the path, its rate is the path's bandwidth. */
static void send_queue_note(mtree_operation_t *operation, int i, bool is_full)
{
    mtree_transport_t *transport = operation->transport;
    mtree_goodput_t *goodput = operation->data.goodput;
    bool backlogged;

    if (goodput == NULL) {
        return;
    }
    backlogged =
        is_full && (transport->ops->is_full == NULL ||
                    transport->ops->is_full(transport, operation->send_queues[i].rank));
    if (backlogged != (goodput->links[i].since >= 0)) {
        mtree_goodput_backlog(goodput, i, backlogged, mtree_operation_now(operation));
    }
}

void mtree_send_queue_pump(mtree_operation_t *operation)
{
    const mtree_layout_t *layout = operation->layout;

    for (int turn = 0; turn < layout->num_peers; turn++) {
        int later = layout->first_peer + turn;
        int i = later < layout->num_peers ? later : later - layout->num_peers;
        mtree_send_queue_t *send_queue = &operation->send_queues[i];
        mtree_send_channel_t *channel;
        bool is_full = false;

        if (!send_queue->dirty) {
            continue;
        }
        send_queue->dirty = false;
        send_queue_await_credits(send_queue);
        while (!is_full && operation->status == MTREE_OK &&
               (channel = send_queue_pick(send_queue)) != NULL) {
            is_full = layout->paced && send_queue->outstanding >= send_queue->window;
            if (!is_full) {
                channel_send(channel);
            }
        }
        send_queue_note(operation, i, is_full);
    }
}
