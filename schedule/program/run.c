/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/program/run.h"

#include "base/memory.h"
#include "schedule/operation_private.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A message, or a piece of one.  Those that are done are used again. */
typedef struct mtree_request {
    mtree_event_t event;
    struct run *run;
    size_t step;
    size_t first, count; /* units of its message */
    double begin;        /* where it is traced */
    struct mtree_request *spare;
} mtree_request_t;

/* Only the thread that holds the inbox touches it. */
typedef struct run {
    mtree_operation_t super; /* must be first */
    const mtree_program_t *program;
    void *address[MTREE_BUFFER_LAST];
    void *room; /* owned */
    size_t at;  /* the next step */
    mtree_request_t *spare;
    size_t left[]; /* [num_steps] units of sends and receives that are not done */
} run_t;

static run_t *run_of(mtree_operation_t *operation)
{
    return MTREE_CONTAINER_OF(operation, run_t, super);
}

static void *address(const run_t *run, mtree_place_t place)
{
    return (void *)((uintptr_t)run->address[place.buffer] +
                    place.offset * (size_t)run->super.data.extent);
}

/* The pieces of a message before unit @a first. */
static size_t pieces_before(const mtree_program_t *program, size_t first)
{
    return program->piece == 0 ? first > 0
                               : (first + program->piece - 1) / program->piece;
}

/* The number of what begins at unit @a first of the message of step @a i, among the
 * pieces of all messages to, or from, the same peer. */
static size_t piece_number(const mtree_program_t *program, size_t i, size_t first)
{
    size_t number = pieces_before(program, first);

    for (size_t earlier = 0; earlier < i; earlier++) {
        const mtree_step_t *step = &program->steps[earlier];

        if (step->kind == program->steps[i].kind &&
            step->peer == program->steps[i].peer) {
            number += pieces_before(program, step->count);
        }
    }
    return number;
}

static bool is_same_place(mtree_place_t a, mtree_place_t b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

/* The receive of what the fold @a step adds, or adds to; @a step: it is the rank's own.
 */
static size_t folded_message(const mtree_program_t *program, size_t step)
{
    const mtree_step_t *fold = &program->steps[step];

    for (size_t i = 0; i < program->num_steps; i++) {
        if (program->steps[i].kind == MTREE_STEP_RECV &&
            (is_same_place(program->steps[i].to, fold->from) ||
             is_same_place(program->steps[i].to, fold->to))) {
            return i;
        }
    }
    return step;
}

/* Add what was done with @a count units from @a first on of the message of step @a
 * message to the trace; it began at @a begin and ends now. */
static void trace(const run_t *run, mtree_act_t act, size_t message, size_t first,
                  size_t count, double begin)
{
    const mtree_step_t *step = &run->program->steps[message];

    mtree_trace_add(
        run->super.data.trace,
        &(mtree_trace_event_t){.begin = act == MTREE_TRACE_RECEIVE
                                            ? mtree_operation_now(&run->super)
                                            : begin,
                               .end = mtree_operation_now(&run->super),
                               .chunk = piece_number(run->program, message, first),
                               .bytes = count * (size_t)run->super.data.extent,
                               .call = run->super.call,
                               .peer = step->peer,
                               .act = act});
}

/* Tell those who measure the call that a message is done. */
static void measure(const run_t *run, const mtree_request_t *request)
{
    const mtree_step_t *step = &run->program->steps[request->step];
    const bool is_sent = step->kind == MTREE_STEP_SEND;
    mtree_goodput_t *goodput = run->super.data.goodput;
    const double bytes = (double)request->count * (double)run->super.data.extent;

    if (run->super.data.trace != NULL) {
        trace(run, is_sent ? MTREE_TRACE_SEND : MTREE_TRACE_RECEIVE, request->step,
              request->first, request->count, request->begin);
    }
    if (goodput != NULL && is_sent) {
        mtree_goodput_sent(goodput, mtree_goodput_link(goodput, step->peer), 0, bytes,
                           mtree_operation_now(&run->super));
    } else if (goodput != NULL) {
        mtree_goodput_moved(goodput, 0, bytes, mtree_operation_now(&run->super));
    }
}

static void request_done(mtree_event_t *event)
{
    mtree_request_t *request = MTREE_CONTAINER_OF(event, mtree_request_t, event);
    run_t *run = request->run;

    if (mtree_operation_ended(&run->super, event)) {
        measure(run, request);
    }
    run->left[request->step] -= request->count;
    request->spare = run->spare;
    run->spare = request;
}

static mtree_request_t *take_request(run_t *run)
{
    mtree_request_t *request = run->spare;

    if (request != NULL) {
        run->spare = request->spare;
        return request;
    }
    MTREE_ARENA_ARRAY(&run->super.arena, request, 1);
    request->run = run;
    return request;
}

/* Begin @a count units from @a first on of the message of @a step. */
static void begin_piece(run_t *run, const mtree_step_t *step, size_t first, size_t count)
{
    const mtree_transport_ops_t *ops = run->super.transport->ops;
    const bool is_sent = step->kind == MTREE_STEP_SEND;
    const mtree_place_t whole = is_sent ? step->from : step->to;
    void *at = address(run, mtree_place(whole.buffer, whole.offset + first));
    mtree_request_t *request = take_request(run);

    mtree_event_init(&request->event, &run->super.inbox, request_done);
    request->step = run->at;
    request->first = first;
    request->count = count;
    request->begin = mtree_operation_clock(&run->super);
    if (!mtree_operation_began(
            &run->super, is_sent ? ops->send(run->super.transport, step->peer, 0, at,
                                             count, false, &request->event.completion)
                                 : ops->recv(run->super.transport, step->peer, 0, at,
                                             count, &request->event.completion))) {
        request->spare = run->spare;
        run->spare = request;
    }
}

/* Begin the message of @a step, in pieces where it is long. */
static void begin_message(run_t *run, const mtree_step_t *step)
{
    const size_t piece = run->program->piece > 0 ? run->program->piece : step->count;

    run->left[run->at] = step->count;
    for (size_t first = 0; first < step->count && run->super.status == MTREE_OK;
         first += piece) {
        const size_t rest = step->count - first;

        begin_piece(run, step, first, rest < piece ? rest : piece);
    }
}

/* The address of @a place, which is in the block that @a step copies. */
static void *block_address(const run_t *run, const mtree_step_t *step,
                           mtree_place_t place)
{
    const ptrdiff_t *shift = run->super.data.shift;

    return mtree_address(
        address(run, place),
        shift != NULL && place.buffer == MTREE_BUFFER_RESULT ? shift[step->peer] : 0);
}

static bool is_of_user(mtree_place_t place)
{
    return place.buffer == MTREE_BUFFER_INPUT || place.buffer == MTREE_BUFFER_RESULT;
}

static void copy(const run_t *run, const mtree_step_t *step)
{
    const mtree_operation_data_t *data = &run->super.data;
    const void *from = block_address(run, step, step->from);
    void *to = block_address(run, step, step->to);

    /* In place, two buffers are one. */
    if (from == to) {
        return;
    }
    if (data->pack != NULL && is_of_user(step->from)) {
        data->pack(data->arg, step->peer, step->from.offset, to, step->count);
    } else if (data->unpack != NULL && is_of_user(step->to)) {
        data->unpack(data->arg, step->peer, step->to.offset, from, step->count);
    } else if (data->copy != NULL) {
        data->copy(data->arg, from, to, step->count);
    } else {
        memcpy(to, from, step->count * (size_t)data->extent);
    }
}

static void fold(const run_t *run, const mtree_step_t *step)
{
    const mtree_operation_data_t *data = &run->super.data;
    const double begin = mtree_operation_clock(&run->super);
    size_t message;

    if (data->fold == NULL) {
        return;
    }
    data->fold(data->arg, address(run, step->from), address(run, step->to),
               address(run, step->to), step->count);
    message = data->trace == NULL ? run->at : folded_message(run->program, run->at);
    if (message != run->at) {
        trace(run, MTREE_TRACE_FOLD, message, 0, step->count, begin);
    }
}

/* Free what the run has. */
static void clear(mtree_operation_t *operation)
{
    free(run_of(operation)->room);
}

/* Go on as far as possible. */
static bool run_idle(mtree_inbox_t *inbox)
{
    run_t *run = run_of(mtree_inbox_operation(inbox));
    const mtree_program_t *program = run->program;

    for (; run->super.status == MTREE_OK && run->at < program->num_steps; run->at++) {
        const mtree_step_t *step = &program->steps[run->at];

        if (step->kind == MTREE_STEP_FOLD) {
            fold(run, step);
        } else if (step->kind == MTREE_STEP_COPY) {
            copy(run, step);
        } else if (step->kind != MTREE_STEP_WAIT) {
            begin_message(run, step);
        } else if (run->left[step->request] > 0) {
            break;
        }
    }
    return mtree_operation_is_idle(&run->super);
}

void mtree_program_start(const mtree_program_t *program, mtree_transport_t *transport,
                         const mtree_operation_data_t *data, void *const *address,
                         void *room, mtree_operation_func_t func, void *arg,
                         mtree_operation_t **operation_p)
{
    run_t *run =
        mtree_calloc(1, sizeof(*run) + program->num_steps * sizeof(run->left[0]));

    run->room = room;
    run->program = program;
    memcpy(run->address, address, sizeof(run->address));
    run->super.data = *data;
    mtree_operation_init(&run->super, transport, func, arg, run_idle, clear);
    *operation_p = &run->super;
    mtree_inbox_open(&run->super.inbox);
}

/* Bytes of memory for @a units, of which the next piece begins where any may. */
static size_t room_of(const mtree_operation_data_t *data, size_t units)
{
    size_t bytes = units == 0 ? 0 : (units - 1) * (size_t)data->extent + data->span;

    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) *
           alignof(max_align_t);
}

/* Is @a buffer none of the user's, whose addresses may all be NULL (MPI_BOTTOM)? */
static bool is_made(const mtree_layout_t *layout, int buffer)
{
    return buffer == MTREE_BUFFER_RESULT ? !layout->has_result
                                         : buffer != MTREE_BUFFER_INPUT;
}

size_t mtree_program_scratch(const mtree_layout_t *layout,
                             const mtree_operation_data_t *data)
{
    size_t bytes = 0;

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        bytes += is_made(layout, b) ? room_of(data, layout->program->lengths[b]) : 0;
    }
    return bytes;
}

void mtree_program_start_layout(const mtree_layout_t *layout,
                                mtree_transport_t *transport,
                                const mtree_operation_data_t *data,
                                mtree_operation_func_t func, void *arg,
                                mtree_operation_t **operation_p)
{
    void *address[MTREE_BUFFER_LAST] = {
        [MTREE_BUFFER_INPUT] = (void *)data->input, [MTREE_BUFFER_RESULT] = data->output};
    char *room = mtree_malloc(mtree_program_scratch(layout, data)), *at = room;

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        if (is_made(layout, b)) {
            address[b] = mtree_address(at, -data->gap);
            at += room_of(data, layout->program->lengths[b]);
        }
    }
    mtree_program_start(layout->program, transport, data, address, room, func, arg,
                        operation_p);
}

const mtree_step_t *mtree_program_waits(const mtree_operation_t *operation)
{
    const run_t *run = MTREE_CONTAINER_OF(operation, run_t, super);

    return operation->clear == clear
               ? &run->program->steps[run->program->steps[run->at].request]
               : NULL;
}
