#include "schedule/operation_private.h"

static void inlet_credit(mtree_receiver_t *inlet);

static void inlet_credited(mtree_event_t *event)
{
    mtree_receiver_t *inlet =
        (mtree_receiver_t *)((char *)event - offsetof(mtree_receiver_t, credit_event));

    inlet->crediting = false;
    inlet->flow->operation->underway--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(inlet->flow->operation, event->status);
        return;
    }
    inlet_credit(inlet);
}

/*
 * Tell the sender of one more batch of free slots when there is one.  A sender knows the
 * window and the batch, so the message is empty, and none is sent that the sender does
 * not wait for.
 */
static void inlet_credit(mtree_receiver_t *inlet)
{
    mtree_operation_t *operation = inlet->flow->operation;
    size_t batch = mtree_credit_batch(inlet->window);
    mtree_status_t status;

    if (inlet->crediting || operation->status != MTREE_OK ||
        inlet->released < inlet->credited + batch ||
        inlet->window + inlet->credited >= inlet->flow->num_chunks) {
        return;
    }
    inlet->credited += batch;
    inlet->crediting = true;
    operation->underway++;
    mtree_event_init(&inlet->credit_event, &operation->inbox, inlet_credited);
    status = operation->transport->ops->send(
        operation->transport, inlet->peer, inlet->flow->stream->tag + MTREE_TAG_CREDIT,
        NULL, 0, false, &inlet->credit_event.completion);
    if (status != MTREE_OK) {
        operation->underway--;
        mtree_operation_fail(operation, status);
    }
}

/* Has its source stopped, and is all here that it sent before? */
static void inlet_find_stop(mtree_receiver_t *inlet)
{
    if (inlet == inlet->flow->above && inlet->taken < inlet->posted &&
        inlet->slots[inlet->taken % inlet->window].blank) {
        inlet->flow->stopped = true;
    }
}

/* A chunk came down from the parent: it is part of the result. */
static void inlet_deliver(mtree_receiver_t *inlet, mtree_slot_t *slot)
{
    mtree_stream_state_t *flow = inlet->flow;
    mtree_operation_t *operation = flow->operation;

    if (slot->memory != NULL) {
        operation->data.unpack(operation->data.arg,
                               mtree_stream_state_offset(flow, slot->chunk), slot->memory,
                               mtree_stream_state_count(flow, slot->chunk));
    }
    while (inlet->taken < inlet->posted &&
           inlet->slots[inlet->taken % inlet->window].arrived) {
        inlet->slots[inlet->taken % inlet->window].arrived = false;
        inlet->taken++;
    }
    flow->complete = inlet->taken;
    mtree_receiver_release(inlet, inlet->taken);
    mtree_stream_state_wake(flow);
    inlet_find_stop(inlet);
}

/* Its source stopped before this chunk, and sends empty messages to all receives that are
 * started. */
static void inlet_blank(mtree_receiver_t *inlet, mtree_slot_t *slot)
{
    slot->blank = true;
    inlet_find_stop(inlet);
}

static void inlet_arrived(mtree_event_t *event)
{
    mtree_slot_t *slot = (mtree_slot_t *)event;
    mtree_receiver_t *inlet = slot->inlet;
    mtree_operation_t *operation = inlet->flow->operation;

    operation->underway--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(operation, event->status);
        return;
    }
    inlet->flow->awaited -= mtree_receiver_is_above(inlet);
    if (event->completion.empty && inlet->flow->stream->open) {
        inlet_blank(inlet, slot);
        return;
    }
    slot->arrived = true;
    if (++inlet->arrived == inlet->flow->num_chunks) {
        mtree_operation_step(operation, inlet->step);
    }
    if (operation->data.goodput != NULL) {
        mtree_goodput_received(operation->data.goodput,
                               mtree_stream_state_number(inlet->flow),
                               mtree_stream_state_bytes(inlet->flow, slot->chunk),
                               mtree_operation_now(operation));
        if (inlet->arrived == 1 && mtree_stream_state_number(inlet->flow) == 0) {
            mtree_goodput_first_contact(operation->data.goodput, inlet->peer,
                                        mtree_operation_now(operation));
        }
    }
    mtree_stream_state_trace(inlet->flow, MTREE_TRACE_RECEIVE,
                             inlet != inlet->flow->above, inlet->peer, slot->chunk,
                             mtree_operation_clock(operation));
    if (inlet == inlet->flow->above) {
        inlet_deliver(inlet, slot);
    } else {
        mtree_stream_state_reduce(inlet->flow);
    }
}

void mtree_receiver_post(mtree_receiver_t *inlet)
{
    mtree_stream_state_t *flow = inlet->flow;
    mtree_operation_t *operation = flow->operation;

    while (inlet->posted < flow->num_chunks &&
           inlet->posted < inlet->released + inlet->window &&
           operation->status == MTREE_OK) {
        mtree_slot_t *slot = &inlet->slots[inlet->posted % inlet->window];
        char *address = slot->memory;
        mtree_status_t status;

        slot->chunk = inlet->posted++;
        if (address == NULL) {
            address =
                mtree_stream_state_address(flow, operation->data.output, slot->chunk);
        }
        mtree_event_init(&slot->event, &operation->inbox, inlet_arrived);
        operation->underway++;
        flow->awaited += mtree_receiver_is_above(inlet);
        status = operation->transport->ops->recv(
            operation->transport, inlet->peer, inlet->tag, address,
            mtree_stream_state_count(flow, slot->chunk), &slot->event.completion);
        if (status != MTREE_OK) {
            operation->underway--;
            mtree_operation_fail(operation, status);
        }
    }
}

void mtree_receiver_release(mtree_receiver_t *inlet, size_t released)
{
    inlet->released = released;
    mtree_receiver_post(inlet);
    /* What comes down is always taken at once, so only what goes up is granted. */
    if (inlet != inlet->flow->above) {
        inlet_credit(inlet);
    }
}

/* The slot of the first child gathers the sum on an inner rank; on a root the output
 * does. */
static void flow_fold_chunk(mtree_stream_state_t *flow, mtree_receiver_t *inlet,
                            size_t chunk)
{
    const mtree_operation_data_t *data = &flow->operation->data;
    mtree_receiver_t *first = &flow->inlets[0];
    char *mine = mtree_stream_state_address(flow, data->input, chunk);
    char *sum = mtree_stream_state_is_root(flow)
                    ? mtree_stream_state_address(flow, data->output, chunk)
                    : first->slots[chunk % first->window].memory;
    char *theirs = inlet->slots[chunk % inlet->window].memory;
    double begin = mtree_operation_clock(flow->operation);

    if (data->fold == NULL) {
        return;
    }
    if (inlet != first) {
        data->fold(data->arg, theirs, sum, sum, mtree_stream_state_count(flow, chunk));
    } else if (sum == theirs) {
        data->fold(data->arg, mine, sum, sum, mtree_stream_state_count(flow, chunk));
    } else {
        data->fold(data->arg, theirs, mine, sum, mtree_stream_state_count(flow, chunk));
    }
    mtree_stream_state_trace(flow, MTREE_TRACE_FOLD, true, inlet->peer, chunk, begin);
}

void mtree_stream_state_reduce(mtree_stream_state_t *flow)
{
    size_t before =
        flow->num_chunks; /* chunks that the children before this one are in */

    for (int child = 0; child < flow->stream->num_children; child++) {
        mtree_receiver_t *inlet = &flow->inlets[child];
        size_t taken = inlet->taken;

        while (inlet->taken < before && inlet->taken < inlet->posted &&
               inlet->slots[inlet->taken % inlet->window].arrived) {
            inlet->slots[inlet->taken % inlet->window].arrived = false;
            flow_fold_chunk(flow, inlet, inlet->taken++);
        }
        if (inlet->taken > taken && (child > 0 || mtree_stream_state_is_root(flow))) {
            mtree_receiver_release(inlet, inlet->taken);
        }
        before = inlet->taken;
    }
    if (before > flow->folded) {
        flow->folded = before;
        if (mtree_stream_state_is_root(flow)) {
            flow->complete = before;
        }
        mtree_stream_state_wake(flow);
    }
}

void mtree_stream_state_sent_up(mtree_stream_state_t *flow, size_t chunk)
{
    mtree_receiver_t *first;
    size_t released;

    if (flow->stream->num_children == 0) {
        return;
    }
    first = &flow->inlets[0];
    released = first->released;
    first->slots[chunk % first->window].sent = true;
    /* Sends may end in another order than they began. */
    while (first->slots[released % first->window].sent) {
        first->slots[released % first->window].sent = false;
        released++;
    }
    if (released > first->released) {
        mtree_receiver_release(first, released);
    }
}
