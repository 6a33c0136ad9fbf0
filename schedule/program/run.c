/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/program/run.h"

#include "base/container_of.h"
#include "base/list.h"
#include "schedule/inbox.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A send or receive.  Those that are done are used again. */
typedef struct mtree_request {
    mtree_event_t event;
    mtree_program_run_t *run;
    size_t step;
    struct mtree_request *spare;
} mtree_request_t;

/* Only the thread that holds the inbox touches it. */
struct mtree_program_run {
    mtree_inbox_t inbox;
    const mtree_program_t *program;
    mtree_transport_t *transport;
    mtree_program_data_t data;
    void *room; /* owned */
    mtree_program_func_t func;
    void *arg;
    mtree_status_t status; /* the first failure */
    size_t at;             /* the next step */
    size_t outstanding;    /* sends and receives that are not done */
    mtree_request_t *spare;
    bool finished;  /* `func` was called */
    bool orphan;    /* freed while messages are under way */
    bool is_done[]; /* [num_steps] of sends and receives */
};

static void *address(const mtree_program_run_t *run, mtree_place_t place)
{
    return (void *)((uintptr_t)run->data.address[place.buffer] +
                    place.offset * (size_t)run->data.extent);
}

static void request_done(mtree_event_t *event)
{
    mtree_request_t *request = MTREE_CONTAINER_OF(event, mtree_request_t, event);
    mtree_program_run_t *run = request->run;

    if (event->status != MTREE_OK && run->status == MTREE_OK) {
        run->status = event->status;
    }
    run->is_done[request->step] = true;
    run->outstanding--;
    request->spare = run->spare;
    run->spare = request;
}

static mtree_request_t *take_request(mtree_program_run_t *run)
{
    mtree_request_t *request = run->spare;

    if (request != NULL) {
        run->spare = request->spare;
        return request;
    }
    request = malloc(sizeof(*request));
    if (request != NULL) {
        request->run = run;
    }
    return request;
}

static mtree_status_t begin_message(mtree_program_run_t *run, const mtree_step_t *step)
{
    const mtree_transport_ops_t *ops = run->transport->ops;
    mtree_request_t *request = take_request(run);
    mtree_status_t status;

    if (request == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    mtree_event_init(&request->event, &run->inbox, request_done);
    request->step = run->at;
    status = step->kind == MTREE_STEP_SEND
                 ? ops->send(run->transport, step->peer, 0, address(run, step->from),
                             step->count, false, &request->event.completion)
                 : ops->recv(run->transport, step->peer, 0, address(run, step->to),
                             step->count, &request->event.completion);
    if (status == MTREE_OK) {
        run->outstanding++;
    } else {
        request->spare = run->spare;
        run->spare = request;
    }
    return status;
}

static void copy(const mtree_program_run_t *run, const mtree_step_t *step)
{
    const mtree_program_data_t *data = &run->data;
    const void *from = address(run, step->from);
    void *to = address(run, step->to);

    /* In place, two buffers are one. */
    if (from == to) {
        return;
    }
    if (data->copy != NULL) {
        data->copy(data->arg, from, to, step->count);
    } else {
        memcpy(to, from, step->count * (size_t)data->extent);
    }
}

/* Do the next step; false: it has to wait, or has failed. */
static bool do_step(mtree_program_run_t *run, const mtree_step_t *step)
{
    const mtree_program_data_t *data = &run->data;

    switch (step->kind) {
    case MTREE_STEP_SEND:
    case MTREE_STEP_RECV:
        run->status = begin_message(run, step);
        return run->status == MTREE_OK;
    case MTREE_STEP_WAIT:
        return run->is_done[step->request];
    case MTREE_STEP_FOLD:
        if (data->fold != NULL) {
            data->fold(data->arg, address(run, step->from), address(run, step->to),
                       address(run, step->to), step->count);
        }
        return true;
    case MTREE_STEP_COPY:
        copy(run, step);
        return true;
    }
    return true;
}

static void finish(mtree_program_run_t *run)
{
    mtree_program_func_t func = run->func;

    run->finished = true;
    func(run, run->status, run->arg);
}

static mtree_program_run_t *run_of(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, mtree_program_run_t, inbox);
}

static void release(mtree_program_run_t *run)
{
    while (run->spare != NULL) {
        mtree_request_t *request = run->spare;

        run->spare = request->spare;
        free(request);
    }
    free(run->room);
    free(run);
}

/* Go on as far as possible.  A failed run ends with its last message, if the transport
 * ends all messages, else at once. */
static bool run_idle(mtree_inbox_t *inbox)
{
    mtree_program_run_t *run = run_of(inbox);
    const mtree_program_t *program = run->program;

    while (run->status == MTREE_OK && run->at < program->num_steps &&
           do_step(run, &program->steps[run->at])) {
        run->at++;
    }
    if (run->status != MTREE_OK && !run->transport->ends_all && !run->finished &&
        run->outstanding > 0) {
        finish(run);
    }
    return run->outstanding == 0;
}

static void run_last(mtree_inbox_t *inbox)
{
    mtree_program_run_t *run = run_of(inbox);

    if (!run->finished) {
        finish(run);
    } else if (run->orphan) {
        release(run);
    }
}

mtree_status_t mtree_program_start(const mtree_program_t *program,
                                   mtree_transport_t *transport,
                                   const mtree_program_data_t *data, void *room,
                                   mtree_program_func_t func, void *arg,
                                   mtree_program_run_t **run_p)
{
    mtree_program_run_t *run =
        calloc(1, sizeof(*run) + program->num_steps * sizeof(run->is_done[0]));

    if (run == NULL) {
        free(room);
        return MTREE_ERR_NO_MEMORY;
    }
    run->room = room;
    run->program = program;
    run->transport = transport;
    run->data = *data;
    run->func = func;
    run->arg = arg;
    mtree_inbox_init(&run->inbox, run_idle, run_last);
    *run_p = run;
    mtree_inbox_open(&run->inbox);
    return MTREE_OK;
}

const mtree_step_t *mtree_program_run_waits(const mtree_program_run_t *run)
{
    const mtree_step_t *steps = run->program->steps;

    return &steps[steps[run->at].request];
}

void mtree_program_run_free(mtree_program_run_t *run)
{
    if (run == NULL) {
        return;
    }
    if (run->outstanding > 0) {
        run->orphan = true;
        return;
    }
    release(run);
}
