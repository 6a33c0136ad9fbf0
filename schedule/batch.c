/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of streams, and their parts. */
#include "schedule/edge_blocks.h"
#include "schedule/operation_private.h"

#include <stdlib.h>

/* Of streams [@a from, @a to). */
static mtree_part_counts_t count_parts(const mtree_layout_t *layout,
                                       const mtree_operation_data_t *data, int from,
                                       int to)
{
    const bool is_copied = data->unpack != NULL || layout->is_relay;
    mtree_part_counts_t counts = {0, 0, 0, 0};

    for (int i = from; i < to; i++) {
        const mtree_stream_t *stream = &layout->streams[i];
        const size_t children = (size_t)stream->num_children, above = stream->parent >= 0;
        const size_t sums = stream->up ? children : 0, results = stream->down ? above : 0;
        const size_t slots = mtree_stream_slots(stream);

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

    return layout->num_steps > 0 || left < MTREE_BATCH_STREAMS
               ? layout->num_streams
               : from + MTREE_BATCH_STREAMS;
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
    return state->blocks == NULL ? mtree_edge_whole(state)
                                 : mtree_edge_blocks_edge(state, child, sends);
}

/* Unless nothing passes. */
static void add_channel(mtree_stream_state_t *state, int child, int rank, int step,
                        mtree_cursor_t *at)
{
    const mtree_edge_t edge = edge_of(state, child, true);

    if (edge.end > 0) {
        mtree_stream_state_add_channel(state, rank, step, child < 0, edge, at);
    }
}

/* The same; NULL: there is none.  *done_p is false from then on that there is no memory
 * for its slots. */
static mtree_receiver_t *add_receiver(mtree_stream_state_t *state, int child, int rank,
                                      int step, mtree_cursor_t *at, bool *done_p)
{
    const mtree_edge_t edge = edge_of(state, child, false);
    const size_t most = state->stream->window;
    const bool is_copied =
        state->operation->data.unpack != NULL || state->operation->layout->is_relay;
    mtree_receiver_t *receiver;

    if (edge.end == 0) {
        return NULL;
    }
    receiver = mtree_stream_state_add_receiver(
        state, rank, step, child >= 0, edge, edge.end < most ? edge.end : most,
        state->blocks == NULL && (child >= 0 || is_copied), at);
    *done_p = *done_p && (state->blocks == NULL || mtree_edge_blocks_open(receiver));
    return receiver;
}

/* The channels and receivers of a stream.  False: no memory. */
static bool state_add_edges(mtree_stream_state_t *state, mtree_cursor_t *at)
{
    const mtree_stream_t *stream = state->stream;
    bool done = true;

    for (int i = 0; i < stream->num_children; i++) {
        int step = stream->child_steps == NULL ? 0 : stream->child_steps[i];

        if (stream->up) {
            state->num_receivers +=
                add_receiver(state, i, stream->children[i], step, at, &done) != NULL;
        }
        if (stream->down) {
            add_channel(state, i, stream->children[i], step, at);
        }
    }
    if (stream->parent >= 0 && stream->down) {
        state->above =
            add_receiver(state, -1, stream->parent, stream->parent_step, at, &done);
    }
    if (stream->parent >= 0 && stream->up) {
        add_channel(state, -1, stream->parent, stream->parent_step, at);
    }
    if (state->blocks != NULL && state->num_receivers == 0) {
        state->folded = SIZE_MAX;
    }
    return done;
}

/* False: no memory. */
static bool state_init(mtree_stream_state_t *state, mtree_operation_t *operation,
                       mtree_batch_t *batch, const mtree_stream_t *stream,
                       mtree_cursor_t *at)
{
    state->operation = operation;
    state->batch = batch;
    state->stream = stream;
    state->receivers = at->receiver;
    if (stream->below != NULL) {
        return mtree_edge_blocks_init(state) && state_add_edges(state, at);
    }
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
    return stream->open || state_add_edges(state, at);
}

/* In one block but for the scratch memory, which is aligned. */
mtree_batch_t *mtree_batch_alloc(int num_states, const mtree_part_counts_t *counts,
                                 mtree_cursor_t *at)
{
    mtree_batch_t *batch =
        calloc(1, sizeof(*batch) + (size_t)num_states * sizeof(mtree_stream_state_t) +
                      counts->channels * sizeof(mtree_send_channel_t) +
                      counts->receivers * sizeof(mtree_receiver_t) +
                      counts->slots * sizeof(mtree_slot_t));

    if (batch == NULL) {
        return NULL;
    }
    if (counts->scratch > 0 &&
        posix_memalign((void **)&batch->scratch, MTREE_SLOT_ALIGNMENT, counts->scratch) !=
            0) {
        free(batch);
        return NULL;
    }
    batch->num_states = num_states;
    batch->states = (mtree_stream_state_t *)(batch + 1);
    batch->channels = (mtree_send_channel_t *)(batch->states + num_states);
    batch->receivers = (mtree_receiver_t *)(batch->channels + counts->channels);
    at->channel = batch->channels;
    at->receiver = batch->receivers;
    batch->receivers_end = batch->receivers + counts->receivers;
    at->slot = (mtree_slot_t *)batch->receivers_end;
    batch->slots_end = at->slot + counts->slots;
    at->scratch = batch->scratch;
    return batch;
}

/* Receivers that do not exist are all zero. */
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

bool mtree_batch_add(mtree_operation_t *operation)
{
    const mtree_layout_t *layout = operation->layout;
    int from = operation->next_stream, to = batch_end(layout, from);
    mtree_part_counts_t counts = count_parts(layout, &operation->data, from, to);
    mtree_cursor_t at;
    mtree_batch_t *batch = mtree_batch_alloc(to - from, &counts, &at);
    bool done = batch != NULL;

    for (int i = from; i < to && done; i++) {
        done = state_init(&batch->states[i - from], operation, batch, &layout->streams[i],
                          &at);
    }
    if (!done) {
        mtree_batches_free(batch);
        return false;
    }
    /* Streams without data have no parts. */
    batch->num_channels = (size_t)(at.channel - batch->channels);
    batch->num_receivers = (size_t)(at.receiver - batch->receivers);
    operation->next_stream = to;
    if (operation->newest == NULL) {
        operation->oldest = batch;
        operation->states = batch->states;
    } else {
        operation->newest->next = batch;
    }
    operation->newest = batch;
    return true;
}

/* When the turns of @a step come, from 0.  In a lockstep, sums stay within a host before
 * the first step, and results do after the last. */
static int turn_round(const mtree_layout_t *layout, int step, bool up)
{
    return step > 0 || up || layout->num_steps == 0 ? step : 2 * layout->num_steps + 1;
}

void mtree_batch_begin(mtree_operation_t *operation, mtree_batch_t *batch)
{
    const mtree_layout_t *layout = operation->layout;
    mtree_receiver_t *receivers_end = batch->receivers + batch->num_receivers;
    mtree_send_channel_t *channels_end = batch->channels + batch->num_channels;

    for (int round = 0; round <= 2 * layout->num_steps + 1; round++) {
        mtree_receiver_t *receiver = batch->receivers;
        mtree_send_channel_t *channel = batch->channels;

        for (; receiver < receivers_end; receiver++) {
            if (turn_round(layout, receiver->step, receiver->up) == round) {
                mtree_turns_add(
                    &mtree_operation_send_queue(operation, receiver->peer)->receives,
                    &receiver->turn, layout->num_lanes);
            }
        }
        for (; channel < channels_end; channel++) {
            if (turn_round(layout, channel->step, channel->up) == round) {
                mtree_turns_add(&channel->send_queue->sends, &channel->turn,
                                layout->num_lanes);
            }
        }
    }
    for (mtree_receiver_t *receiver = batch->receivers; receiver < receivers_end;
         receiver++) {
        mtree_receiver_post(receiver);
    }
    for (mtree_send_channel_t *channel = batch->channels; channel < channels_end;
         channel++) {
        if (channel->turn.is_open) {
            mtree_send_channel_open(channel);
        }
    }
}

/* Forget the oldest batch, which is done, before there is memory for another. */
static void operation_drop_batch(mtree_operation_t *operation)
{
    mtree_batch_t *batch = operation->oldest;

    for (size_t i = 0; i < batch->num_receivers; i++) {
        mtree_turns_drop(
            &mtree_operation_send_queue(operation, batch->receivers[i].peer)->receives);
    }
    for (size_t i = 0; i < batch->num_channels; i++) {
        mtree_turns_drop(&batch->channels[i].send_queue->sends);
    }
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
        operation->status != MTREE_OK || oldest->outstanding > 0 || oldest->unsent > 0 ||
        oldest->unreceived > 0) {
        return false;
    }
    operation_drop_batch(operation);
    if (!mtree_batch_add(operation)) {
        mtree_operation_fail(operation, MTREE_ERR_NO_MEMORY);
        return false;
    }
    mtree_batch_begin(operation, operation->newest);
    return true;
}
