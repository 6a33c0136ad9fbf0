/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "simulate/check_data.h"
#include "simulate/context.h"

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

static mtree_status_t run_programs(const mtree_simulation_t *simulation,
                                   const mtree_baseline_t *baseline, double *seconds_p)
{
    const mtree_simulate_options_t *options = simulation->options;
    const size_t ranks = (size_t)simulation->num_ranks;
    mtree_baseline_call_t call = {.num_ranks = simulation->num_ranks,
                                  .root = simulation->root,
                                  .count = simulation->count,
                                  .segment = options->segment_bytes / sizeof(uint32_t),
                                  .element_bytes = sizeof(uint32_t)};
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
        status = mtree_programs_run(
            simulation->queue, simulation->pt2pt, programs, call.num_ranks, buffers,
            mtree_simulation_fold_seconds(simulation), options->arrivals,
            checks ? 0 : options->most_messages, seconds_p);
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
