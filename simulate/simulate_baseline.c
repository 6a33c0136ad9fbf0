/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "base/container_of.h"
#include "base/log.h"
#include "schedule/program/run.h"
#include "simulate/check_data.h"
#include "simulate/context.h"

#include <string.h>

typedef uint32_t *buffers_t[MTREE_BUFFER_LAST];

/* Is the input of a rank its own block alone? */
static bool holds_block(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->input == MTREE_PART_BLOCK;
}

/* The buffers that the programs ask for with real data, in @a arena, the inputs
 * filled. */
static buffers_t *make_buffers(mtree_arena_t *arena, const mtree_check_data_t *data,
                               const mtree_program_t *programs)
{
    buffers_t *buffers;

    MTREE_ARENA_ARRAY(arena, buffers, (size_t)data->num_ranks);
    for (int r = 0; r < data->num_ranks && arena->status == MTREE_OK; r++) {
        size_t shift = holds_block(data->collective) ? data->blocks[r] : 0;
        uint32_t *input;

        for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
            MTREE_ARENA_ARRAY(arena, buffers[r][b], programs[r].lengths[b]);
        }
        input = buffers[r][MTREE_BUFFER_INPUT];
        for (size_t i = 0; input != NULL && i < programs[r].lengths[MTREE_BUFFER_INPUT];
             i++) {
            input[i] = mtree_check_data_value(r, shift + i);
        }
    }
    return buffers;
}

/* One rank and its program. */
typedef struct {
    const mtree_simulation_t *simulation;
    const mtree_program_t *program;
    int number;
    uint32_t **buffers; /* NULL: no data is carried */
    mtree_timer_t arrival;
    mtree_program_run_t *run;
    bool has_ended;
    double end;
} rank_t;

static void fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const rank_t *rank = arg;
    const uint32_t *x = a, *y = b;
    uint32_t *sum = out;

    mtree_pt2pt_compute(rank->simulation->pt2pt, rank->number,
                        (double)count * mtree_simulation_fold_seconds(rank->simulation));
    for (size_t i = 0; i < count && rank->buffers != NULL; i++) {
        sum[i] = x[i] + y[i];
    }
}

static void copy(void *arg, const void *from, void *to, size_t count)
{
    const rank_t *rank = arg;

    if (rank->buffers != NULL) {
        memmove(to, from, count * sizeof(uint32_t));
    }
}

static void rank_ended(mtree_program_run_t *run, mtree_status_t status, void *arg)
{
    rank_t *rank = arg;

    (void)run;
    if (status != MTREE_OK) {
        mtree_event_queue_fail(rank->simulation->queue, status);
    }
    rank->has_ended = true;
    rank->end = mtree_pt2pt_free_at(rank->simulation->pt2pt, rank->number);
}

static void arrive(mtree_timer_t *event)
{
    rank_t *rank = MTREE_CONTAINER_OF(event, rank_t, arrival);
    const mtree_operation_data_t data = {
        .extent = sizeof(uint32_t), .fold = fold, .copy = copy, .arg = rank};
    void *address[MTREE_BUFFER_LAST] = {NULL};
    mtree_status_t status;

    for (int b = 0; rank->buffers != NULL && b < MTREE_BUFFER_LAST; b++) {
        address[b] = rank->buffers[b];
    }
    status = mtree_program_start(
        rank->program, mtree_pt2pt_transport(rank->simulation->pt2pt, rank->number),
        &data, address, NULL, rank_ended, rank, &rank->run);
    if (status != MTREE_OK) {
        mtree_event_queue_fail(rank->simulation->queue, status);
    }
}

static mtree_status_t check_ended(const rank_t *ranks, int num_ranks, double *seconds_p)
{
    *seconds_p = 0.0;
    for (int r = 0; r < num_ranks; r++) {
        const mtree_step_t *step;

        if (ranks[r].has_ended) {
            *seconds_p = ranks[r].end > *seconds_p ? ranks[r].end : *seconds_p;
            continue;
        }
        step = mtree_program_run_waits(ranks[r].run);
        mtree_error("simulator: rank %d waits for ever to %s %zu elements %s rank %d; "
                    "the algorithm is wrong",
                    r, step->kind == MTREE_STEP_SEND ? "send" : "receive", step->count,
                    step->kind == MTREE_STEP_SEND ? "to" : "from", step->peer);
        return MTREE_ERR_TRANSPORT;
    }
    return MTREE_OK;
}

static size_t count_messages(const mtree_program_t *programs, int num_ranks)
{
    size_t count = 0;

    for (int r = 0; r < num_ranks; r++) {
        for (size_t step = 0; step < programs[r].num_steps; step++) {
            count += programs[r].steps[step].kind == MTREE_STEP_SEND;
        }
    }
    return count;
}

/* Run @a programs, one per rank, until all have ended.  @a buffers is NULL where no data
 * is carried. */
static mtree_status_t run_all(const mtree_simulation_t *simulation,
                              const mtree_program_t *programs, buffers_t *buffers,
                              double *seconds_p)
{
    const double *arrivals = simulation->options->arrivals;
    const size_t most = buffers == NULL ? simulation->options->most_messages : 0;
    const size_t all = count_messages(programs, simulation->num_ranks);
    const int num_ranks = simulation->num_ranks;
    mtree_arena_t arena = {0};
    mtree_status_t status;
    rank_t *ranks;

    mtree_pt2pt_limit(simulation->pt2pt, all > most ? most : 0);
    MTREE_ARENA_ARRAY(&arena, ranks, (size_t)num_ranks);
    for (int r = 0; r < num_ranks && ranks != NULL; r++) {
        ranks[r] = (rank_t){.simulation = simulation,
                            .program = &programs[r],
                            .number = r,
                            .buffers = buffers == NULL ? NULL : buffers[r],
                            .arrival.func = arrive};
        mtree_event_queue_add(simulation->queue, &ranks[r].arrival,
                              arrivals == NULL ? 0.0 : arrivals[r]);
    }
    status = arena.status == MTREE_OK ? mtree_event_queue_run(simulation->queue)
                                      : arena.status;
    if (status == MTREE_OK) {
        status = check_ended(ranks, num_ranks, seconds_p);
    } else if (mtree_pt2pt_is_cut(simulation->pt2pt, all, seconds_p)) {
        status = MTREE_OK;
    }
    /* What is outstanding ends, so that runs can be freed. */
    mtree_pt2pt_abort(simulation->pt2pt);
    for (int r = 0; r < num_ranks && ranks != NULL; r++) {
        mtree_event_queue_remove(simulation->queue, &ranks[r].arrival);
        mtree_program_run_free(ranks[r].run);
    }
    mtree_arena_cleanup(&arena);
    return status;
}

static mtree_status_t run_programs(const mtree_simulation_t *simulation,
                                   const mtree_baseline_t *baseline, double *seconds_p)
{
    const mtree_simulate_options_t *options = simulation->options;
    const size_t ranks = (size_t)simulation->num_ranks;
    mtree_baseline_call_t call = {.num_ranks = simulation->num_ranks,
                                  .root = simulation->root,
                                  .count = simulation->count,
                                  .segment = options->segment_bytes / sizeof(uint32_t),
                                  .element_bytes = sizeof(uint32_t),
                                  .openmpi = options->openmpi};
    /* One rank alone has its result in its input and no program. */
    const bool checks = options->check && call.num_ranks > 1;
    mtree_check_data_t data = {.blocks = NULL};
    mtree_program_t *programs = NULL;
    mtree_arena_t arena = {0};
    buffers_t *buffers = NULL;
    mtree_status_t status;

    if (holds_block(baseline->collective) ||
        mtree_collective_is_personalized(baseline->collective)) {
        call.count = (call.count + ranks - 1) / ranks * ranks;
    }
    call.without_copies = !checks;
    status = mtree_baseline_build(baseline, &call, &programs);
    if (status == MTREE_OK && checks) {
        status = mtree_check_data_init(&data, baseline->collective, call.num_ranks,
                                       call.root, call.count);
    }
    if (status == MTREE_OK && checks) {
        buffers = make_buffers(&arena, &data, programs);
        status = arena.status;
    }
    if (status == MTREE_OK) {
        status = run_all(simulation, programs, buffers, seconds_p);
    }
    for (int r = 0; r < call.num_ranks && checks && status == MTREE_OK; r++) {
        status = mtree_check_data_check(&data, baseline->name, r,
                                        buffers[r][MTREE_BUFFER_RESULT]);
    }
    mtree_arena_cleanup(&arena);
    mtree_check_data_clear(&data);
    mtree_baseline_destroy(programs, call.num_ranks);
    return status;
}

mtree_status_t mtree_simulate_baseline(const mtree_topology_t *topology, const int *hosts,
                                       int num_hosts, const mtree_baseline_t *baseline,
                                       const mtree_simulate_options_t *options,
                                       mtree_simulate_result_t *result_p)
{
    mtree_simulation_t simulation;
    double seconds = 0.0;
    mtree_status_t status =
        mtree_simulation_open(topology, hosts, num_hosts, 0, false, options, &simulation);

    if (status != MTREE_OK) {
        return status;
    }
    status = run_programs(&simulation, baseline, &seconds);
    if (status == MTREE_OK) {
        status = mtree_simulation_result(&simulation, seconds, result_p);
    }
    mtree_simulation_close(&simulation);
    return status;
}
