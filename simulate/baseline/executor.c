/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/program.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/log.h"

#include <string.h>

typedef struct mtree_runner mtree_runner_t;

/* A send or receive of a runner. */
typedef struct mtree_request {
    mtree_completion_t done;
    mtree_runner_t *runner;
    size_t step;
    mtree_list_t spare; /* in the runner's list of those that are done */
} mtree_request_t;

typedef struct {
    mtree_arena_t arena; /* of the runners and their requests */
    mtree_event_queue_t *queue;
    mtree_pt2pt_t *pt2pt;
    double fold_seconds;
    double end;      /* the last time at which a rank ended, so far */
    size_t all;      /* messages of all programs */
    size_t received; /* of these */
    size_t most;     /* those after which programs are left; 0: they end */
    double half_end; /* when half of them had been received */
} mtree_executor_t;

/* The state of one rank. */
struct mtree_runner {
    mtree_executor_t *executor;
    int rank;
    const mtree_program_t *program;
    uint32_t **buffers;
    size_t at;
    bool *is_done;         /* [num_steps] for sends and receives */
    mtree_timer_t step_on; /* the rank goes on */
    mtree_list_t spare;    /* requests */
};

static void *at_place(const mtree_runner_t *runner, mtree_place_t place)
{
    return runner->buffers == NULL ? NULL : runner->buffers[place.buffer] + place.offset;
}

/* A message has been received.  With the last one that is allowed the run ends. */
static void count_message(mtree_executor_t *executor)
{
    executor->received++;
    if (executor->most > 0 && executor->received == executor->most / 2) {
        executor->half_end = mtree_event_queue_now(executor->queue);
    }
    if (executor->most > 0 && executor->received == executor->most) {
        executor->end = mtree_event_queue_now(executor->queue);
        mtree_event_queue_fail(executor->queue, MTREE_ERR_LIMIT);
    }
}

static bool is_left(const mtree_executor_t *executor)
{
    return executor->most > 0 && executor->received >= executor->most;
}

/* When all would have ended. */
static double end_of_all(const mtree_executor_t *executor)
{
    size_t half = executor->most - executor->most / 2;

    return is_left(executor)
               ? executor->end + (executor->end - executor->half_end) *
                                     (double)(executor->all - executor->most) /
                                     (double)half
               : executor->end;
}

static size_t count_receives(const mtree_program_t *program)
{
    size_t count = 0;

    for (size_t step = 0; step < program->num_steps; step++) {
        count += program->steps[step].kind == MTREE_STEP_RECV;
    }
    return count;
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
    if (runner->program->steps[request->step].kind == MTREE_STEP_RECV) {
        count_message(runner->executor);
    }
    mtree_list_append(&runner->spare, &request->spare);
    if (runner->at < runner->program->num_steps && at->kind == MTREE_STEP_WAIT &&
        at->request == request->step) {
        mtree_event_queue_add(runner->executor->queue, &runner->step_on, 0.0);
    }
}

static mtree_status_t start(mtree_runner_t *runner, const mtree_step_t *step)
{
    mtree_executor_t *executor = runner->executor;
    mtree_transport_t *transport = mtree_pt2pt_transport(executor->pt2pt, runner->rank);
    mtree_list_t *spare = mtree_list_take(&runner->spare);
    mtree_request_t *request;

    if (spare != NULL) {
        request = MTREE_CONTAINER_OF(spare, mtree_request_t, spare);
    } else if (MTREE_ARENA_ARRAY(&executor->arena, request, 1) == NULL) {
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
    if (!is_left(executor) && end > executor->end) {
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

mtree_status_t mtree_programs_run(mtree_event_queue_t *queue, mtree_pt2pt_t *pt2pt,
                                  const mtree_program_t *programs, int num_ranks,
                                  uint32_t *(*buffers)[MTREE_BUFFER_LAST],
                                  double fold_seconds, const double *arrivals,
                                  size_t most_messages, double *seconds_p)
{
    mtree_executor_t executor = {
        .queue = queue, .pt2pt = pt2pt, .fold_seconds = fold_seconds};
    mtree_arena_t *arena = &executor.arena;
    mtree_runner_t *runners;
    mtree_status_t status;

    MTREE_ARENA_ARRAY(arena, runners, (size_t)num_ranks);
    for (int r = 0; r < num_ranks && arena->status == MTREE_OK; r++) {
        runners[r].executor = &executor;
        runners[r].rank = r;
        runners[r].program = &programs[r];
        runners[r].buffers = buffers == NULL ? NULL : buffers[r];
        runners[r].step_on.func = run;
        mtree_list_init(&runners[r].spare);
        MTREE_ARENA_ARRAY(arena, runners[r].is_done, programs[r].num_steps);
        executor.all += count_receives(&programs[r]);
        mtree_event_queue_add(queue, &runners[r].step_on,
                              arrivals == NULL ? 0.0 : arrivals[r]);
    }
    executor.most = executor.all > most_messages ? most_messages : 0;
    status = arena->status == MTREE_OK ? mtree_event_queue_run(queue) : arena->status;
    if (status == MTREE_OK) {
        status = check_ended(runners, num_ranks);
    } else if (is_left(&executor)) {
        status = MTREE_OK;
    }
    if (status == MTREE_OK) {
        *seconds_p = end_of_all(&executor);
    }
    for (int r = 0; runners != NULL && r < num_ranks; r++) {
        mtree_event_queue_remove(queue, &runners[r].step_on);
    }
    mtree_arena_cleanup(arena);
    return status;
}
