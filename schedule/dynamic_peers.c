#include "schedule/dynamic_peers.h"

#include "schedule/operation_private.h"

#include <stdlib.h>
#include <string.h>

/* Receives of the result that are started ahead, on all ranks: more than any window to a
 * peer lets out, on networks that this is used on; the rest waits in the transport. */
#define RESULT_WINDOW 64

/* Memory for lanes, inlets and slots, with @a scratch bytes for the latter's chunks; it
 * lives as long as the operation. */
static bool annex_create(mtree_operation_t *operation, size_t lanes, size_t inlets,
                         size_t slots, size_t scratch, mtree_cursor_t *at)
{
    mtree_extra_buffer_t *annex =
        calloc(1, sizeof(*annex) + lanes * sizeof(mtree_send_channel_t) +
                      inlets * sizeof(mtree_receiver_t) + slots * sizeof(mtree_slot_t));

    if (annex == NULL ||
        (scratch > 0 &&
         posix_memalign((void **)&annex->scratch, MTREE_SLOT_ALIGNMENT, scratch) != 0)) {
        free(annex);
        mtree_operation_fail(operation, MTREE_ERR_NO_MEMORY);
        return false;
    }
    annex->link = operation->annexes;
    operation->annexes = annex;
    at->lane = (mtree_send_channel_t *)(annex + 1);
    at->inlet = (mtree_receiver_t *)(at->lane + lanes);
    at->slot = (mtree_slot_t *)(at->inlet + inlets);
    at->scratch = annex->scratch;
    return true;
}

void mtree_dynamic_peers_children(mtree_operation_t *operation, int num_children,
                                  const int *children)
{
    mtree_stream_state_t *flow = &operation->flows[0];
    mtree_stream_t *stream = &operation->layout->streams[0];
    size_t slots = mtree_stream_slots(stream) * (size_t)num_children;
    mtree_cursor_t at;

    stream->num_children = num_children;
    stream->children = children;
    if (num_children == 0) {
        flow->folded = flow->num_chunks;
        mtree_stream_state_wake(flow);
        return;
    }
    if (!annex_create(operation, 0, (size_t)num_children, slots,
                      slots * mtree_stream_slot_bytes(&operation->data, stream), &at)) {
        return;
    }
    flow->inlets = at.inlet;
    for (int i = 0; i < num_children; i++) {
        mtree_receiver_post(mtree_stream_state_add_receiver(
            flow, children[i], 0, MTREE_TAG_UP, mtree_stream_slots(stream), true, &at));
    }
}

void mtree_dynamic_peers_parent(mtree_operation_t *operation, int rank)
{
    mtree_cursor_t at;

    if (annex_create(operation, 1, 0, 0, 0, &at)) {
        mtree_send_channel_await_credit(
            mtree_stream_state_add_channel(&operation->flows[0], rank, 0, true, &at));
    }
}

/* Receives of the result that a receiver has started beyond the chunks that are there. */
static size_t result_slots(const mtree_stream_state_t *flow)
{
    return flow->num_chunks < RESULT_WINDOW ? flow->num_chunks : RESULT_WINDOW;
}

void mtree_dynamic_peers_source(mtree_operation_t *operation, int rank)
{
    mtree_stream_state_t *flow = &operation->flows[0];
    size_t slots = result_slots(flow);
    bool memory = operation->data.unpack != NULL;
    size_t scratch =
        memory ? slots * mtree_stream_slot_bytes(&operation->data, flow->stream) : 0;
    mtree_cursor_t at;

    if (annex_create(operation, 0, 1, slots, scratch, &at)) {
        flow->above = mtree_stream_state_add_receiver(flow, rank, 0, MTREE_TAG_DOWN,
                                                      slots, memory, &at);
        flow->above->posted = flow->above->arrived = flow->above->taken =
            flow->above->released = flow->complete;
        flow->stopped = false;
        mtree_receiver_post(flow->above);
    }
}

bool mtree_dynamic_peers_is_stopped(const mtree_operation_t *operation)
{
    return operation->flows[0].stopped;
}

void mtree_dynamic_peers_receiver(mtree_operation_t *operation, int rank, size_t first)
{
    mtree_cursor_t at;

    if (annex_create(operation, 1, 0, 0, 0, &at)) {
        mtree_send_channel_t *lane =
            mtree_stream_state_add_channel(&operation->flows[0], rank, 0, false, &at);

        lane->next = lane->sent = first;
    }
}

size_t mtree_dynamic_peers_stop(mtree_operation_t *operation, int rank)
{
    mtree_stream_state_t *flow = &operation->flows[0];
    size_t slots = result_slots(flow);
    mtree_send_channel_t *lane = flow->lanes;

    while (lane != NULL && (lane->up || lane->outlet->rank != rank)) {
        lane = lane->sibling;
    }
    /* It could not be attached, and the operation has failed. */
    if (lane == NULL) {
        return flow->num_chunks;
    }
    lane->blank = lane->next;
    if (flow->num_chunks - lane->next > slots) {
        lane->end = lane->credit = lane->next + slots;
    }
    lane->outlet->dirty = true;
    return lane->blank;
}

void mtree_dynamic_peers_end(mtree_operation_t *operation)
{
    if (operation->held) {
        operation->held = false;
        operation->underway--;
    }
}

bool mtree_dynamic_peers_is_complete(const mtree_operation_t *operation)
{
    return operation->flows[0].complete == operation->flows[0].num_chunks;
}

double mtree_dynamic_peers_progress(const mtree_operation_t *operation)
{
    const mtree_stream_state_t *flow = &operation->flows[0];
    size_t least = flow->num_chunks;

    for (const mtree_send_channel_t *lane = flow->lanes; lane != NULL;
         lane = lane->sibling) {
        if (!lane->up && lane->sent < least) {
            least = lane->sent;
        }
    }
    return (double)least / (double)flow->num_chunks;
}

bool mtree_dynamic_peers_is_idle(const mtree_operation_t *operation)
{
    const mtree_stream_state_t *flow = &operation->flows[0];
    const mtree_send_channel_t *lane = flow->lanes;

    while (lane != NULL && lane->sent == lane->end) {
        lane = lane->sibling;
    }
    return lane == NULL && flow->awaited == 0;
}

mtree_status_t mtree_dynamic_peers_set_aside(mtree_operation_t *operation)
{
    mtree_operation_data_t *data = &operation->data;
    size_t bytes = operation->layout->streams[0].length * (size_t)data->extent;
    mtree_extra_buffer_t *annex = calloc(1, sizeof(*annex));

    if (annex == NULL || (annex->scratch = malloc(bytes)) == NULL) {
        free(annex);
        return MTREE_ERR_NO_MEMORY;
    }
    if (data->pack != NULL) {
        data->pack(data->arg, 0, annex->scratch, bytes);
    } else {
        memcpy(annex->scratch, data->output, bytes);
    }
    data->pack = NULL;
    data->output = annex->scratch;
    annex->link = operation->annexes;
    operation->annexes = annex;
    return MTREE_OK;
}

void mtree_dynamic_peers_let_go(mtree_operation_t *operation)
{
    operation->excused = true;
}

mtree_status_t mtree_dynamic_peers_status(const mtree_operation_t *operation)
{
    return operation->status;
}

void mtree_dynamic_peers_fail(mtree_operation_t *operation, mtree_status_t status)
{
    mtree_operation_fail(operation, status);
}

/* Count a message as under way, unless it could not be started. */
static void message_started(mtree_operation_t *operation, mtree_status_t status)
{
    if (status != MTREE_OK) {
        operation->underway--;
        mtree_operation_fail(operation, status);
    }
}

void mtree_dynamic_peers_send(mtree_operation_t *operation, mtree_transport_t *transport,
                              int peer, int tag, const void *buffer, size_t bytes,
                              mtree_event_t *event, void (*handle)(mtree_event_t *event))
{
    operation->underway++;
    mtree_event_init(event, &operation->inbox, handle);
    message_started(operation, transport->ops->send(transport, peer, tag, buffer, bytes,
                                                    false, &event->completion));
}

void mtree_dynamic_peers_recv(mtree_operation_t *operation, mtree_transport_t *transport,
                              int peer, int tag, void *buffer, size_t bytes,
                              mtree_event_t *event, void (*handle)(mtree_event_t *event))
{
    operation->underway++;
    mtree_event_init(event, &operation->inbox, handle);
    message_started(operation, transport->ops->recv(transport, peer, tag, buffer, bytes,
                                                    &event->completion));
}

bool mtree_dynamic_peers_settle(mtree_operation_t *operation, const mtree_event_t *event)
{
    operation->underway--;
    if (event->status != MTREE_OK) {
        mtree_operation_fail(operation, event->status);
        return false;
    }
    return true;
}
