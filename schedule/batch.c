/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of streams, and their parts: the two ends of edges among them. */
#include "base/memory.h"
#include "schedule/edge_blocks.h"
#include "schedule/operation_private.h"

#include <stdlib.h>

/* Of streams [@a from, @a to). */
static mtree_part_counts_t count_parts(const mtree_layout_t *layout,
                                       const mtree_operation_data_t *data, int from,
                                       int to)
{
    const bool is_copied = mtree_operation_copies_results(layout, data);
    mtree_part_counts_t counts = {0, 0, 0, 0};

    for (int i = from; i < to; i++) {
        const mtree_stream_t *stream = &layout->streams[i];
        const size_t children = (size_t)stream->num_children, above = stream->parent >= 0;
        const size_t sums = stream->up ? children : 0, results = stream->down ? above : 0;
        const size_t slots = mtree_stream_slots(stream, true);

        if (stream->open) {
            continue;
        }
        counts.channels += (stream->up ? above : 0) + (stream->down ? children : 0);
        counts.receivers += sums + results;
        counts.slots += (sums + results) * slots;
        if (stream->below == NULL) {
            counts.scratch += (sums + (is_copied ? results : 0)) * slots *
                              mtree_stream_slot_bytes(data, stream);
        }
    }
    return counts;
}

/* The end of the batch that begins with stream @a from. */
static int batch_end(const mtree_layout_t *layout, int from)
{
    int left = layout->num_streams - from;

    return left < layout->batch ? layout->num_streams : from + layout->batch;
}

size_t mtree_batches_scratch(const mtree_layout_t *layout,
                             const mtree_operation_data_t *data)
{
    size_t most = 0, before = 0;
    int to;

    /* Of the batch that needs most, and the one before it. */
    for (int from = 0; from < layout->num_streams; from = to) {
        size_t scratch;

        to = batch_end(layout, from);
        scratch = count_parts(layout, data, from, to).scratch;
        for (int i = from; i < to; i++) {
            scratch += layout->streams[i].below != NULL
                           ? mtree_edge_blocks_scratch(&layout->streams[i], data->extent)
                           : 0;
        }
        most = before + scratch > most ? before + scratch : most;
        before = scratch;
    }
    return most;
}

/* To or from child number @a child, or the parent where that is -1. */
static mtree_edge_t edge_of(const mtree_stream_state_t *state, int child, bool sends)
{
    return state->blocks == NULL ? (mtree_edge_t){0, 0, state->num_chunks}
                                 : mtree_edge_blocks_edge(state, child, sends);
}

/* The lockstep of what passes there, which is counted. */
static int count_step(const mtree_stream_state_t *state, int child, bool up)
{
    const mtree_stream_t *stream = state->stream;
    const int *steps = stream->child_steps;
    int step = mtree_layout_step(state->operation->layout, stream,
                                 child < 0       ? stream->parent_step
                                 : steps == NULL ? 0
                                                 : steps[child],
                                 up);

    state->operation->step_waits[step]++;
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

mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *state,
                                                     int child, int rank,
                                                     mtree_batch_t *batch)
{
    mtree_operation_t *operation = state->operation;
    const mtree_edge_t edge = edge_of(state, child, true);
    const bool up = child < 0;
    mtree_send_channel_t *channel;
    const mtree_peer_t *peer;

    if (edge.end == 0) {
        return NULL;
    }
    channel = batch->channels_end++;
    channel->state = state;
    channel->send_queue = mtree_operation_send_queue(operation, rank);
    peer = &operation->layout
                ->peers[mtree_send_queue_number(operation, channel->send_queue)];
    channel->edge = edge;
    channel->up = up;
    channel->credited = edge_needs_credit(&edge, up, peer->is_relay);
    channel->step = count_step(state, child, up);
    channel->credit = edge.end;
    if (channel->credited && state->stream->window < edge.end) {
        channel->credit = state->stream->window;
    }
    channel->sibling = state->channels;
    state->channels = channel;
    state->batch->left += edge_known_chunks(&edge);
    return channel;
}

mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *state, int child,
                                                  int rank, mtree_batch_t *batch)
{
    const mtree_operation_data_t *data = &state->operation->data;
    const mtree_layout_t *layout = state->operation->layout;
    const mtree_edge_t edge = edge_of(state, child, false);
    const bool up = child >= 0, is_blocks = state->blocks != NULL;
    const size_t window = mtree_stream_slots(state->stream, up);
    mtree_receiver_t *receiver;

    if (edge.end == 0) {
        return NULL;
    }
    receiver = batch->receivers_end++;
    receiver->state = state;
    receiver->edge = edge;
    receiver->peer = rank;
    receiver->up = up;
    receiver->credited = edge_needs_credit(&edge, up, layout->is_relay);
    receiver->step = count_step(state, child, up);
    receiver->window = edge.end < window ? edge.end : window;
    receiver->slots = batch->slots_end;
    for (size_t i = 0; i < receiver->window; i++) {
        mtree_slot_t *slot = batch->slots_end++;

        slot->receiver = receiver;
        if (!is_blocks && (up || mtree_operation_copies_results(layout, data))) {
            slot->memory = mtree_address(batch->scratch_end, -data->gap);
            batch->scratch_end += mtree_stream_slot_bytes(data, state->stream);
        }
    }
    if (is_blocks) {
        mtree_edge_blocks_open(receiver);
    }
    state->batch->left += edge_known_chunks(&edge);
    return receiver;
}

/* The channels and receivers of a stream. */
static void state_add_edges(mtree_stream_state_t *state)
{
    const mtree_stream_t *stream = state->stream;
    mtree_batch_t *batch = state->batch;

    for (int i = 0; i < stream->num_children; i++) {
        if (stream->up) {
            state->num_receivers += mtree_stream_state_add_receiver(
                                        state, i, stream->children[i], batch) != NULL;
        }
        if (stream->down) {
            mtree_stream_state_add_channel(state, i, stream->children[i], batch);
        }
    }
    if (stream->parent >= 0 && stream->down) {
        state->above = mtree_stream_state_add_receiver(state, -1, stream->parent, batch);
    }
    if (stream->parent >= 0 && stream->up) {
        mtree_stream_state_add_channel(state, -1, stream->parent, batch);
    }
    if (state->blocks != NULL && state->num_receivers == 0) {
        state->folded = SIZE_MAX;
    }
}

/* What a stream that is not personalized begins with. */
static void state_init_chunks(mtree_stream_state_t *state)
{
    mtree_operation_t *operation = state->operation;
    const mtree_stream_t *stream = state->stream;

    state->num_chunks = mtree_stream_num_chunks(stream);
    if (operation->data.shift != NULL && stream->block >= 0) {
        state->shift = operation->data.shift[stream->block];
    }
    if (!stream->up || (stream->num_children == 0 && !stream->open)) {
        state->folded =
            stream->continues ? mtree_prefix_ready(operation, stream) : state->num_chunks;
    }
    if (stream->parent < 0 && !stream->up) {
        state->complete = state->num_chunks;
    }
    if (stream->open && !operation->held) {
        operation->held = true;
        operation->outstanding++;
    }
}

static void state_init(mtree_stream_state_t *state, mtree_operation_t *operation,
                       mtree_batch_t *batch, const mtree_stream_t *stream)
{
    state->operation = operation;
    state->batch = batch;
    state->stream = stream;
    state->receivers = batch->receivers_end;
    if (stream->below != NULL) {
        mtree_edge_blocks_init(state);
    } else {
        state_init_chunks(state);
    }
    if (!stream->open) {
        state_add_edges(state);
    }
}

/* In one block but for the scratch memory, which is aligned. */
mtree_batch_t *mtree_batch_alloc(int num_states, const mtree_part_counts_t *counts)
{
    mtree_batch_t *batch = mtree_calloc(
        1, sizeof(*batch) + (size_t)num_states * sizeof(mtree_stream_state_t) +
               counts->channels * sizeof(mtree_send_channel_t) +
               counts->receivers * sizeof(mtree_receiver_t) +
               counts->slots * sizeof(mtree_slot_t));

    if (counts->scratch > 0) {
        mtree_require(posix_memalign((void **)&batch->scratch, MTREE_SLOT_ALIGNMENT,
                                     counts->scratch) == 0
                          ? MTREE_OK
                          : MTREE_ERR_NO_MEMORY);
    }
    batch->num_states = num_states;
    batch->states = (mtree_stream_state_t *)(batch + 1);
    batch->channels = (mtree_send_channel_t *)(batch->states + num_states);
    batch->channels_end = batch->channels;
    batch->receivers = (mtree_receiver_t *)(batch->channels + counts->channels);
    batch->receivers_end = batch->receivers;
    batch->slots_end = (mtree_slot_t *)(batch->receivers + counts->receivers);
    batch->scratch_end = batch->scratch;
    return batch;
}

static void batch_free(mtree_batch_t *batch)
{
    for (int i = 0; i < batch->num_states; i++) {
        free(batch->states[i].blocks);
    }
    for (mtree_receiver_t *receiver = batch->receivers; receiver < batch->receivers_end;
         receiver++) {
        free(receiver->memory);
    }
    free(batch->scratch);
    free(batch);
}

void mtree_batches_free(mtree_batch_t *batch)
{
    while (batch != NULL) {
        mtree_batch_t *next = batch->next;

        batch_free(batch);
        batch = next;
    }
}

void mtree_batch_add(mtree_operation_t *operation)
{
    const mtree_layout_t *layout = operation->layout;
    int from = operation->next_stream, to = batch_end(layout, from);
    mtree_part_counts_t counts = count_parts(layout, &operation->data, from, to);
    mtree_batch_t *batch = mtree_batch_alloc(to - from, &counts);

    for (int i = from; i < to; i++) {
        state_init(&batch->states[i - from], operation, batch, &layout->streams[i]);
    }
    operation->next_stream = to;
    if (operation->newest == NULL) {
        operation->oldest = batch;
        operation->states = batch->states;
    } else {
        operation->newest->next = batch;
    }
    operation->newest = batch;
}

void mtree_batch_begin(mtree_batch_t *batch)
{
    for (mtree_receiver_t *receiver = batch->receivers; receiver < batch->receivers_end;
         receiver++) {
        mtree_receiver_post(receiver);
    }
    for (mtree_send_channel_t *channel = batch->channels; channel < batch->channels_end;
         channel++) {
        mtree_send_channel_open(channel);
    }
}

/* Forget the oldest batch, which is done, before there is memory for another. */
static void operation_drop_batch(mtree_operation_t *operation)
{
    mtree_batch_t *batch = operation->oldest;

    operation->oldest = batch->next;
    if (operation->oldest == NULL) {
        operation->newest = NULL;
    }
    batch_free(batch);
}

bool mtree_batches_advance(mtree_operation_t *operation)
{
    const mtree_batch_t *oldest = operation->oldest;

    if (operation->next_stream >= operation->layout->num_streams ||
        operation->status != MTREE_OK || oldest->left > 0) {
        return false;
    }
    operation_drop_batch(operation);
    mtree_batch_add(operation);
    mtree_batch_begin(operation->newest);
    return true;
}
