/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "base/memory.h"
#include "planner/plan/streams.h"
#include "planner/relays/relays.h"
#include "schedule/arrival/arrival.h"
#include "schedule/operation.h"
#include "schedule/program/run.h"
#include "simulate/context.h"
#include "tcp/width.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const mtree_plan_t *plan;
    mtree_plan_cut_t *cut;
    mtree_plan_part_t *part; /* of the host whose ranks are started */
    mtree_simulation_t simulation;
    mtree_placement_t *placement;
    mtree_call_t call;
    bool is_by_arrival;
    double *tree_seconds;
} run_t;

static mtree_status_t create_placement(run_t *run)
{
    mtree_simulation_t *simulation = &run->simulation;
    int *host;

    MTREE_ARENA_ARRAY(&simulation->arena, host, (size_t)simulation->num_ranks);
    for (int r = 0; r < simulation->num_ranks; r++) {
        host[r] = r / simulation->options->ranks_per_host;
    }
    return mtree_placement_create_relayed(simulation->num_ranks, run->plan->num_hosts,
                                          run->plan->num_relays, host, NULL,
                                          &run->placement);
}

/* The first element of each rank's block; lengths differ by one at most, the longer ones
 * first. */
static void make_blocks(run_t *run)
{
    mtree_simulation_t *simulation = &run->simulation;
    const size_t ranks = (size_t)simulation->num_ranks;
    const size_t each = simulation->count / ranks, longer = simulation->count % ranks;
    size_t *blocks = MTREE_ARENA_ARRAY(&simulation->arena, blocks, ranks + 1);

    for (size_t r = 0; r <= ranks; r++) {
        blocks[r] = r * each + (r < longer ? r : longer);
    }
    run->call.blocks = blocks;
}

/* The part of the plan for the host of @a rank. */
static const mtree_plan_part_t *cut_part(run_t *run, const mtree_simulated_rank_t *rank)
{
    int host = run->placement->host[rank->number];

    if (run->part == NULL || run->part->host != host) {
        mtree_plan_part_destroy(run->part);
        run->part = mtree_plan_cut_part(run->cut, host);
    }
    return run->part;
}

/* What the rank does. */
static mtree_status_t lay_out(run_t *run, mtree_simulated_rank_t *rank)
{
    mtree_status_t status = mtree_layout_create(cut_part(run, rank), run->placement,
                                                &run->call, rank->number, &rank->layout);

    if (status == MTREE_ERR_UNSUPPORTED || status == MTREE_ERR_INVALID) {
        mtree_error("simulator: a plan for %s from host %d cannot serve %s from host %d; "
                    "plan for it",
                    mtree_collective_name(run->plan->collective), run->plan->root,
                    mtree_collective_name(run->call.collective),
                    run->simulation.options->root);
    }
    return status;
}

/* As the kernel does it with connections of mtree's own. */
static void pace(run_t *run, const mtree_simulated_rank_t *rank)
{
    for (int p = 0; p < rank->layout->num_peers; p++) {
        const mtree_peer_t *peer = &rank->layout->peers[p];

        if (peer->trip >= MTREE_TCP_LONG_TRIP) {
            mtree_pt2pt_pace(run->simulation.pt2pt, rank->number, peer->rank,
                             MTREE_TCP_PACE * peer->rate);
        }
    }
}

static mtree_status_t start_static(run_t *run, mtree_simulated_rank_t *rank,
                                   const mtree_operation_data_t *data)
{
    mtree_status_t status = lay_out(run, rank);

    if (status != MTREE_OK) {
        return status;
    }
    if (rank->layout->program != NULL) {
        mtree_simulated_start(rank, rank->layout->program, data);
        return MTREE_OK;
    }
    pace(run, rank);
    mtree_operation_start(rank->layout,
                          mtree_pt2pt_transport(run->simulation.pt2pt, rank->number),
                          data, mtree_simulated_ended, rank, &rank->operation);
    return MTREE_OK;
}

/* With memory for the whole message, as a rank has by default. */
static void start_by_arrival(run_t *run, mtree_simulated_rank_t *rank,
                             const mtree_operation_data_t *data)
{
    const mtree_arrival_t arrival = {
        .plan = run->plan,
        .placement = run->placement,
        .call = &run->call,
        .rank = rank->number,
        .transport = mtree_pt2pt_transport(run->simulation.pt2pt, rank->number),
        .control = mtree_pt2pt_control(run->simulation.pt2pt, rank->number),
        .window_bytes = run->call.units * run->call.unit_bytes};

    mtree_arrival_start(&arrival, data, mtree_simulated_ended, NULL, rank,
                        &rank->operation);
}

static mtree_status_t start(mtree_simulated_rank_t *rank, mtree_operation_data_t *data)
{
    run_t *run = rank->arg;

    data->tree_ends = run->tree_seconds;
    if (!run->is_by_arrival) {
        return start_static(run, rank, data);
    }
    start_by_arrival(run, rank, data);
    return MTREE_OK;
}

static mtree_status_t run_ranks(run_t *run, mtree_collective_t collective,
                                mtree_simulate_result_t *result_p)
{
    mtree_status_t status;

    run->call = (mtree_call_t){.collective = collective,
                               .root = run->simulation.root,
                               .units = run->simulation.count,
                               .unit_bytes = sizeof(uint32_t),
                               .chunk_bytes = run->simulation.options->chunk_bytes,
                               .recovery = mtree_network_loses(run->simulation.network)
                                               ? MTREE_CALL_RECOVERY
                                               : 0.0};
    run->tree_seconds = mtree_calloc((size_t)run->plan->num_trees + 1, sizeof(double));
    run->is_by_arrival =
        mtree_plan_is_by_arrival(run->plan) && mtree_arrival_serves(collective);
    run->cut = mtree_plan_cut_create(run->plan);
    make_blocks(run);
    status = create_placement(run);
    return status == MTREE_OK
               ? mtree_simulation_run(&run->simulation, start, run, result_p)
               : status;
}

static void clear(run_t *run)
{
    mtree_simulation_close(&run->simulation);
    free(run->tree_seconds);
    mtree_plan_part_destroy(run->part);
    mtree_plan_cut_destroy(run->cut);
    mtree_placement_destroy(run->placement);
}

/* A network of the plan's hosts, with its relays behind the @a hosts. */
static mtree_status_t open_simulation(run_t *run, const mtree_topology_t *topology,
                                      const int *hosts, mtree_collective_t collective,
                                      const mtree_simulate_options_t *options)
{
    const mtree_plan_t *plan = run->plan;
    int active = mtree_plan_num_active(plan);
    int *all = mtree_malloc((size_t)plan->num_hosts * sizeof(*all));
    mtree_status_t status;

    memcpy(all, hosts, (size_t)active * sizeof(*all));
    status = mtree_relays_find(plan, topology, all + active);
    if (status == MTREE_OK) {
        status = mtree_simulation_open(topology, all, plan->num_hosts, plan->num_relays,
                                       mtree_plan_streams(plan), collective, options,
                                       &run->simulation);
    }
    free(all);
    return status;
}

mtree_status_t mtree_simulate_plan(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_t *plan,
                                   mtree_collective_t collective,
                                   const mtree_simulate_options_t *options,
                                   mtree_simulate_result_t *result_p)
{
    run_t run = {.plan = plan};
    mtree_status_t status = mtree_collective_check(collective);

    if (status != MTREE_OK) {
        return status;
    }
    if (mtree_plan_num_active(plan) != num_hosts) {
        mtree_error(
            "simulator: the plan is for %d hosts, the job runs on %d; plan for these",
            mtree_plan_num_active(plan), num_hosts);
        return MTREE_ERR_INVALID;
    }
    status = open_simulation(&run, topology, hosts, collective, options);
    if (status != MTREE_OK) {
        return status;
    }
    status = run_ranks(&run, collective, result_p);
    if (status == MTREE_OK) {
        result_p->num_trees = plan->num_trees;
        result_p->tree_seconds = run.tree_seconds;
        run.tree_seconds = NULL;
    }
    clear(&run);
    return status;
}
