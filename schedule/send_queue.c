#include "schedule/operation_private.h"

#include <math.h>
#include <stdlib.h>

/* Chunks of @a lane that are ready, that the receiver has room for, and whose step has
 * come. */
static size_t lane_limit(const mtree_send_channel_t *lane)
{
    size_t ready = lane->up ? lane->flow->folded : lane->flow->complete;

    if (lane->step > lane->flow->operation->step) {
        return 0;
    }
    return ready < lane->credit ? ready : lane->credit;
}

void mtree_stream_state_wake(mtree_stream_state_t *flow)
{
    for (mtree_send_channel_t *lane = flow->lanes; lane != NULL; lane = lane->sibling) {
        lane->outlet->dirty = true;
    }
}

static void lane_credited(mtree_event_t *event)
{
    mtree_send_channel_t *lane =
        (mtree_send_channel_t *)((char *)event -
                                 offsetof(mtree_send_channel_t, credit_event));

    lane->flow->operation->underway--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(lane->flow->operation, event->status);
        return;
    }
    lane->credit += mtree_credit_batch(lane->flow->stream->window);
    lane->outlet->dirty = true;
    mtree_send_channel_await_credit(lane);
}

void mtree_send_channel_await_credit(mtree_send_channel_t *lane)
{
    mtree_operation_t *operation = lane->flow->operation;
    mtree_status_t status;

    if (lane->credit >= lane->flow->num_chunks || operation->status != MTREE_OK) {
        return;
    }
    operation->underway++;
    mtree_event_init(&lane->credit_event, &operation->inbox, lane_credited);
    status = operation->transport->ops->recv(operation->transport, lane->outlet->rank,
                                             lane->flow->stream->tag + MTREE_TAG_CREDIT,
                                             NULL, 0, &lane->credit_event.completion);
    if (status != MTREE_OK) {
        operation->underway--;
        mtree_operation_fail(operation, status);
    }
}

/* The part of its chunks that @a lane has sent. */
static double lane_progress(const mtree_send_channel_t *lane)
{
    return (double)lane->next / (double)lane->flow->num_chunks;
}

/* Find anew which of the lanes that go @a up, and have begun and not ended, is the last.
 */
static void operation_find_last(mtree_operation_t *operation, bool up)
{
    double last = INFINITY;

    for (int i = 0; i < operation->layout->num_peers; i++) {
        const mtree_send_channel_t *lane = operation->outlets[i].lanes;

        for (; lane != NULL; lane = lane->link) {
            if (lane->up == up && lane->next > 0 && lane->next < lane->flow->num_chunks) {
                last = fmin(last, lane_progress(lane));
            }
        }
    }
    operation->last[up] = last;
}

/* @a lane goes on to its next chunk. */
static size_t lane_advance(mtree_send_channel_t *lane)
{
    mtree_operation_t *operation = lane->flow->operation;
    bool was_last = lane_progress(lane) <= operation->last[lane->up];

    lane->next++;
    /* Otherwise there is another one that is not further. */
    if (was_last || lane->next == 1) {
        operation_find_last(operation, lane->up);
    }
    return lane->next - 1;
}

/* A lane that is too far ahead of the others has a link to itself or waits. */
static bool lane_leads(const mtree_send_channel_t *lane)
{
    const mtree_operation_t *operation = lane->flow->operation;

    return operation->layout->paced && lane->outlet->underway > 0 &&
           lane_progress(lane) > operation->last[lane->up] + operation->layout->lead;
}

/*
 * The lane that is furthest behind, by the part of its chunks that is sent, among those
 * that have something to send.  Reduce and broadcast of all trees thus share a link such
 * that they end together.
 */
static mtree_send_channel_t *outlet_pick(const mtree_send_queue_t *outlet)
{
    mtree_send_channel_t *best = NULL;
    double least = 0;

    for (mtree_send_channel_t *lane = outlet->lanes; lane != NULL; lane = lane->link) {
        double progress;

        if (lane->next >= lane_limit(lane) || lane_leads(lane)) {
            continue;
        }
        progress = ((double)lane->next + 0.5) / (double)lane->flow->num_chunks;
        if (best == NULL || progress < least) {
            best = lane;
            least = progress;
        }
    }
    return best;
}

/* It is back for the next use. */
static void parcel_put(mtree_operation_t *operation, mtree_send_op_t *parcel)
{
    parcel->link = operation->free_parcels;
    operation->free_parcels = parcel;
}

static void blank_sent(mtree_event_t *event)
{
    mtree_send_op_t *parcel = (mtree_send_op_t *)event;
    mtree_send_channel_t *lane = parcel->lane;
    mtree_operation_t *operation = lane->flow->operation;
    mtree_status_t status = event->status;

    operation->underway--;
    lane->sent++;
    parcel_put(operation, parcel);
    if (status != MTREE_OK) {
        mtree_operation_fail(operation, status);
    }
}

static void parcel_sent(mtree_event_t *event)
{
    mtree_send_op_t *parcel = (mtree_send_op_t *)event;
    mtree_send_channel_t *lane = parcel->lane;
    mtree_operation_t *operation = lane->flow->operation;
    mtree_status_t status = event->status;

    operation->underway--;
    lane->outlet->underway -= parcel->bytes;
    lane->outlet->dirty = true;
    mtree_stream_state_trace(lane->flow, MTREE_TRACE_SEND, lane->up, lane->outlet->rank,
                             parcel->chunk, parcel->begin);
    parcel_put(operation, parcel);
    if (status != MTREE_OK) {
        mtree_operation_fail(operation, status);
        return;
    }
    if (operation->data.goodput != NULL) {
        mtree_goodput_sent(operation->data.goodput,
                           mtree_send_queue_number(operation, lane->outlet),
                           mtree_stream_state_number(lane->flow), (double)parcel->bytes,
                           mtree_operation_now(operation));
        if (lane->sent == 0 && mtree_stream_state_number(lane->flow) == 0) {
            mtree_goodput_first_contact(operation->data.goodput, lane->outlet->rank,
                                        mtree_operation_now(operation));
        }
    }
    if (++lane->sent == lane->end) {
        mtree_operation_step(operation, lane->step);
    }
    if (lane->up) {
        mtree_stream_state_sent_up(lane->flow, parcel->chunk);
    }
}

static mtree_send_op_t *parcel_get(mtree_operation_t *operation)
{
    mtree_send_op_t *parcel = operation->free_parcels;

    if (parcel != NULL) {
        operation->free_parcels = parcel->link;
        return parcel;
    }
    /* The bytes to pack into lie behind the parcel itself. */
    parcel = calloc(1, sizeof(*parcel) + operation->packed_bytes);
    if (parcel != NULL && operation->packed_bytes > 0) {
        parcel->packed = (char *)(parcel + 1);
    }
    return parcel;
}

/* The address of the chunk that @a lane sends next. */
static const char *parcel_address(mtree_send_op_t *parcel, size_t count)
{
    mtree_stream_state_t *flow = parcel->lane->flow;
    mtree_operation_t *operation = flow->operation;

    if (operation->data.pack != NULL) {
        operation->data.pack(operation->data.arg,
                             mtree_stream_state_offset(flow, parcel->chunk),
                             parcel->packed, count);
        return parcel->packed;
    }
    if (!parcel->lane->up) {
        return mtree_stream_state_address(flow, operation->data.output, parcel->chunk);
    }
    if (flow->stream->num_children > 0) {
        return flow->inlets[0].slots[parcel->chunk % flow->inlets[0].window].memory;
    }
    return mtree_stream_state_address(flow, operation->data.input, parcel->chunk);
}

static void lane_send(mtree_send_channel_t *lane, size_t bytes)
{
    mtree_operation_t *operation = lane->flow->operation;
    bool blank = lane->next >= lane->blank;
    size_t count = mtree_send_channel_count(lane);
    mtree_send_op_t *parcel = parcel_get(operation);
    const char *address;
    mtree_status_t status;

    if (parcel == NULL) {
        mtree_operation_fail(operation, MTREE_ERR_NO_MEMORY);
        return;
    }
    parcel->lane = lane;
    parcel->chunk = lane_advance(lane);
    parcel->bytes = bytes;
    parcel->begin = mtree_operation_clock(operation);
    address = blank ? NULL : parcel_address(parcel, count);
    lane->outlet->underway += bytes;
    operation->underway++;
    mtree_event_init(&parcel->event, &operation->inbox, blank ? blank_sent : parcel_sent);
    status = operation->transport->ops->send(
        operation->transport, lane->outlet->rank,
        lane->flow->stream->tag + (lane->up ? MTREE_TAG_UP : MTREE_TAG_DOWN), address,
        count, operation->layout->paced && !blank, &parcel->event.completion);
    if (status != MTREE_OK) {
        operation->underway--;
        parcel_put(operation, parcel);
        mtree_operation_fail(operation, status);
    }
}

/* Send what may be sent to a peer; true when its window is too full for what is ready. */
static bool outlet_pump(mtree_operation_t *operation, mtree_send_queue_t *outlet)
{
    mtree_send_channel_t *lane;

    while (operation->status == MTREE_OK && (lane = outlet_pick(outlet)) != NULL) {
        size_t bytes = mtree_send_channel_count(lane) * (size_t)operation->data.extent;

        if (operation->layout->paced && outlet->underway > 0 &&
            outlet->underway + bytes > outlet->window) {
            return true;
        }
        lane_send(lane, bytes);
    }
    return false;
}

void mtree_send_queue_pump(mtree_operation_t *operation)
{
    const mtree_layout_t *layout = operation->layout;
    mtree_goodput_t *goodput = operation->data.goodput;

    for (int turn = 0; turn < layout->num_peers; turn++) {
        int i = layout->first_peer + turn;
        bool pressed;

        i -= i >= layout->num_peers ? layout->num_peers : 0;
        if (!operation->outlets[i].dirty) {
            continue;
        }
        operation->outlets[i].dirty = false;
        pressed = outlet_pump(operation, &operation->outlets[i]);
        if (goodput != NULL && pressed != (goodput->links[i].since >= 0)) {
            mtree_goodput_backlog(goodput, i, pressed, mtree_operation_now(operation));
        }
    }
}
