/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/program.h"

#include "base/list.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

typedef struct mtree_runner mtree_runner_t;

/* A send or receive of a runner. */
typedef struct mtree_request {
    mtree_completion_t done;
    mtree_runner_t *runner;
    size_t step;
    mtree_list_t link; /* in the runner's list of outstanding or of free requests */
} mtree_request_t;

typedef struct {
    mtree_event_queue_t *queue;
    mtree_pt2pt_t *pt2pt;
    double fold_seconds;
    double end; /* the last time at which a rank ended, so far */
} mtree_executor_t;

/* The state of one rank. */
struct mtree_runner {
    mtree_executor_t *executor;
    int rank;
    const mtree_program_t *program;
    uint32_t **buffers;
    size_t at;
    bool *is_done;                   /* [num_steps] for sends and receives */
    mtree_timer_t step_on;           /* the rank goes on */
    mtree_list_t outstanding, spare; /* requests */
};

static void *at_place(const mtree_runner_t *runner, mtree_place_t place)
{
    return runner->buffers == NULL ? NULL : runner->buffers[place.buffer] + place.offset;
}

static void request_done(mtree_completion_t *self, mtree_status_t status)
{
    mtree_request_t *request = MTREE_CONTAINER_OF(self, mtree_request_t, done);
    mtree_runner_t *runner = request->runner;
    const mtree_step_t *at = &runner->program->steps[runner->at];

    if (status != MTREE_OK) {
        mtree_event_queue_fail(runner->executor->queue, status);
    }
    runner->is_done[request->step] = true;
    mtree_list_remove(&request->link);
    mtree_list_append(&runner->spare, &request->link);
    if (runner->at < runner->program->num_steps && at->kind == MTREE_STEP_WAIT &&
        at->request == request->step) {
        mtree_event_queue_add(runner->executor->queue, &runner->step_on, 0.0);
    }
}

/* A request to start a message with; NULL: no memory. */
static mtree_request_t *get_request(mtree_runner_t *runner)
{
    mtree_list_t *link = mtree_list_take(&runner->spare);
    mtree_request_t *request = link == NULL
                                   ? calloc(1, sizeof(*request))
                                   : MTREE_CONTAINER_OF(link, mtree_request_t, link);

    if (request != NULL) {
        mtree_list_append(&runner->outstanding, &request->link);
    }
    return request;
}

static mtree_status_t start(mtree_runner_t *runner, const mtree_step_t *step)
{
    mtree_transport_t *transport =
        mtree_pt2pt_transport(runner->executor->pt2pt, runner->rank);
    mtree_request_t *request = get_request(runner);

    if (request == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    request->done.func = request_done;
    request->runner = runner;
    request->step = (size_t)(step - runner->program->steps);
    if (step->kind == MTREE_STEP_SEND) {
        return transport->ops->send(transport, step->peer, 0,
                                    at_place(runner, step->from), step->count, false,
                                    &request->done);
    }
    return transport->ops->recv(transport, step->peer, 0, at_place(runner, step->to),
                                step->count, &request->done);
}

static void compute(mtree_runner_t *runner, const mtree_step_t *step)
{
    const uint32_t *from = at_place(runner, step->from);
    uint32_t *to = at_place(runner, step->to);
    size_t i;

    if (step->kind == MTREE_STEP_FOLD) {
        mtree_pt2pt_compute(runner->executor->pt2pt, runner->rank,
                            (double)step->count * runner->executor->fold_seconds);
    }
    if (to == NULL || from == NULL) {
        return;
    }
    if (step->kind == MTREE_STEP_COPY) {
        memmove(to, from, step->count * sizeof(uint32_t));
        return;
    }
    for (i = 0; i < step->count; i++) {
        to[i] += from[i];
    }
}

/* Run the program up to the next wait for a request that is not done. */
static void run(mtree_timer_t *event)
{
    mtree_runner_t *runner = MTREE_CONTAINER_OF(event, mtree_runner_t, step_on);
    mtree_executor_t *executor = runner->executor;
    const mtree_step_t *step;
    mtree_status_t status;
    double end;

    for (; runner->at < runner->program->num_steps; runner->at++) {
        step = &runner->program->steps[runner->at];
        switch (step->kind) {
        case MTREE_STEP_SEND:
        case MTREE_STEP_RECV:
            status = start(runner, step);
            if (status != MTREE_OK) {
                mtree_event_queue_fail(executor->queue, status);
                return;
            }
            break;
        case MTREE_STEP_WAIT:
            if (!runner->is_done[step->request]) {
                return;
            }
            break;
        case MTREE_STEP_FOLD:
        case MTREE_STEP_COPY:
            compute(runner, step);
            break;
        }
    }
    end = mtree_pt2pt_free_at(executor->pt2pt, runner->rank);
    if (end > executor->end) {
        executor->end = end;
    }
}

static mtree_status_t check_ended(const mtree_runner_t *runners, int num_ranks)
{
    const mtree_step_t *step;
    int r;

    for (r = 0; r < num_ranks; r++) {
        if (runners[r].at < runners[r].program->num_steps) {
            step = &runners[r].program->steps[runners[r].at];
            step = &runners[r].program->steps[step->request];
            mtree_error(
                "simulator: rank %d waits for ever to %s %zu elements %s rank %d; "
                "the algorithm is wrong",
                r, step->kind == MTREE_STEP_SEND ? "send" : "receive", step->count,
                step->kind == MTREE_STEP_SEND ? "to" : "from", step->peer);
            return MTREE_ERR_TRANSPORT;
        }
    }
    return MTREE_OK;
}

static void free_requests(mtree_list_t *list)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(list)) != NULL) {
        free(MTREE_CONTAINER_OF(link, mtree_request_t, link));
    }
}

static void free_runners(mtree_runner_t *runners, int num_ranks)
{
    for (int r = 0; r < num_ranks; r++) {
        free_requests(&runners[r].outstanding);
        free_requests(&runners[r].spare);
        free(runners[r].is_done);
    }
    free(runners);
}

mtree_status_t mtree_programs_run(mtree_event_queue_t *queue, mtree_pt2pt_t *pt2pt,
                                  const mtree_program_t *programs, int num_ranks,
                                  uint32_t *(*buffers)[MTREE_BUFFER_LAST],
                                  double fold_seconds, const double *arrivals,
                                  double *seconds_p)
{
    mtree_executor_t executor = {
        .queue = queue, .pt2pt = pt2pt, .fold_seconds = fold_seconds};
    mtree_runner_t *runners = calloc((size_t)num_ranks, sizeof(*runners));
    mtree_status_t status = MTREE_OK;
    int r;

    if (runners == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r < num_ranks; r++) {
        mtree_list_init(&runners[r].outstanding);
        mtree_list_init(&runners[r].spare);
    }
    for (r = 0; r < num_ranks; r++) {
        runners[r].executor = &executor;
        runners[r].rank = r;
        runners[r].program = &programs[r];
        runners[r].buffers = buffers == NULL ? NULL : buffers[r];
        runners[r].step_on.func = run;
        runners[r].is_done = calloc(programs[r].num_steps + 1, sizeof(bool));
        if (runners[r].is_done == NULL) {
            status = MTREE_ERR_NO_MEMORY;
            goto out_free_runners;
        }
        mtree_event_queue_add(queue, &runners[r].step_on,
                              arrivals == NULL ? 0.0 : arrivals[r]);
    }
    status = mtree_event_queue_run(queue);
    if (status == MTREE_OK) {
        status = check_ended(runners, num_ranks);
    }
    if (status == MTREE_OK) {
        *seconds_p = executor.end;
    }
out_free_runners:
    for (r = 0; r < num_ranks; r++) {
        mtree_event_queue_remove(queue, &runners[r].step_on);
    }
    free_runners(runners, num_ranks);
    return status;
}
