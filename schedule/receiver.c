/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/edge_blocks.h"
#include "schedule/operation_private.h"

static void receiver_credit(mtree_receiver_t *receiver);

static void receiver_credited(mtree_event_t *event)
{
    mtree_receiver_t *receiver =
        MTREE_CONTAINER_OF(event, mtree_receiver_t, credit_event);

    receiver->crediting = false;
    if (mtree_stream_state_ended(receiver->state, event)) {
        receiver_credit(receiver);
    }
}

/*
 * Grant the sender one more batch of free slots, if there is one.  The sender knows the
 * window and the batch, so the message is empty.  No credit is sent that the sender does
 * not wait for.
 */
static void receiver_credit(mtree_receiver_t *receiver)
{
    mtree_operation_t *operation = receiver->state->operation;
    size_t batch = mtree_credit_batch(receiver->window);

    if (receiver->crediting || operation->status != MTREE_OK ||
        receiver->released < receiver->granted + batch ||
        receiver->window + receiver->granted >= receiver->edge.end) {
        return;
    }
    receiver->granted += batch;
    receiver->crediting = true;
    mtree_event_init(&receiver->credit_event, &operation->inbox, receiver_credited);
    (void)mtree_stream_state_began(
        receiver->state, operation->transport->ops->send(
                             operation->transport, receiver->peer,
                             mtree_turn_tag(&receiver->turn, MTREE_TAG_CREDIT), NULL, 0,
                             false, &receiver->credit_event.completion));
}

/* Note that the source has stopped and everything it sent before is received. */
static void receiver_find_stop(mtree_receiver_t *receiver)
{
    if (receiver == receiver->state->above && receiver->taken < receiver->posted &&
        receiver->slots[receiver->taken % receiver->window].blank) {
        receiver->state->stopped = true;
    }
}

void mtree_receiver_take(mtree_receiver_t *receiver)
{
    while (receiver->taken < receiver->posted &&
           receiver->slots[receiver->taken % receiver->window].arrived) {
        receiver->slots[receiver->taken % receiver->window].arrived = false;
        receiver->taken++;
    }
}

/* What is for this rank of a chunk from the parent goes into the user's buffer, unless it
 * was received there. */
static void receiver_unpack(const mtree_receiver_t *receiver, const mtree_slot_t *slot)
{
    mtree_stream_state_t *state = receiver->state;
    const mtree_operation_data_t *data = &state->operation->data;

    if (slot->memory == NULL || state->operation->layout->is_relay) {
        return;
    }
    if (state->blocks == NULL) {
        data->unpack(data->arg, mtree_stream_state_offset(state, slot->chunk),
                     slot->memory, mtree_stream_state_count(state, slot->chunk));
    } else if (!mtree_edge_header_is(state, slot->chunk)) {
        (void)mtree_block_put(state, 0, slot->chunk, slot->memory);
    }
}

/* A chunk from the parent.  Its slot keeps it until those children have it that are sent
 * it from there. */
static void receiver_deliver(mtree_receiver_t *receiver, mtree_slot_t *slot)
{
    mtree_stream_state_t *state = receiver->state;
    const mtree_send_channel_t *channel =
        mtree_stream_state_sends_on(state) ? state->channels : NULL;

    receiver_unpack(receiver, slot);
    slot->unsent = 0;
    for (; channel != NULL; channel = channel->sibling) {
        slot->unsent += !channel->up && slot->chunk < channel->edge.end;
    }
    mtree_receiver_take(receiver);
    state->complete = receiver->taken;
    if (slot->unsent == 0) {
        mtree_receiver_sent_on(receiver, slot->chunk);
    }
    mtree_stream_state_wake(state);
    receiver_find_stop(receiver);
}

/* The source stopped before this chunk.  It sends empty messages to all receives that are
 * started. */
static void receiver_blank(mtree_receiver_t *receiver, mtree_slot_t *slot)
{
    slot->blank = true;
    receiver_find_stop(receiver);
}

/* Tell those who measure the call that a chunk of @a units has come. */
static void receiver_measure(mtree_receiver_t *receiver, size_t chunk, size_t units)
{
    mtree_stream_state_t *state = receiver->state;
    mtree_operation_t *operation = state->operation;
    mtree_goodput_t *goodput = operation->data.goodput;

    if (operation->data.tree_ends != NULL) {
        operation->data.tree_ends[state->stream->tree] = mtree_operation_now(operation);
    }
    if (goodput != NULL) {
        mtree_goodput_moved(goodput, state->stream->number,
                            (double)units * (double)operation->data.extent,
                            mtree_operation_now(operation));
    }
    mtree_stream_state_trace(state, MTREE_TRACE_RECEIVE, receiver != state->above,
                             receiver->peer, chunk, units,
                             mtree_operation_clock(operation));
}

static void receiver_arrived(mtree_event_t *event)
{
    mtree_slot_t *slot = (mtree_slot_t *)event;
    mtree_receiver_t *receiver = slot->receiver;
    mtree_stream_state_t *state = receiver->state;
    mtree_operation_t *operation = state->operation;
    size_t units = mtree_edge_count(state, &receiver->edge, slot->chunk);

    if (!mtree_stream_state_ended(state, event)) {
        return;
    }
    state->awaited -= !receiver->up;
    if (event->completion.empty && state->stream->open) {
        receiver_blank(receiver, slot);
        return;
    }
    slot->arrived = true;
    state->batch->unreceived--;
    if (++receiver->arrived == receiver->edge.end) {
        mtree_operation_step(operation, receiver->step);
    }
    receiver_measure(receiver, slot->chunk, units);
    if (state->blocks != NULL && mtree_edge_header_is(state, slot->chunk) &&
        !mtree_edge_blocks_know(receiver)) {
        return;
    }
    if (!receiver->up) {
        receiver_deliver(receiver, slot);
    } else if (state->blocks != NULL) {
        mtree_edge_blocks_arrived(receiver, slot);
    } else {
        mtree_stream_state_reduce(state);
    }
}

/* Where @a chunk goes, whose receive is to be started. */
static char *receiver_address(const mtree_receiver_t *receiver, size_t chunk)
{
    const mtree_stream_state_t *state = receiver->state;
    char *memory = receiver->slots[chunk % receiver->window].memory;

    if (state->blocks != NULL) {
        return mtree_edge_blocks_place(receiver, chunk);
    }
    return memory != NULL
               ? memory
               : mtree_stream_state_address(state, state->operation->data.output, chunk);
}

/* Whose turn it is once the last receive of @a receiver is started; NULL: it is not, or
 * that was said before, or nobody waits. */
static mtree_receiver_t *receiver_next(mtree_receiver_t *receiver)
{
    mtree_turn_t *next;

    if (receiver->posted != receiver->edge.end || receiver->turn.is_ended) {
        return NULL;
    }
    next = mtree_turn_end(&receiver->turn, receiver->state->operation->layout->num_lanes);
    return next == NULL ? NULL : MTREE_CONTAINER_OF(next, mtree_receiver_t, turn);
}

/* Start every receive that has a free slot. */
void mtree_receiver_post(mtree_receiver_t *receiver)
{
    mtree_operation_t *operation = receiver->state->operation;

    for (; receiver != NULL && receiver->turn.is_open;
         receiver = receiver_next(receiver)) {
        mtree_stream_state_t *state = receiver->state;
        size_t end = receiver->edge.end == MTREE_END_UNKNOWN ? 1 : receiver->edge.end;

        while (receiver->posted < end &&
               receiver->posted < receiver->released + receiver->window &&
               operation->status == MTREE_OK) {
            mtree_slot_t *slot = &receiver->slots[receiver->posted % receiver->window];

            slot->chunk = receiver->posted++;
            mtree_event_init(&slot->event, &operation->inbox, receiver_arrived);
            state->awaited += !receiver->up;
            (void)mtree_stream_state_began(
                state, operation->transport->ops->recv(
                           operation->transport, receiver->peer,
                           mtree_turn_tag(&receiver->turn, MTREE_TAG_DATA),
                           receiver_address(receiver, slot->chunk),
                           mtree_edge_count(state, &receiver->edge, slot->chunk),
                           &slot->event.completion));
        }
    }
}

void mtree_receiver_release(mtree_receiver_t *receiver, size_t released)
{
    receiver->released = released;
    mtree_receiver_post(receiver);
    if (receiver->credited) {
        receiver_credit(receiver);
    }
}

void mtree_receiver_sent_on(mtree_receiver_t *receiver, size_t chunk)
{
    size_t released = receiver->released;

    receiver->slots[chunk % receiver->window].sent = true;
    /* Sends may end in another order than that in which they began. */
    while (receiver->slots[released % receiver->window].sent) {
        receiver->slots[released % receiver->window].sent = false;
        released++;
    }
    if (released > receiver->released) {
        mtree_receiver_release(receiver, released);
    }
}

void mtree_receiver_sent_down(mtree_receiver_t *receiver, size_t chunk)
{
    if (--receiver->slots[chunk % receiver->window].unsent == 0) {
        mtree_receiver_sent_on(receiver, chunk);
    }
}

/* Add one chunk of a child.  The sum is made in the slot of the first child on an inner
 * rank, and in the output on the root.  A relay adds nothing of its own. */
static void state_fold_chunk(mtree_stream_state_t *state, mtree_receiver_t *receiver,
                             size_t chunk)
{
    const mtree_operation_data_t *data = &state->operation->data;
    mtree_receiver_t *first = &state->receivers[0];
    char *mine = mtree_stream_state_address(state, data->input, chunk);
    char *sum = mtree_stream_state_is_root(state)
                    ? mtree_stream_state_address(state, data->output, chunk)
                    : first->slots[chunk % first->window].memory;
    char *theirs = receiver->slots[chunk % receiver->window].memory;
    double begin = mtree_operation_clock(state->operation);

    if (data->fold == NULL || state->stream->forwards ||
        (state->operation->layout->is_relay && receiver == first)) {
        return;
    }
    if (data->is_exclusive) {
        mtree_prefix_take(state, chunk, theirs);
        return;
    }
    if (receiver != first) {
        data->fold(data->arg, theirs, sum, sum, mtree_stream_state_count(state, chunk));
    } else if (sum == theirs) {
        data->fold(data->arg, mine, sum, sum, mtree_stream_state_count(state, chunk));
    } else {
        data->fold(data->arg, theirs, mine, sum, mtree_stream_state_count(state, chunk));
    }
    mtree_stream_state_trace(state, MTREE_TRACE_FOLD, true, receiver->peer, chunk,
                             mtree_stream_state_count(state, chunk), begin);
}

void mtree_stream_state_reduce(mtree_stream_state_t *state)
{
    size_t before = state->num_chunks; /* chunks that contain all earlier children */

    for (int child = 0; child < state->stream->num_children; child++) {
        mtree_receiver_t *receiver = &state->receivers[child];
        size_t taken = receiver->taken;

        while (receiver->taken < before && receiver->taken < receiver->posted &&
               receiver->slots[receiver->taken % receiver->window].arrived) {
            receiver->slots[receiver->taken % receiver->window].arrived = false;
            state_fold_chunk(state, receiver, receiver->taken++);
        }
        if (receiver->taken > taken && (child > 0 || mtree_stream_state_is_root(state))) {
            mtree_receiver_release(receiver, receiver->taken);
        }
        before = receiver->taken;
    }
    if (before > state->folded) {
        state->folded = before;
        if (mtree_stream_state_is_root(state)) {
            state->complete = before;
        }
        if (state->operation->layout->num_in > 0 && mtree_stream_state_is_root(state)) {
            mtree_prefix_advance(state);
        }
        mtree_stream_state_wake(state);
    }
}
