/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "simulate/check_data.h"
#include "simulate/context.h"

/* Is the input of a rank its own block alone? */
static bool holds_block(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->input == MTREE_PART_BLOCK;
}

/* Give @a rank what its program asks for with real data, the input filled. */
static void make_buffers(mtree_arena_t *arena, const mtree_check_data_t *data,
                         const mtree_program_t *program, int number,
                         mtree_simulated_rank_t *rank)
{
    const size_t shift = holds_block(data->collective) ? data->blocks[number] : 0;

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        MTREE_ARENA_ARRAY(arena, rank->buffers[b], program->lengths[b]);
    }
    for (size_t i = 0;
         arena->status == MTREE_OK && i < program->lengths[MTREE_BUFFER_INPUT]; i++) {
        rank->buffers[MTREE_BUFFER_INPUT][i] = mtree_check_data_value(number, shift + i);
    }
}

static mtree_status_t start(mtree_simulated_rank_t *rank)
{
    const mtree_program_t *programs = rank->arg;
    const mtree_operation_data_t data = {.extent = sizeof(uint32_t),
                                         .fold = mtree_simulated_fold,
                                         .copy = mtree_simulated_copy,
                                         .arg = rank};

    return mtree_simulated_start(rank, &programs[rank->number], &data);
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

/* Run @a programs, one per rank, until all have ended.  With @a data (NULL: none is
 * carried) check what @a name, the algorithm, gives. */
static mtree_status_t run_all(const mtree_simulation_t *simulation,
                              mtree_program_t *programs, const mtree_check_data_t *data,
                              const char *name, double *seconds_p)
{
    const size_t most = data == NULL ? simulation->options->most_messages : 0;
    const size_t all = count_messages(programs, simulation->num_ranks);
    const int num_ranks = simulation->num_ranks;
    mtree_arena_t arena = {0};
    mtree_simulated_rank_t *ranks;
    mtree_status_t status;

    mtree_pt2pt_limit(simulation->pt2pt, all > most ? most : 0);
    MTREE_ARENA_ARRAY(&arena, ranks, (size_t)num_ranks);
    for (int r = 0; r < num_ranks && ranks != NULL; r++) {
        ranks[r].start = start;
        ranks[r].arg = programs;
        if (data != NULL) {
            make_buffers(&arena, data, &programs[r], r, &ranks[r]);
        }
    }
    status = arena.status == MTREE_OK
                 ? mtree_simulated_run(simulation, ranks, num_ranks, seconds_p)
                 : arena.status;
    if (status != MTREE_OK && mtree_pt2pt_is_cut(simulation->pt2pt, all, seconds_p)) {
        status = MTREE_OK;
    }
    for (int r = 0; r < num_ranks && data != NULL && status == MTREE_OK; r++) {
        status =
            mtree_check_data_check(data, name, r, ranks[r].buffers[MTREE_BUFFER_RESULT]);
    }
    mtree_simulated_clear(simulation, ranks, ranks == NULL ? 0 : num_ranks);
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
    if (status == MTREE_OK) {
        status = run_all(simulation, programs, checks ? &data : NULL, baseline->name,
                         seconds_p);
    }
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
