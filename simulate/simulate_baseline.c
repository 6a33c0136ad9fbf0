/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/context.h"

/* Is the input of a rank its own block alone? */
static bool holds_block(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->input == MTREE_PART_BLOCK;
}

static mtree_status_t start(mtree_simulated_rank_t *rank)
{
    const mtree_program_t *program = &((mtree_program_t *)rank->arg)[rank->number];
    const mtree_operation_data_t data = mtree_simulated_data(rank);

    mtree_simulated_start(rank, program, &data);
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

/* Run @a programs, one per rank, until all have ended. */
static mtree_status_t run_all(mtree_simulation_t *simulation, mtree_program_t *programs,
                              double *seconds_p)
{
    const size_t most = simulation->options->most_messages;
    const size_t all = count_messages(programs, simulation->num_ranks);
    mtree_status_t status;

    mtree_simulation_begin(simulation, start, programs);
    mtree_pt2pt_limit(simulation->pt2pt, all > most ? most : 0);
    status = mtree_simulation_run(simulation, seconds_p);
    return status != MTREE_OK && mtree_pt2pt_is_cut(simulation->pt2pt, all, seconds_p)
               ? MTREE_OK
               : status;
}

mtree_status_t mtree_simulate_baseline(const mtree_topology_t *topology, const int *hosts,
                                       int num_hosts, const mtree_baseline_t *baseline,
                                       const mtree_simulate_options_t *options,
                                       mtree_simulate_result_t *result_p)
{
    mtree_simulation_t simulation;
    mtree_program_t *programs = NULL;
    mtree_baseline_call_t call = {.segment = options->segment_bytes / sizeof(uint32_t),
                                  .without_copies = true,
                                  .element_bytes = sizeof(uint32_t),
                                  .openmpi = options->openmpi};
    double seconds = 0.0;
    mtree_status_t status = mtree_simulation_open(
        topology, hosts, num_hosts, 0, false, baseline->collective, options, &simulation);

    if (status != MTREE_OK) {
        return status;
    }
    call.num_ranks = simulation.num_ranks;
    call.root = simulation.root;
    if (holds_block(baseline->collective) ||
        mtree_collective_is_personalized(baseline->collective)) {
        const size_t ranks = (size_t)simulation.num_ranks;

        simulation.count = (simulation.count + ranks - 1) / ranks * ranks;
    }
    call.count = simulation.count;
    status = mtree_baseline_build(baseline, &call, &programs);
    if (status == MTREE_OK) {
        status = run_all(&simulation, programs, &seconds);
    }
    if (status == MTREE_OK) {
        *result_p = mtree_simulation_result(&simulation, seconds);
    }
    mtree_simulation_close(&simulation);
    mtree_baseline_destroy(programs, call.num_ranks);
    return status;
}
