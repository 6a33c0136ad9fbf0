/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/edge_blocks.h"
#include "schedule/operation_private.h"

#include <stdint.h>

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
        receiver->state,
        operation->transport->ops->send(
            operation->transport, receiver->peer,
            mtree_stream_state_tag(receiver->state, receiver->up, MTREE_TAG_CREDIT), NULL,
            0, false, &receiver->credit_event.completion));
}

/* Free the slots of the chunks, in order, that no channel is still to send from: receive
 * into them, and grant the sender credit. */
static void receiver_release(mtree_receiver_t *receiver)
{
    const size_t before = receiver->released;

    while (receiver->released < receiver->taken &&
           receiver->slots[receiver->released % receiver->window].unsent == 0) {
        receiver->released++;
    }
    if (receiver->released == before) {
        return;
    }
    mtree_receiver_post(receiver);
    if (receiver->credited) {
        receiver_credit(receiver);
    }
}

/* Add @a chunk of a child.  The sum is made in the slot of the first child on an inner
 * rank, and in the output on the root.  A relay adds nothing of its own. */
static void receiver_fold(const mtree_receiver_t *receiver, size_t chunk)
{
    const mtree_stream_state_t *state = receiver->state;
    const mtree_operation_data_t *data = &state->operation->data;
    const mtree_receiver_t *first = &state->receivers[0];
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

/* What is for this rank of the chunk in @a slot goes into the sum, or into the user's
 * buffer unless it was received there. */
static void receiver_keep(const mtree_receiver_t *receiver, const mtree_slot_t *slot)
{
    const mtree_stream_state_t *state = receiver->state;
    const mtree_operation_data_t *data = &state->operation->data;

    if (state->blocks != NULL) {
        mtree_edge_blocks_keep(receiver, slot);
    } else if (receiver->up) {
        receiver_fold(receiver, slot->chunk);
    } else if (slot->memory != NULL && !state->operation->layout->is_relay) {
        data->unpack(data->arg, -1, mtree_stream_state_offset(state, slot->chunk),
                     slot->memory, mtree_stream_state_count(state, slot->chunk));
    }
}

/* The channels that send @a chunk from its slot: up the sum, which is in the slot of the
 * first child, or each child's blocks; down to those children that are not sent it from
 * the output. */
static int receiver_uses(const mtree_receiver_t *receiver, size_t chunk)
{
    const mtree_stream_state_t *state = receiver->state;
    const mtree_send_channel_t *channel =
        mtree_stream_state_sends_on(state) ? state->channels : NULL;
    int uses = 0;

    if (receiver->up) {
        return !mtree_stream_state_is_root(state) &&
               (state->blocks != NULL || receiver == state->receivers);
    }
    for (; channel != NULL; channel = channel->sibling) {
        uses += !channel->up && chunk < channel->edge.end;
    }
    return uses;
}

/* Take the chunks that are there, in order, and none from @a end on. */
static void receiver_take(mtree_receiver_t *receiver, size_t end)
{
    for (; receiver->taken < end && receiver->taken < receiver->posted;
         receiver->taken++) {
        mtree_slot_t *slot = &receiver->slots[receiver->taken % receiver->window];

        if (!slot->arrived) {
            break;
        }
        slot->arrived = false;
        receiver_keep(receiver, slot);
        slot->unsent = receiver_uses(receiver, slot->chunk);
    }
    receiver_release(receiver);
}

/* A chunk has come from the parent. */
static void receiver_deliver(mtree_receiver_t *receiver)
{
    receiver_take(receiver, SIZE_MAX);
    receiver->state->complete = receiver->taken;
    mtree_stream_state_wake(receiver->state);
}

/* Add what can be added, in the order of the children; the chunks to which all have been
 * added. */
static size_t state_take_sums(mtree_stream_state_t *state)
{
    size_t end = state->num_chunks;

    for (int i = 0; i < state->num_receivers; i++) {
        receiver_take(&state->receivers[i], end);
        end = state->receivers[i].taken;
    }
    return end;
}

/* Take the blocks that are there from one child; the chunks that are there from all
 * children that send so many, where this rank sends them on. */
static size_t receiver_take_blocks(mtree_receiver_t *receiver)
{
    const mtree_stream_state_t *state = receiver->state;
    const int num = mtree_stream_state_is_root(state) ? 0 : state->num_receivers;
    size_t ready = SIZE_MAX;

    receiver_take(receiver, SIZE_MAX);
    for (int i = 0; i < num; i++) {
        const mtree_receiver_t *child = &state->receivers[i];

        if (child->taken < child->edge.end && child->taken < ready) {
            ready = child->taken;
        }
    }
    return ready;
}

/* A chunk has come from a child. */
static void receiver_reduce(mtree_receiver_t *receiver)
{
    mtree_stream_state_t *state = receiver->state;
    size_t folded =
        state->blocks == NULL ? state_take_sums(state) : receiver_take_blocks(receiver);

    if (folded <= state->folded) {
        return;
    }
    state->folded = folded;
    if (mtree_stream_state_is_root(state)) {
        state->complete = folded;
        if (state->operation->layout->num_in > 0) {
            mtree_prefix_advance(state);
        }
    }
    mtree_stream_state_wake(state);
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
    slot->arrived = true;
    state->batch->left--;
    if (++receiver->arrived == receiver->edge.end) {
        mtree_operation_step(operation, receiver->step);
    }
    receiver_measure(receiver, slot->chunk, units);
    if (state->blocks != NULL && mtree_edge_header_is(state, slot->chunk)) {
        mtree_edge_blocks_know(receiver);
    }
    if (operation->status != MTREE_OK) {
        return;
    }
    if (receiver->up) {
        receiver_reduce(receiver);
    } else {
        receiver_deliver(receiver);
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

void mtree_receiver_post(mtree_receiver_t *receiver)
{
    mtree_stream_state_t *state = receiver->state;
    mtree_operation_t *operation = state->operation;
    size_t end = receiver->edge.end == MTREE_END_UNKNOWN ? 1 : receiver->edge.end;

    while (receiver->posted < end &&
           receiver->posted < receiver->released + receiver->window &&
           operation->status == MTREE_OK) {
        mtree_slot_t *slot = &receiver->slots[receiver->posted % receiver->window];

        slot->chunk = receiver->posted++;
        mtree_event_init(&slot->event, &operation->inbox, receiver_arrived);
        (void)mtree_stream_state_began(
            state, operation->transport->ops->recv(
                       operation->transport, receiver->peer,
                       mtree_stream_state_tag(state, receiver->up, MTREE_TAG_DATA),
                       receiver_address(receiver, slot->chunk),
                       mtree_edge_count(state, &receiver->edge, slot->chunk),
                       &slot->event.completion));
    }
}

void mtree_receiver_sent(mtree_receiver_t *receiver, size_t chunk)
{
    receiver->slots[chunk % receiver->window].unsent--;
    receiver_release(receiver);
}
