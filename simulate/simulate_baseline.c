/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/context.h"

static mtree_status_t start(mtree_simulated_rank_t *rank, mtree_operation_data_t *data)
{
    mtree_simulated_start(rank, &((mtree_program_t *)rank->arg)[rank->number], data);
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

/* Elements of a call of @a simulation as baselines count them. */
static size_t count_elements(const mtree_simulation_t *simulation)
{
    const size_t ranks = (size_t)simulation->num_ranks;
    const mtree_collective_t collective = simulation->collective;

    return mtree_collective_is_personalized(collective) ||
                   mtree_collective_traits(collective)->input == MTREE_PART_BLOCK
               ? (simulation->count + ranks - 1) / ranks * ranks
               : simulation->count;
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
    mtree_status_t status = mtree_simulation_open(
        topology, hosts, num_hosts, 0, false, baseline->collective, options, &simulation);

    if (status != MTREE_OK) {
        return status;
    }
    call.num_ranks = simulation.num_ranks;
    call.root = simulation.root;
    call.count = count_elements(&simulation);
    status = mtree_baseline_build(baseline, &call, &programs);
    if (status == MTREE_OK) {
        const size_t all = count_messages(programs, call.num_ranks);
        const size_t most = options->most_messages;

        mtree_pt2pt_limit(simulation.pt2pt, all > most ? most : 0, all);
        status = mtree_simulation_run(&simulation, start, programs, result_p);
    }
    mtree_simulation_close(&simulation);
    mtree_baseline_destroy(programs, call.num_ranks);
    return status;
}
