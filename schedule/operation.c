#include "schedule/operation_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many of each part the operation of a layout has. */
typedef struct {
    size_t lanes, inlets, slots, scratch;
} census_t;

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

static census_t operation_census(const mtree_layout_t *layout,
                                 const mtree_operation_data_t *data)
{
    census_t census = {0, 0, 0, 0};

    for (int i = 0; i < layout->num_streams; i++) {
        const mtree_stream_t *stream = &layout->streams[i];
        size_t children = (size_t)stream->num_children;
        size_t slots = mtree_stream_slots(stream);

        if (stream->open) {
            continue;
        }
        if (stream->broadcast) {
            census.lanes += children;
            if (stream->parent >= 0) {
                census.inlets++;
                census.slots += slots;
                census.scratch += data->unpack != NULL
                                      ? slots * mtree_stream_slot_bytes(data, stream)
                                      : 0;
            }
        }
        if (stream->reduce) {
            census.lanes += stream->parent >= 0;
            census.inlets += children;
            census.slots += children * slots;
            census.scratch += children * slots * mtree_stream_slot_bytes(data, stream);
        }
    }
    return census;
}

size_t mtree_operation_scratch(const mtree_layout_t *layout,
                               const mtree_operation_data_t *data)
{
    return operation_census(layout, data).scratch;
}

void mtree_operation_fail(mtree_operation_t *operation, mtree_status_t status)
{
    if (operation->status == MTREE_OK) {
        operation->status = status;
    }
}

void mtree_stream_state_trace(const mtree_stream_state_t *flow, mtree_act_t act, bool up,
                              int peer, size_t chunk, double begin)
{
    mtree_operation_t *operation = flow->operation;
    mtree_trace_event_t event = {.begin = begin,
                                 .end = begin,
                                 .chunk = chunk,
                                 .call = operation->call,
                                 .stream = flow->stream->tag / MTREE_STREAM_TAGS,
                                 .peer = peer,
                                 .act = act,
                                 .up = up};

    if (operation->data.trace == NULL) {
        return;
    }
    event.bytes = mtree_stream_state_count(flow, chunk) * (size_t)operation->data.extent;
    if (act != MTREE_TRACE_RECEIVE) {
        event.end = mtree_operation_clock(operation);
    }
    mtree_trace_add(operation->data.trace, &event);
}

static mtree_send_queue_t *operation_outlet(mtree_operation_t *operation, int rank)
{
    int low = 0, high = operation->layout->num_peers - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (operation->outlets[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &operation->outlets[low];
}

void mtree_operation_step(mtree_operation_t *operation, int step)
{
    const mtree_layout_t *layout = operation->layout;

    if (step == 0 || --operation->unstepped[step] > 0 || step != operation->step) {
        return;
    }
    while (operation->step < 2 * layout->num_steps &&
           operation->unstepped[operation->step] == 0) {
        operation->step++;
    }
    for (int i = 0; i < layout->num_peers; i++) {
        operation->outlets[i].dirty = true;
    }
}

/* A new lane's or inlet's step, counted. */
static int operation_count_step(mtree_operation_t *operation, int step)
{
    operation->unstepped[step]++;
    return step;
}

mtree_send_channel_t *mtree_stream_state_add_channel(mtree_stream_state_t *flow, int rank,
                                                     int step, bool up,
                                                     mtree_cursor_t *at)
{
    mtree_send_channel_t *lane = at->lane++;

    lane->flow = flow;
    lane->outlet = operation_outlet(flow->operation, rank);
    lane->up = up;
    lane->step =
        operation_count_step(flow->operation, mtree_layout_step(flow->operation->layout,
                                                                flow->stream, step, up));
    lane->blank = lane->end = lane->credit = flow->num_chunks;
    if (up && flow->stream->window < flow->num_chunks) {
        lane->credit = flow->stream->window;
    }
    lane->link = lane->outlet->lanes;
    lane->outlet->lanes = lane;
    lane->outlet->dirty = true;
    lane->sibling = flow->lanes;
    flow->lanes = lane;
    return lane;
}

mtree_receiver_t *mtree_stream_state_add_receiver(mtree_stream_state_t *flow, int rank,
                                                  int step, int tag, size_t window,
                                                  bool memory, mtree_cursor_t *at)
{
    const mtree_operation_data_t *data = &flow->operation->data;
    mtree_receiver_t *inlet = at->inlet++;

    inlet->flow = flow;
    inlet->peer = rank;
    inlet->tag = flow->stream->tag + tag;
    inlet->step = operation_count_step(
        flow->operation, mtree_layout_step(flow->operation->layout, flow->stream, step,
                                           tag == MTREE_TAG_UP));
    inlet->window = window;
    inlet->slots = at->slot;
    for (size_t i = 0; i < inlet->window; i++) {
        at->slot->inlet = inlet;
        if (memory) {
            at->slot->memory = mtree_address(at->scratch, -data->gap);
            at->scratch += mtree_stream_slot_bytes(data, flow->stream);
        }
        at->slot++;
    }
    return inlet;
}

static void flow_init(mtree_stream_state_t *flow, mtree_operation_t *operation,
                      const mtree_stream_t *stream, mtree_cursor_t *at)
{
    size_t slots = mtree_stream_slots(stream);

    flow->operation = operation;
    flow->stream = stream;
    flow->num_chunks = stream_num_chunks(stream);
    if (operation->data.shift != NULL && stream->block >= 0) {
        flow->shift = operation->data.shift[stream->block];
    }
    flow->inlets = at->inlet;
    if (!stream->reduce || (stream->num_children == 0 && !stream->open)) {
        flow->folded = flow->num_chunks;
    }
    if (stream->parent < 0 && !stream->reduce) {
        flow->complete = flow->num_chunks;
    }
    if (stream->open && !operation->held) {
        operation->held = true;
        operation->underway++;
    }
    if (flow->num_chunks == 0 || stream->open) {
        return;
    }
    for (int i = 0; i < stream->num_children; i++) {
        if (stream->reduce) {
            mtree_stream_state_add_receiver(flow, stream->children[i],
                                            stream->child_steps[i], MTREE_TAG_UP, slots,
                                            true, at);
        }
    }
    for (int i = 0; i < stream->num_children; i++) {
        if (stream->broadcast) {
            mtree_stream_state_add_channel(flow, stream->children[i],
                                           stream->child_steps[i], false, at);
        }
    }
    if (stream->parent >= 0 && stream->broadcast) {
        flow->above = mtree_stream_state_add_receiver(
            flow, stream->parent, stream->parent_step, MTREE_TAG_DOWN, slots,
            operation->data.unpack != NULL, at);
    }
    if (stream->parent >= 0 && stream->reduce) {
        mtree_stream_state_add_channel(flow, stream->parent, stream->parent_step, true,
                                       at);
    }
}

/* One block holds the operation, its parts and, aligned, its scratch memory. */
static mtree_operation_t *operation_alloc(const mtree_layout_t *layout,
                                          const mtree_operation_data_t *data,
                                          mtree_cursor_t *at)
{
    census_t census = operation_census(layout, data);
    size_t bytes = sizeof(mtree_operation_t) +
                   (size_t)layout->num_streams * sizeof(mtree_stream_state_t) +
                   (size_t)layout->num_peers * sizeof(mtree_send_queue_t) +
                   census.lanes * sizeof(mtree_send_channel_t) +
                   census.inlets * sizeof(mtree_receiver_t) +
                   census.slots * sizeof(mtree_slot_t) +
                   (2 * (size_t)layout->num_steps + 1) * sizeof(int);
    mtree_operation_t *operation = calloc(1, bytes);

    if (operation == NULL) {
        return NULL;
    }
    if (census.scratch > 0 && posix_memalign((void **)&operation->scratch,
                                             MTREE_SLOT_ALIGNMENT, census.scratch) != 0) {
        free(operation);
        return NULL;
    }
    operation->layout = layout;
    operation->data = *data;
    operation->flows = (mtree_stream_state_t *)(operation + 1);
    operation->outlets = (mtree_send_queue_t *)(operation->flows + layout->num_streams);
    at->lane = (mtree_send_channel_t *)(operation->outlets + layout->num_peers);
    at->inlet = (mtree_receiver_t *)(at->lane + census.lanes);
    at->slot = (mtree_slot_t *)(at->inlet + census.inlets);
    operation->unstepped = (int *)(at->slot + census.slots);
    operation->step = layout->num_steps > 0;
    at->scratch = operation->scratch;
    return operation;
}

static void operation_release(mtree_operation_t *operation)
{
    mtree_operation_controller_t guide = operation->guide;

    while (operation->annexes != NULL) {
        mtree_extra_buffer_t *annex = operation->annexes;

        operation->annexes = annex->link;
        free(annex->scratch);
        free(annex);
    }
    while (operation->free_parcels != NULL) {
        mtree_send_op_t *parcel = operation->free_parcels;

        operation->free_parcels = parcel->link;
        free(parcel);
    }
    free(operation->scratch);
    free(operation);
    if (guide.released != NULL) {
        guide.released(guide.arg);
    }
}

static mtree_operation_t *inbox_operation(mtree_inbox_t *inbox)
{
    return (mtree_operation_t *)((char *)inbox - offsetof(mtree_operation_t, inbox));
}

static void operation_finish(mtree_operation_t *operation)
{
    mtree_operation_func_t func = operation->func;

    /* Without a callback the owner polls, and may free the operation from here on. */
    atomic_store(&operation->finished, true);
    if (func != NULL) {
        func(operation, operation->status, operation->arg);
    }
}

/*
 * A failed operation ends with its last message, when the transport sees to it that there
 * is one, else at once, as does one whose owner need not wait; what is under way keeps
 * its memory alive.
 */
static bool operation_idle(mtree_inbox_t *inbox)
{
    mtree_operation_t *operation = inbox_operation(inbox);

    if (operation->guide.turn != NULL) {
        operation->guide.turn(operation, operation->guide.arg);
    }
    if (operation->status == MTREE_OK) {
        mtree_send_queue_pump(operation);
    }
    if ((operation->excused ||
         (operation->status != MTREE_OK && !operation->transport->ends_all)) &&
        !operation->finished && operation->underway > 0) {
        operation_finish(operation);
    }
    return operation->underway == 0;
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

mtree_status_t mtree_operation_start(const mtree_layout_t *layout,
                                     mtree_transport_t *transport,
                                     const mtree_operation_data_t *data,
                                     mtree_operation_func_t func, void *arg,
                                     mtree_operation_t **operation_p)
{
    static const mtree_operation_controller_t nobody = {NULL, NULL, NULL};

    return mtree_operation_start_controlled(layout, transport, data, &nobody, func, arg,
                                            operation_p);
}

mtree_status_t mtree_operation_start_controlled(const mtree_layout_t *layout,
                                                mtree_transport_t *transport,
                                                const mtree_operation_data_t *data,
                                                const mtree_operation_controller_t *guide,
                                                mtree_operation_func_t func, void *arg,
                                                mtree_operation_t **operation_p)
{
    mtree_cursor_t at;
    mtree_operation_t *operation = operation_alloc(layout, data, &at);

    if (operation == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    operation->transport = transport;
    operation->guide = *guide;
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
        operation->outlets[i].rank = layout->peers[i].rank;
        operation->outlets[i].window = layout->peers[i].window;
    }
    operation->lanes = at.lane;
    operation->inlets = at.inlet;
    for (int i = 0; i < layout->num_streams; i++) {
        const mtree_stream_t *stream = &layout->streams[i];

        if (data->pack != NULL && stream->chunk > operation->packed_bytes) {
            operation->packed_bytes = stream->chunk;
        }
        flow_init(&operation->flows[i], operation, stream, &at);
    }
    /* This rank may have nothing to do in the first steps. */
    operation_count_step(operation, operation->step);
    mtree_operation_step(operation, operation->step);
    /* The caller may see the operation's end before this returns. */
    *operation_p = operation;
    while (at.inlet > operation->inlets) {
        mtree_receiver_post(--at.inlet);
    }
    while (at.lane > operation->lanes) {
        if ((--at.lane)->up) {
            mtree_send_channel_await_credit(at.lane);
        }
    }
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
    if (operation->underway > 0) {
        operation->orphan = true;
        return;
    }
    operation_release(operation);
}
