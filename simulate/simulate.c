/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/context.h"

#include "base/container_of.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds after which streams send again, beyond a round trip (tcp/socket.c). */
#define STREAM_TIMEOUT 0.05

void mtree_simulate_default_options(mtree_simulate_options_t *options)
{
    *options = (mtree_simulate_options_t){.ranks_per_host = 1,
                                          .eager_bytes = 65536,
                                          .control_bytes = 32,
                                          .overhead = -1.0,
                                          .fold_rate = 2e9};
    mtree_network_default_options(&options->network);
}

double mtree_simulate_planned_bytes(mtree_collective_t collective,
                                    const mtree_simulate_options_t *options,
                                    int num_hosts)
{
    const size_t ranks = (size_t)num_hosts * (size_t)options->ranks_per_host;
    const size_t units = (options->bytes - 1) / sizeof(uint32_t) + 1;
    double bytes = (double)options->bytes;

    if (mtree_collective_has_block_per_host(collective) ||
        mtree_collective_is_personalized(collective)) {
        bytes = fmin(bytes, (double)(units / ranks * ranks * sizeof(uint32_t)));
    }
    return bytes *
           (mtree_collective_is_transposed(collective) ? options->ranks_per_host : 1);
}

static mtree_message_cost_t find_cost(const mtree_topology_t *topology,
                                      const mtree_simulate_options_t *options)
{
    mtree_message_cost_t cost = mtree_message_cost(&topology->cost);

    cost.message = options->overhead < 0.0 ? cost.message : options->overhead;
    return cost;
}

mtree_processor_costs_t mtree_simulate_costs(const mtree_topology_t *topology,
                                             const mtree_simulate_options_t *options)
{
    return (mtree_processor_costs_t){.overhead = find_cost(topology, options).message,
                                     .fold_rate = options->fold_rate,
                                     .ranks_per_host = options->ranks_per_host};
}

static mtree_status_t check_options(const mtree_simulate_options_t *options,
                                    int num_hosts, int num_relays)
{
    if (options->bytes == 0) {
        mtree_error("simulator: a message of 0 bytes; give its size");
        return MTREE_ERR_INVALID;
    }
    if (options->ranks_per_host < 1 ||
        options->ranks_per_host > (MTREE_PT2PT_MAX_RANKS - num_relays) / num_hosts) {
        mtree_error(
            "simulator: %d ranks per host on %d hosts; 1 to %d ranks in all can be "
            "simulated",
            options->ranks_per_host, num_hosts, MTREE_PT2PT_MAX_RANKS);
        return MTREE_ERR_LIMIT;
    }
    if (options->root < 0 || options->root >= num_hosts) {
        mtree_error(
            "simulator: root %d of %d hosts; give the root's number among the hosts",
            options->root, num_hosts);
        return MTREE_ERR_INVALID;
    }
    if (!(options->fold_rate >= 0.0)) {
        mtree_error("simulator: fold rate %g bytes/s; it may not be negative",
                    options->fold_rate);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

mtree_status_t mtree_simulation_open(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, int num_relays, bool streams,
                                     mtree_collective_t collective,
                                     const mtree_simulate_options_t *options,
                                     mtree_simulation_t *simulation_p)
{
    const int num_ranks = (num_hosts - num_relays) * options->ranks_per_host;
    const mtree_pt2pt_options_t pt2pt = {.num_ranks = num_ranks + num_relays,
                                         .ranks_per_host = options->ranks_per_host,
                                         .num_relays = num_relays,
                                         .streams = streams,
                                         .unit_bytes = sizeof(uint32_t),
                                         .eager_bytes = options->eager_bytes,
                                         .control_bytes = options->control_bytes,
                                         .cost = find_cost(topology, options)};
    mtree_network_options_t network = options->network;
    mtree_simulation_t simulation = {.options = options,
                                     .collective = collective,
                                     .num_arcs = 2 * topology->num_links,
                                     .num_ranks = num_ranks,
                                     .num_members = num_ranks + num_relays,
                                     .root = options->root * options->ranks_per_host,
                                     .count =
                                         (options->bytes - 1) / sizeof(uint32_t) + 1};
    mtree_status_t status = check_options(options, num_hosts - num_relays, num_relays);

    simulation.queue = mtree_event_queue_create();
    network.backs_off = !streams;
    network.timeout = streams ? STREAM_TIMEOUT : network.timeout;
    if (status == MTREE_OK) {
        status = mtree_network_create(simulation.queue, topology, hosts, num_hosts,
                                      &network, &simulation.network);
    }
    if (status == MTREE_OK) {
        simulation.pt2pt =
            mtree_pt2pt_create(simulation.queue, simulation.network, &pt2pt);
    }
    if (status != MTREE_OK) {
        mtree_simulation_close(&simulation);
        return status;
    }
    *simulation_p = simulation;
    return MTREE_OK;
}

void mtree_simulation_close(mtree_simulation_t *simulation)
{
    /* After a failure sends and receives are outstanding; ending them lets what runs be
     * freed. */
    mtree_pt2pt_destroy(simulation->pt2pt);
    for (int r = 0; simulation->ranks != NULL && r < simulation->num_members; r++) {
        mtree_simulated_rank_t *rank = &simulation->ranks[r];

        mtree_event_queue_remove(simulation->queue, &rank->arrival);
        mtree_operation_free(rank->operation);
        mtree_layout_destroy(rank->layout);
    }
    mtree_arena_cleanup(&simulation->arena);
    mtree_network_destroy(simulation->network);
    mtree_event_queue_destroy(simulation->queue);
}

static mtree_simulate_result_t make_result(const mtree_simulation_t *simulation,
                                           double seconds)
{
    mtree_simulate_result_t result = {
        .seconds = seconds,
        .messages = mtree_pt2pt_messages(simulation->pt2pt),
        .num_arcs = simulation->num_arcs,
        .busy = mtree_calloc((size_t)simulation->num_arcs + 1, sizeof(double)),
        .left = mtree_calloc((size_t)simulation->num_members, sizeof(double))};

    for (int arc = 0; arc < simulation->num_arcs && seconds > 0.0; arc++) {
        result.busy[arc] = mtree_network_busy(simulation->network, arc) / seconds;
    }
    for (int r = 0; r < simulation->num_members; r++) {
        result.left[r] = simulation->ranks[r].left;
    }
    return result;
}

static void fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const mtree_simulated_rank_t *rank = arg;
    const double rate = rank->simulation->options->fold_rate;

    (void)a, (void)b, (void)out;
    if (rate > 0.0) {
        mtree_pt2pt_compute(rank->simulation->pt2pt, rank->number,
                            (double)(count * sizeof(uint32_t)) / rate);
    }
}

static void copy(void *arg, const void *from, void *to, size_t count)
{
    (void)arg, (void)from, (void)to, (void)count;
}

static void pack(void *arg, int peer, size_t offset, void *bytes, size_t length)
{
    (void)arg, (void)peer, (void)offset, (void)bytes, (void)length;
}

static void unpack(void *arg, int peer, size_t offset, const void *bytes, size_t length)
{
    (void)arg, (void)peer, (void)offset, (void)bytes, (void)length;
}

void mtree_simulated_ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    mtree_simulated_rank_t *rank = arg;

    (void)operation;
    rank->has_ended = true;
    rank->left = mtree_pt2pt_free_at(rank->simulation->pt2pt, rank->number);
    if (status != MTREE_OK) {
        mtree_event_queue_fail(rank->simulation->queue, status);
    }
}

void mtree_simulated_start(mtree_simulated_rank_t *rank, const mtree_program_t *program,
                           const mtree_operation_data_t *data)
{
    static void *const nowhere[MTREE_BUFFER_LAST];

    mtree_program_start(
        program, mtree_pt2pt_transport(rank->simulation->pt2pt, rank->number), data,
        nowhere, NULL, mtree_simulated_ended, rank, &rank->operation);
}

static void arrive(mtree_timer_t *event)
{
    mtree_simulated_rank_t *rank =
        MTREE_CONTAINER_OF(event, mtree_simulated_rank_t, arrival);
    const bool has_blocks =
        mtree_collective_is_personalized(rank->simulation->collective);
    mtree_operation_data_t data = {.extent = sizeof(uint32_t),
                                   .span = sizeof(uint32_t),
                                   .fold = fold,
                                   .copy = copy,
                                   .pack = has_blocks ? pack : NULL,
                                   .unpack = has_blocks ? unpack : NULL,
                                   .arg = rank};
    mtree_status_t status = rank->start(rank, &data);

    if (status != MTREE_OK) {
        mtree_event_queue_fail(rank->simulation->queue, status);
    }
}

/* What @a rank, which has not ended, waits for. */
static mtree_status_t refuse_waiting(const mtree_simulated_rank_t *rank, int count)
{
    const mtree_step_t *step =
        rank->operation == NULL ? NULL : mtree_program_waits(rank->operation);

    if (step == NULL) {
        mtree_error("simulator: rank %d of %d waits for ever; the plan or the schedule "
                    "is wrong",
                    rank->number, count);
    } else {
        mtree_error("simulator: rank %d waits for ever to %s %zu elements %s rank %d; "
                    "the algorithm is wrong",
                    rank->number, step->kind == MTREE_STEP_SEND ? "send" : "receive",
                    step->count, step->kind == MTREE_STEP_SEND ? "to" : "from",
                    step->peer);
    }
    return MTREE_ERR_TRANSPORT;
}

static void make_ranks(mtree_simulation_t *simulation, mtree_simulated_start_t start,
                       void *arg)
{
    const double *arrivals = simulation->options->arrivals;

    MTREE_ARENA_ARRAY(&simulation->arena, simulation->ranks,
                      (size_t)simulation->num_members);
    for (int r = 0; r < simulation->num_members; r++) {
        mtree_simulated_rank_t *rank = &simulation->ranks[r];

        *rank = (mtree_simulated_rank_t){.simulation = simulation,
                                         .number = r,
                                         .start = start,
                                         .arg = arg,
                                         .arrival = {.func = arrive}};
        mtree_event_queue_add(
            simulation->queue, &rank->arrival,
            arrivals == NULL || r >= simulation->num_ranks ? 0.0 : arrivals[r]);
    }
}

mtree_status_t mtree_simulation_run(mtree_simulation_t *simulation,
                                    mtree_simulated_start_t start, void *arg,
                                    mtree_simulate_result_t *result_p)
{
    double seconds = 0.0;
    mtree_status_t status;

    make_ranks(simulation, start, arg);
    status = mtree_event_queue_run(simulation->queue);
    for (int r = 0; r < simulation->num_members && status == MTREE_OK; r++) {
        const mtree_simulated_rank_t *rank = &simulation->ranks[r];

        seconds = fmax(seconds, rank->left);
        status =
            rank->has_ended ? MTREE_OK : refuse_waiting(rank, simulation->num_members);
    }
    if (status == MTREE_OK || mtree_pt2pt_is_cut(simulation->pt2pt, &seconds)) {
        *result_p = make_result(simulation, seconds);
        return MTREE_OK;
    }
    return status;
}

void mtree_simulate_result_clear(mtree_simulate_result_t *result)
{
    free(result->busy);
    free(result->tree_seconds);
    free(result->left);
    *result = (mtree_simulate_result_t){0};
}
