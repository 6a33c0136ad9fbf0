/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/check_data.h"
#include "simulate/context.h"

#include <stdlib.h>

typedef uint32_t *buffers_t[MTREE_BUFFER_LAST];

/* Is the input of a rank its own block alone? */
static bool holds_block(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->input == MTREE_PART_BLOCK;
}

static void free_buffers(buffers_t *buffers, int num_ranks)
{
    int r, b;

    for (r = 0; buffers != NULL && r < num_ranks; r++) {
        for (b = 0; b < MTREE_BUFFER_LAST; b++) {
            free(buffers[r][b]);
        }
    }
    free(buffers);
}

/* The buffers that the programs ask for, the inputs filled. */
static mtree_status_t make_buffers(const mtree_check_data_t *data,
                                   const mtree_program_t *programs, buffers_t **buffers_p)
{
    buffers_t *buffers = calloc((size_t)data->num_ranks, sizeof(buffers_t));
    size_t i, shift;
    int r, b;

    if (buffers == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r < data->num_ranks; r++) {
        for (b = 0; b < MTREE_BUFFER_LAST; b++) {
            buffers[r][b] = calloc(programs[r].lengths[b] + 1, sizeof(uint32_t));
            if (buffers[r][b] == NULL) {
                free_buffers(buffers, data->num_ranks);
                return MTREE_ERR_NO_MEMORY;
            }
        }
        shift = holds_block(data->collective) ? data->blocks[r] : 0;
        for (i = 0; i < programs[r].lengths[MTREE_BUFFER_INPUT]; i++) {
            buffers[r][MTREE_BUFFER_INPUT][i] = mtree_check_data_value(r, shift + i);
        }
    }
    *buffers_p = buffers;
    return MTREE_OK;
}

/* Run the programs with real data. */
static mtree_status_t run_checked(const mtree_simulation_t *simulation,
                                  const mtree_baseline_t *baseline,
                                  const mtree_baseline_call_t *call,
                                  const mtree_program_t *programs, double *seconds_p)
{
    buffers_t *buffers = NULL;
    mtree_check_data_t data;
    mtree_status_t status;
    int r;

    status = mtree_check_data_init(&data, baseline->collective, call->num_ranks,
                                   call->root, call->count);
    if (status != MTREE_OK) {
        return status;
    }
    status = make_buffers(&data, programs, &buffers);
    if (status == MTREE_OK) {
        status = mtree_programs_run(simulation->queue, simulation->pt2pt, programs,
                                    call->num_ranks, buffers,
                                    mtree_simulation_fold_seconds(simulation),
                                    simulation->options->arrivals, seconds_p);
    }
    /* One rank alone has its result in its input and no program. */
    for (r = 0; r < call->num_ranks && call->num_ranks > 1 && status == MTREE_OK; r++) {
        status = mtree_check_data_check(&data, baseline->name, r,
                                        buffers[r][MTREE_BUFFER_RESULT]);
    }
    free_buffers(buffers, call->num_ranks);
    mtree_check_data_clear(&data);
    return status;
}

static mtree_status_t run_programs(const mtree_simulation_t *simulation,
                                   const mtree_baseline_t *baseline, double *seconds_p)
{
    const size_t ranks = (size_t)simulation->num_ranks;
    mtree_baseline_call_t call = {.num_ranks = simulation->num_ranks,
                                  .root = simulation->root,
                                  .count = simulation->count,
                                  .segment = simulation->options->segment_bytes /
                                             sizeof(uint32_t),
                                  .element_bytes = sizeof(uint32_t)};
    mtree_program_t *programs = NULL;
    mtree_status_t status;

    if (holds_block(baseline->collective)) {
        call.count = (call.count + ranks - 1) / ranks * ranks;
    }
    status = mtree_baseline_build(baseline, &call, &programs);
    if (status != MTREE_OK) {
        return status;
    }
    if (simulation->options->check) {
        status = run_checked(simulation, baseline, &call, programs, seconds_p);
    } else {
        status = mtree_programs_run(simulation->queue, simulation->pt2pt, programs,
                                    simulation->num_ranks, NULL,
                                    mtree_simulation_fold_seconds(simulation),
                                    simulation->options->arrivals, seconds_p);
    }
    mtree_baseline_destroy(programs, simulation->num_ranks);
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
        mtree_simulation_open(topology, hosts, num_hosts, options, &simulation);

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
