/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

#include "base/memory.h"
#include "schedule/chunks.h"

#include <math.h>
#include <stdlib.h>

/* Chunks of the shortest window of a receiver of sums. */
#define LEAST_WINDOW 8

bool mtree_arrival_serves(mtree_collective_t collective)
{
    return mtree_collective_traits(collective) != NULL &&
           !mtree_collective_has_blocks(collective) &&
           !mtree_collective_is_personalized(collective);
}

static void run_released(void *arg)
{
    mtree_arrival_run_t *run = arg;
    void (*released)(void *) = run->released;

    arg = run->arg;
    if (run->copied_bytes > 0) {
        atomic_fetch_add(run->arrival.copy_budget, run->copied_bytes);
    }
    mtree_arena_cleanup(&run->arena);
    free(run);
    if (released != NULL) {
        released(arg);
    }
}

/* The controller's progress function.  After a failure nothing is decided. */
static void run_progress(mtree_operation_t *operation, void *arg)
{
    mtree_arrival_run_t *run = arg;

    if (mtree_operation_has_failed(operation)) {
        mtree_arrival_end_peers(operation);
    } else if (run->operation == NULL) {
        run->operation = operation;
        mtree_arrival_begin(run);
    }
    if (!mtree_operation_has_failed(operation)) {
        mtree_arrival_decide(run);
    }
}

static int find_coordinator(const mtree_arrival_t *arrival)
{
    if (mtree_collective_has_root(arrival->call->collective)) {
        return arrival->call->root;
    }
    return mtree_placement_leader(arrival->placement, arrival->plan->trees[0].root, 0);
}

/* Every rank may become a peer. */
static void run_fill_peers(mtree_arrival_run_t *run, size_t chunk)
{
    const mtree_placement_t *placement = run->arrival.placement;
    const mtree_plan_t *plan = run->arrival.plan;
    int here = placement->host[run->arrival.rank];

    for (int rank = 0; rank < placement->num_ranks; rank++) {
        mtree_plan_route_t route = {0, 0, 0};
        size_t window;

        if (rank == run->arrival.rank) {
            continue;
        }
        if (plan->routes != NULL) {
            route = plan->routes[here * plan->num_hosts + placement->host[rank]];
        }
        window = mtree_chunk_window(route.rate, 2 * route.latency, chunk);
        run->layout.peers[run->layout.num_peers++] = (mtree_peer_t){
            .rank = rank, .window = window, .initial_window = window, .rate = route.rate};
    }
}

/* The one stream, whose neighbours are not known yet. */
static void run_fill_layout(mtree_arrival_run_t *run)
{
    const mtree_call_t *call = run->arrival.call;
    size_t bytes = call->units * call->unit_bytes;
    size_t chunk = call->chunk_bytes;
    size_t room;

    if (chunk == 0) {
        chunk = run->arrival.plan->trees[0].chunk_bytes;
    }
    if (chunk == 0) {
        chunk = mtree_chunk_default(bytes, bytes);
    }
    chunk = mtree_chunk_units(call, chunk);
    room = run->arrival.window_bytes / (chunk * call->unit_bytes);
    run->stream = (mtree_stream_t){
        .parent = run->arrival.rank == run->coordinator ? -1 : run->coordinator,
        .length = call->units,
        .chunk = chunk,
        .stride = chunk,
        .window = room > LEAST_WINDOW ? room : LEAST_WINDOW,
        .up = mtree_collective_goes_up(call->collective),
        .down = mtree_collective_goes_down(call->collective),
        .open = true,
        .block = -1};
    run->has_directory = run->stream.down && bytes > MTREE_ARRIVAL_DIRECT_BYTES;
    run->layout.num_streams = 1;
    run->layout.streams = &run->stream;
    run->layout.batch = 1;
    run->layout.max_lead = INFINITY;
    run->layout.paced = bytes > MTREE_LAYOUT_UNPACED_BYTES;
    run_fill_peers(run, chunk * call->unit_bytes);
}

static mtree_arrival_run_t *run_create(const mtree_arrival_t *arrival)
{
    mtree_arrival_run_t *run = mtree_calloc(1, sizeof(*run));

    run->arrival = *arrival;
    run->coordinator = find_coordinator(arrival);
    MTREE_ARENA_ARRAY(&run->arena, run->layout.peers,
                      (size_t)arrival->placement->num_ranks);
    run_fill_layout(run);
    return run;
}

void mtree_arrival_start(const mtree_arrival_t *arrival,
                         const mtree_operation_data_t *data, mtree_operation_func_t func,
                         void (*released)(void *), void *arg,
                         mtree_operation_t **operation_p)
{
    mtree_arrival_run_t *run = run_create(arrival);
    mtree_operation_data_t controlled = *data;

    run->released = released;
    run->arg = arg;
    controlled.controller =
        (mtree_operation_controller_t){run_progress, run_released, run};
    mtree_operation_start(&run->layout, arrival->transport, &controlled, func, arg,
                          operation_p);
}
