/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/container_of.h"
#include "base/log.h"
#include "schedule/arrival/arrival.h"
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "simulate/check_data.h"
#include "simulate/context.h"
#include "simulate/control_transport.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct run run_t;

/* One rank in the engine. */
typedef struct {
    run_t *run;
    int number;
    uint32_t *input, *output;
    mtree_event_queue_event_t coming;
    mtree_layout_t *layout;
    mtree_operation_t *operation;
} player_t;

struct run {
    const mtree_plan_t *plan;
    mtree_simulation_t job;
    mtree_check_data_t sample;
    mtree_placement_t *placement;
    mtree_call_t call;
    mtree_control_transport_t *control_transport; /* where the plan is by arrival */
    player_t *players;
    void *nowhere; /* stands for all vectors when no data is carried */
    size_t nowhere_bytes;
    int num_streams;
    int *stream_tree; /* [num_streams] the plan's tree that the engine's stream stands for
                       */
    double *tree_seconds;
    double *left; /* [ranks] */
    double seconds;
};

/* A chunk arrived: its tag says in which stream. */
static void received(void *arg, int tag)
{
    run_t *run = arg;
    const int stream = tag / MTREE_STREAM_TAGS;

    if (stream < run->num_streams && tag % MTREE_STREAM_TAGS != MTREE_TAG_CREDIT) {
        run->tree_seconds[run->stream_tree[stream]] =
            mtree_event_queue_now(run->job.clock);
    }
}

static void fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    player_t *player = arg;
    const uint32_t *x = a, *y = b;
    const run_t *run = player->run;
    uint32_t *sum = out;
    size_t i;

    mtree_pt2pt_compute(run->job.pt2pt, player->number,
                        (double)count * mtree_simulation_fold_seconds(&run->job));
    for (i = 0; i < count && run->job.options->check; i++) {
        sum[i] = x[i] + y[i];
    }
}

static void ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    player_t *player = arg;
    run_t *run = player->run;
    double now = mtree_pt2pt_free_at(run->job.pt2pt, player->number);

    (void)operation;
    if (status != MTREE_OK) {
        mtree_event_queue_fail(run->job.clock, status);
    }
    run->left[player->number] = now;
    run->seconds = now > run->seconds ? now : run->seconds;
}

/*
 * The engine numbers its streams tree by tree, and where every rank has a block, block by
 * block; of trees that belong to one root only those of the block's host serve it.
 */
static mtree_status_t map_streams(run_t *run, mtree_collective_t collective)
{
    const mtree_plan_t *plan = run->plan;
    const bool blocks = mtree_collective_has_blocks(collective);
    const bool own_trees = mtree_collective_has_blocks(plan->collective);
    const int sources = blocks ? run->job.num_ranks : 1;
    int source, t;

    run->stream_tree = calloc((size_t)sources * (size_t)plan->num_trees, sizeof(int));
    run->tree_seconds = calloc((size_t)plan->num_trees + 1, sizeof(double));
    if (run->stream_tree == NULL || run->tree_seconds == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (source = 0; source < sources; source++) {
        for (t = 0; t < plan->num_trees; t++) {
            if (!own_trees || plan->trees[t].root == run->placement->host[source]) {
                run->stream_tree[run->num_streams++] = t;
            }
        }
    }
    return MTREE_OK;
}

static mtree_status_t place(run_t *run, int num_hosts)
{
    const int num_ranks = run->job.num_ranks;
    int *host = calloc((size_t)num_ranks, sizeof(int));
    mtree_status_t status;
    int r;

    if (host == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r < num_ranks; r++) {
        host[r] = r / run->job.options->ranks_per_host;
    }
    status = mtree_placement_create(num_ranks, num_hosts, host, NULL, &run->placement);
    free(host);
    return status;
}

/* Without data the engine still computes addresses, so all vectors are one stretch of
 * addresses to which nothing is written. */
static mtree_status_t make_vectors(run_t *run)
{
    const size_t count = run->job.count;
    player_t *player;
    size_t i;

    if (!run->job.options->check) {
        run->nowhere_bytes = count * sizeof(uint32_t);
        run->nowhere = mmap(NULL, run->nowhere_bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (run->nowhere == MAP_FAILED) {
            run->nowhere = NULL;
            return MTREE_ERR_NO_MEMORY;
        }
    }
    for (player = run->players; player < run->players + run->job.num_ranks; player++) {
        if (run->nowhere != NULL) {
            player->input = run->nowhere;
            player->output = run->nowhere;
            continue;
        }
        player->input = calloc(count, sizeof(uint32_t));
        player->output = calloc(count, sizeof(uint32_t));
        if (player->input == NULL || player->output == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
        for (i = 0; i < count; i++) {
            player->input[i] = mtree_check_data_value(player->number, i);
        }
    }
    return MTREE_OK;
}

/* Where data only goes down the trees, a rank starts with its contribution in its result.
 */
static void seed_output(const run_t *run, const player_t *player)
{
    size_t begin, end;

    if (mtree_collective_reduces(run->sample.collective) || !run->job.options->check) {
        return;
    }
    mtree_check_data_input(&run->sample, player->number, &begin, &end);
    if (end > begin) {
        memcpy(player->output + begin, player->input + begin,
               (end - begin) * sizeof(uint32_t));
    }
}

static mtree_status_t start_static(run_t *run, player_t *player,
                                   const mtree_operation_data_t *data)
{
    mtree_status_t status = mtree_layout_create(run->plan, run->placement, &run->call,
                                                player->number, &player->layout);

    if (status == MTREE_ERR_UNSUPPORTED || status == MTREE_ERR_INVALID) {
        mtree_error("simulator: a plan for %s from host %d cannot serve %s from host %d; "
                    "plan for it",
                    mtree_collective_name(run->plan->collective), run->plan->root,
                    mtree_collective_name(run->call.collective), run->job.options->root);
    }
    if (status != MTREE_OK) {
        return status;
    }
    return mtree_operation_start(player->layout,
                                 mtree_pt2pt_transport(run->job.pt2pt, player->number),
                                 data, ended, player, &player->operation);
}

/* Room for the whole message, as a rank has by default. */
static mtree_status_t start_by_arrival(run_t *run, player_t *player,
                                       const mtree_operation_data_t *data)
{
    const mtree_arrival_t arrival = {
        .plan = run->plan,
        .placement = run->placement,
        .call = &run->call,
        .rank = player->number,
        .transport = mtree_pt2pt_transport(run->job.pt2pt, player->number),
        .control = mtree_control_transport_of(run->control_transport, player->number),
        .room = run->call.units * run->call.unit_bytes};

    return mtree_arrival_start(&arrival, data, ended, NULL, player, &player->operation);
}

static mtree_status_t start(run_t *run, player_t *player)
{
    const mtree_operation_data_t data = {.input = player->input,
                                         .output = player->output,
                                         .extent = sizeof(uint32_t),
                                         .span = sizeof(uint32_t),
                                         .fold = fold,
                                         .arg = player};

    seed_output(run, player);
    return run->control_transport != NULL ? start_by_arrival(run, player, &data)
                                          : start_static(run, player, &data);
}

static void come(mtree_event_queue_event_t *event)
{
    player_t *player = MTREE_CONTAINER_OF(event, player_t, coming);
    mtree_status_t status = start(player->run, player);

    if (status != MTREE_OK) {
        mtree_event_queue_fail(player->run->job.clock, status);
    }
}

/* All ranks, at once or each at its time. */
static mtree_status_t start_all(run_t *run)
{
    const double *arrivals = run->job.options->arrivals;
    mtree_status_t status = MTREE_OK;

    for (int r = 0; r < run->job.num_ranks && status == MTREE_OK; r++) {
        player_t *player = &run->players[r];

        if (arrivals == NULL) {
            status = start(run, player);
        } else {
            player->coming.func = come;
            mtree_event_queue_add(run->job.clock, &player->coming, arrivals[r]);
        }
    }
    return status;
}

static mtree_status_t check_ended(const run_t *run)
{
    mtree_status_t status = MTREE_OK;
    int r;

    for (r = 0; r < run->job.num_ranks && status == MTREE_OK; r++) {
        if (!mtree_operation_done(run->players[r].operation, &status)) {
            mtree_error(
                "simulator: rank %d of %d waits for ever; the plan or the schedule "
                "is wrong",
                r, run->job.num_ranks);
            return MTREE_ERR_TRANSPORT;
        }
        if (status == MTREE_OK && run->job.options->check) {
            status = mtree_check_data_check(&run->sample, run->plan->algorithm, r,
                                            run->players[r].output);
        }
    }
    return status;
}

static mtree_status_t play(run_t *run, mtree_collective_t collective, int num_hosts)
{
    const int num_ranks = run->job.num_ranks;
    mtree_status_t status;
    int r;

    run->call = (mtree_call_t){.collective = collective,
                               .root = run->job.root,
                               .units = run->job.count,
                               .unit_bytes = sizeof(uint32_t),
                               .chunk_bytes = run->job.options->chunk_bytes};
    run->players = calloc((size_t)num_ranks, sizeof(player_t));
    run->left = calloc((size_t)num_ranks, sizeof(double));
    if (run->players == NULL || run->left == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r < num_ranks; r++) {
        run->players[r].run = run;
        run->players[r].number = r;
    }
    status = mtree_check_data_init(&run->sample, collective, num_ranks, run->job.root,
                                   run->job.count);
    run->call.blocks = run->sample.blocks;
    if (status == MTREE_OK) {
        status = place(run, num_hosts);
    }
    if (status == MTREE_OK) {
        status = map_streams(run, collective);
    }
    if (status == MTREE_OK) {
        status = make_vectors(run);
    }
    if (status == MTREE_OK && mtree_plan_is_by_arrival(run->plan) &&
        mtree_arrival_serves(collective)) {
        status = mtree_control_transport_create(
            run->job.pt2pt, num_ranks, sizeof(uint32_t), &run->control_transport);
    }
    if (status == MTREE_OK) {
        status = start_all(run);
    }
    if (status == MTREE_OK) {
        status = mtree_event_queue_run(run->job.clock);
    }
    return status == MTREE_OK ? check_ended(run) : status;
}

static void clear(run_t *run)
{
    player_t *player;

    /* What failed half-way has sends and receives under way; their ends free the
     * operations. */
    mtree_pt2pt_abort(run->job.pt2pt);
    for (player = run->players;
         run->players != NULL && player < run->players + run->job.num_ranks; player++) {
        mtree_event_queue_remove(run->job.clock, &player->coming);
        mtree_operation_free(player->operation);
        mtree_layout_destroy(player->layout);
        if (run->nowhere == NULL) {
            free(player->input);
            free(player->output);
        }
    }
    if (run->nowhere != NULL) {
        munmap(run->nowhere, run->nowhere_bytes);
    }
    mtree_control_transport_destroy(run->control_transport);
    free(run->players);
    free(run->stream_tree);
    free(run->tree_seconds);
    free(run->left);
    mtree_placement_destroy(run->placement);
    mtree_check_data_clear(&run->sample);
    mtree_simulation_close(&run->job);
}

mtree_status_t mtree_simulate_plan(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_t *plan,
                                   mtree_collective_t collective,
                                   const mtree_simulate_options_t *options,
                                   mtree_simulate_result_t *result_p)
{
    mtree_simulate_result_t result;
    run_t run = {.plan = plan};
    mtree_status_t status = mtree_collective_check(collective);

    if (status != MTREE_OK) {
        return status;
    }
    if (plan->num_hosts != num_hosts) {
        mtree_error(
            "simulator: the plan is for %d hosts, the job runs on %d; plan for these",
            plan->num_hosts, num_hosts);
        return MTREE_ERR_INVALID;
    }
    status = mtree_simulation_open(topology, hosts, num_hosts, options, received, &run,
                                   &run.job);
    if (status != MTREE_OK) {
        return status;
    }
    status = play(&run, collective, num_hosts);
    if (status == MTREE_OK) {
        status = mtree_simulation_result(&run.job, run.seconds, &result);
    }
    if (status == MTREE_OK) {
        result.num_trees = plan->num_trees;
        result.tree_seconds = run.tree_seconds;
        run.tree_seconds = NULL;
        result.left = run.left;
        run.left = NULL;
        if (plan->bound > 0.0 && run.seconds > 0.0) {
            result.share_of_bound =
                8.0 * (double)options->bytes / plan->bound / run.seconds;
        }
        *result_p = result;
    }
    clear(&run);
    return status;
}
