/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/operation_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of the parts of an operation. */
typedef struct {
    size_t channels, receivers, slots, scratch;
} part_counts_t;

static size_t stream_num_chunks(const mtree_stream_t *stream)
{
    return (stream->length + stream->chunk - 1) / stream->chunk;
}

size_t mtree_stream_slots(const mtree_stream_t *stream)
{
    size_t chunks = stream_num_chunks(stream);

    return chunks < stream->window ? chunks : stream->window;
}

size_t mtree_stream_slot_bytes(const mtree_operation_data_t *data,
                               const mtree_stream_t *stream)
{
    size_t units = stream->chunk < stream->length ? stream->chunk : stream->length;
    size_t bytes = units == 0 ? 0 : data->span + (units - 1) * (size_t)data->extent;

    return (bytes + MTREE_SLOT_ALIGNMENT - 1) / MTREE_SLOT_ALIGNMENT *
           MTREE_SLOT_ALIGNMENT;
}

static part_counts_t operation_count_parts(const mtree_layout_t *layout,
                                           const mtree_operation_data_t *data)
{
    part_counts_t counts = {0, 0, 0, 0};

    for (int i = 0; i < layout->num_streams; i++) {
        const mtree_stream_t *stream = &layout->streams[i];
        size_t children = (size_t)stream->num_children;
        size_t slots = mtree_stream_slots(stream);

        if (stream->open) {
            continue;
        }
        if (stream->broadcast) {
            counts.channels += children;
            if (stream->parent >= 0) {
                counts.receivers++;
                counts.slots += slots;
                counts.scratch += data->unpack != NULL
                                      ? slots * mtree_stream_slot_bytes(data, stream)
                                      : 0;
            }
        }
        if (stream->reduce) {
            counts.channels += stream->parent >= 0;
            counts.receivers += children;
            counts.slots += children * slots;
            counts.scratch += children * slots * mtree_stream_slot_bytes(data, stream);
        }
    }
    return counts;
}

size_t mtree_operation_scratch(const mtree_layout_t *layout,
                               const mtree_operation_data_t *data)
{
    return operation_count_parts(layout, data).scratch;
}

static mtree_send_queue_t *operation_send_queue(mtree_operation_t *operation, int rank)
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

/* Count a new channel or receiver of @a step. */
static int operation_count_step(mtree_operation_t *operation, int step)
{
    operation->step_waits[step]++;
    return step;
}

static mtree_turn_t open_turn(bool up)
{
    return (mtree_turn_t){.lane = up ? 0 : 1, .is_open = true};
}

mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *state,
                                                     int rank, int step, bool up,
                                                     mtree_cursor_t *at)
{
    mtree_send_channel_t *channel = at->channel++;

    channel->state = state;
    channel->send_queue = operation_send_queue(state->operation, rank);
    channel->up = up;
    channel->step = operation_count_step(
        state->operation,
        mtree_layout_step(state->operation->layout, state->stream, step, up));
    channel->turn = open_turn(up);
    channel->blank = channel->end = channel->credit = state->num_chunks;
    if (up && state->stream->window < state->num_chunks) {
        channel->credit = state->stream->window;
    }
    channel->sibling = state->channels;
    state->channels = channel;
    return channel;
}

mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *state, int rank,
                                                  int step, bool up, size_t window,
                                                  bool memory, mtree_cursor_t *at)
{
    const mtree_operation_data_t *data = &state->operation->data;
    mtree_receiver_t *receiver = at->receiver++;

    receiver->state = state;
    receiver->peer = rank;
    receiver->up = up;
    receiver->turn = open_turn(up);
    receiver->step = operation_count_step(
        state->operation,
        mtree_layout_step(state->operation->layout, state->stream, step, up));
    receiver->window = window;
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

static int child_step(const mtree_stream_t *stream, int child)
{
    return stream->child_steps == NULL ? 0 : stream->child_steps[child];
}

static void state_init(mtree_stream_state_t *state, mtree_operation_t *operation,
                       const mtree_stream_t *stream, mtree_cursor_t *at)
{
    size_t slots = mtree_stream_slots(stream);

    state->operation = operation;
    state->stream = stream;
    state->num_chunks = stream_num_chunks(stream);
    if (operation->data.shift != NULL && stream->block >= 0) {
        state->shift = operation->data.shift[stream->block];
    }
    state->receivers = at->receiver;
    if (!stream->reduce || (stream->num_children == 0 && !stream->open)) {
        state->folded = state->num_chunks;
    }
    if (stream->parent < 0 && !stream->reduce) {
        state->complete = state->num_chunks;
    }
    if (stream->open && !operation->held) {
        operation->held = true;
        operation->outstanding++;
    }
    if (state->num_chunks == 0 || stream->open) {
        return;
    }
    for (int i = 0; i < stream->num_children; i++) {
        if (stream->reduce) {
            mtree_stream_state_add_receiver(state, stream->children[i],
                                            child_step(stream, i), true, slots, true, at);
        }
    }
    for (int i = 0; i < stream->num_children; i++) {
        if (stream->broadcast) {
            mtree_stream_state_add_channel(state, stream->children[i],
                                           child_step(stream, i), false, at);
        }
    }
    if (stream->parent >= 0 && stream->broadcast) {
        state->above = mtree_stream_state_add_receiver(
            state, stream->parent, stream->parent_step, false, slots,
            operation->data.unpack != NULL, at);
    }
    if (stream->parent >= 0 && stream->reduce) {
        mtree_stream_state_add_channel(state, stream->parent, stream->parent_step, true,
                                       at);
    }
}

/* One block holds the operation, its parts and, aligned, its scratch memory. */
static mtree_operation_t *operation_alloc(const mtree_layout_t *layout,
                                          const mtree_operation_data_t *data,
                                          mtree_cursor_t *at)
{
    part_counts_t counts = operation_count_parts(layout, data);
    size_t bytes = sizeof(mtree_operation_t) +
                   (size_t)layout->num_streams * sizeof(mtree_stream_state_t) +
                   (size_t)layout->num_peers * sizeof(mtree_send_queue_t) +
                   counts.channels * sizeof(mtree_send_channel_t) +
                   counts.receivers * sizeof(mtree_receiver_t) +
                   counts.slots * sizeof(mtree_slot_t) +
                   (2 * (size_t)layout->num_steps + 1) * sizeof(int);
    mtree_operation_t *operation = calloc(1, bytes);

    if (operation == NULL) {
        return NULL;
    }
    if (counts.scratch > 0 && posix_memalign((void **)&operation->scratch,
                                             MTREE_SLOT_ALIGNMENT, counts.scratch) != 0) {
        free(operation);
        return NULL;
    }
    operation->layout = layout;
    operation->data = *data;
    operation->states = (mtree_stream_state_t *)(operation + 1);
    operation->send_queues =
        (mtree_send_queue_t *)(operation->states + layout->num_streams);
    at->channel = (mtree_send_channel_t *)(operation->send_queues + layout->num_peers);
    at->receiver = (mtree_receiver_t *)(at->channel + counts.channels);
    at->slot = (mtree_slot_t *)(at->receiver + counts.receivers);
    operation->step_waits = (int *)(at->slot + counts.slots);
    operation->step = layout->num_steps > 0;
    at->scratch = operation->scratch;
    return operation;
}

static void operation_release(mtree_operation_t *operation)
{
    mtree_operation_controller_t controller = operation->controller;

    while (operation->extra_buffers != NULL) {
        mtree_extra_buffer_t *extra_buffer = operation->extra_buffers;

        operation->extra_buffers = extra_buffer->link;
        free(extra_buffer->scratch);
        free(extra_buffer);
    }
    while (operation->free_send_ops != NULL) {
        mtree_send_op_t *send_op = operation->free_send_ops;

        operation->free_send_ops = send_op->link;
        free(send_op);
    }
    free(operation->scratch);
    free(operation);
    if (controller.released != NULL) {
        controller.released(controller.arg);
    }
}

static mtree_operation_t *inbox_operation(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, mtree_operation_t, inbox);
}

static void operation_finish(mtree_operation_t *operation)
{
    mtree_operation_func_t func = operation->func;

    /* An owner without a callback polls, and may free the operation from here on. */
    atomic_store(&operation->finished, true);
    if (func != NULL) {
        func(operation, operation->status, operation->arg);
    }
}

/*
 * A failed operation ends with its last message, if the transport ends all messages, else
 * at once.  A detached operation ends at once, too.  Outstanding messages keep its
 * memory.
 */
static bool operation_idle(mtree_inbox_t *inbox)
{
    mtree_operation_t *operation = inbox_operation(inbox);

    if (operation->controller.progress != NULL) {
        operation->controller.progress(operation, operation->controller.arg);
    }
    if (operation->status == MTREE_OK) {
        mtree_send_queue_pump(operation);
    }
    if ((operation->detached ||
         (operation->status != MTREE_OK && !operation->transport->ends_all)) &&
        !operation->finished && operation->outstanding > 0) {
        operation_finish(operation);
    }
    return operation->outstanding == 0;
}

static void operation_last(mtree_inbox_t *inbox)
{
    mtree_operation_t *operation = inbox_operation(inbox);

    if (!operation->finished) {
        operation_finish(operation);
    } else if (operation->orphan) {
        operation_release(operation);
    }
}

/* When the turns of @a step come, from 0.  In a lockstep, sums stay within a host before
 * the first step, and results do after the last. */
static int turn_round(const mtree_layout_t *layout, int step, bool up)
{
    return step > 0 || up || layout->num_steps == 0 ? step : 2 * layout->num_steps + 1;
}

/* Number the turns of all channels and receivers before @a at, and begin with those that
 * are open. */
static void operation_begin(mtree_operation_t *operation, const mtree_cursor_t *at)
{
    const mtree_layout_t *layout = operation->layout;

    for (int round = 0; round <= 2 * layout->num_steps + 1; round++) {
        mtree_receiver_t *receiver = operation->receivers;
        mtree_send_channel_t *channel = operation->channels;

        for (; receiver < at->receiver; receiver++) {
            if (turn_round(layout, receiver->step, receiver->up) == round) {
                mtree_turns_add(
                    &operation_send_queue(operation, receiver->peer)->receives,
                    &receiver->turn, layout->num_lanes);
            }
        }
        for (; channel < at->channel; channel++) {
            if (turn_round(layout, channel->step, channel->up) == round) {
                mtree_turns_add(&channel->send_queue->sends, &channel->turn,
                                layout->num_lanes);
            }
        }
    }
    for (mtree_receiver_t *receiver = operation->receivers; receiver < at->receiver;
         receiver++) {
        mtree_receiver_post(receiver);
    }
    for (mtree_send_channel_t *channel = operation->channels; channel < at->channel;
         channel++) {
        if (channel->turn.is_open) {
            mtree_send_channel_open(channel);
        }
    }
}

mtree_status_t mtree_operation_start(const mtree_layout_t *layout,
                                     mtree_transport_t *transport,
                                     const mtree_operation_data_t *data,
                                     mtree_operation_func_t func, void *arg,
                                     mtree_operation_t **operation_p)
{
    static const mtree_operation_controller_t none = {NULL, NULL, NULL};

    return mtree_operation_start_controlled(layout, transport, data, &none, func, arg,
                                            operation_p);
}

mtree_status_t mtree_operation_start_controlled(
    const mtree_layout_t *layout, mtree_transport_t *transport,
    const mtree_operation_data_t *data, const mtree_operation_controller_t *controller,
    mtree_operation_func_t func, void *arg, mtree_operation_t **operation_p)
{
    mtree_cursor_t at;
    mtree_operation_t *operation = operation_alloc(layout, data, &at);

    if (operation == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    operation->transport = transport;
    operation->controller = *controller;
    operation->last[false] = operation->last[true] = INFINITY;
    operation->func = func;
    operation->arg = arg;
    if (data->trace != NULL) {
        operation->call = atomic_fetch_add(&data->trace->calls, 1);
    }
    if (data->goodput != NULL) {
        mtree_goodput_begin(data->goodput, mtree_operation_now(operation));
    }
    mtree_inbox_init(&operation->inbox, operation_idle, operation_last);
    for (int i = 0; i < layout->num_peers; i++) {
        operation->send_queues[i].rank = layout->peers[i].rank;
        operation->send_queues[i].window = layout->peers[i].window;
    }
    operation->channels = at.channel;
    operation->receivers = at.receiver;
    for (int i = 0; i < layout->num_streams; i++) {
        const mtree_stream_t *stream = &layout->streams[i];

        if (data->pack != NULL && stream->chunk > operation->packed_bytes) {
            operation->packed_bytes = stream->chunk;
        }
        state_init(&operation->states[i], operation, stream, &at);
    }
    /* This rank may have nothing to do in the first steps. */
    operation_count_step(operation, operation->step);
    mtree_operation_step(operation, operation->step);
    /* The operation may end before this returns. */
    *operation_p = operation;
    operation_begin(operation, &at);
    mtree_inbox_open(&operation->inbox);
    return MTREE_OK;
}

bool mtree_operation_done(const mtree_operation_t *operation, mtree_status_t *status_p)
{
    if (!atomic_load(&operation->finished)) {
        return false;
    }
    if (status_p != NULL) {
        *status_p = operation->status;
    }
    return true;
}

void mtree_operation_free(mtree_operation_t *operation)
{
    if (operation == NULL) {
        return;
    }
    if (operation->outstanding > 0) {
        operation->orphan = true;
        return;
    }
    operation_release(operation);
}
