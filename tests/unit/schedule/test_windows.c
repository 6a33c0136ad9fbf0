/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule's windows, credits, pace and lockstep, in every order in which the
 * network can tell small jobs that messages are there or gone, and their ranks can begin:
 * none ends in a deadlock, all end with the right sums.
 *
 * It is the code that runs in production that is tried, over the transport of chaos.h.
 * A state is where all ranks' operations stand and what the network may tell next; states
 * are told apart by their hashes, and from each one every choice is taken once.
 */
#include "schedule/operation_private.h"
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/job_shapes.h"
#include "tests/unit/schedule/snapshot.h"
#include "tests/unit/schedule/state_hash.h"
#include "tests/unit/whole_plan.h"

#define MAX_DEPTH 400

/* Enough for each of the jobs; a test that needs more is too large for this. */
#define MAX_STATES 1000000

/* The blocks of one rank in a personalized call. */
typedef struct {
    uint32_t *input, *output;
    char *send[JOB_MAX_RANKS], *recv[JOB_MAX_RANKS];
    size_t send_units[JOB_MAX_RANKS], recv_units[JOB_MAX_RANKS];
} sides_t;

/* What choices change; in memory that can be put back. */
typedef struct {
    mtree_operation_t *operation[JOB_MAX_RANKS]; /* NULL: not begun */
    uint32_t input[JOB_MAX_RANKS][JOB_MAX_UNITS], output[JOB_MAX_RANKS][JOB_MAX_UNITS];
    sides_t sides[JOB_MAX_RANKS];
    chaos_t *chaos;
} job_t;

/* Check's assertions cost a system call each, so what is found is counted. */
typedef struct {
    const job_shape_t *shape;
    mtree_layout_t *layout[JOB_MAX_RANKS];
    job_t *job;
    visited_t visited;
    snapshot_t snapshot[MAX_DEPTH];
    size_t ends, deadlocks, wrong, failures;
} search_t;

static void pack_block(void *arg, int rank, size_t offset, void *bytes, size_t length)
{
    const sides_t *sides = arg;

    memcpy(bytes, sides->input + rank * JOB_BLOCK_UNITS + offset,
           length * sizeof(uint32_t));
}

static void unpack_block(void *arg, int rank, size_t offset, const void *bytes,
                         size_t length)
{
    const sides_t *sides = arg;

    memcpy(sides->output + rank * JOB_BLOCK_UNITS + offset, bytes,
           length * sizeof(uint32_t));
}

static void copy_units(void *arg, const void *from, void *to, size_t count)
{
    (void)arg;
    memcpy(to, from, count * sizeof(uint32_t));
}

/* Rank 1 has its blocks packed and unpacked. */
static void fill_sides(const job_shape_t *shape, job_t *job, int rank)
{
    sides_t *sides = &job->sides[rank];

    sides->input = job->input[rank];
    sides->output = job->output[rank];
    memset(sides->output, 0, sizeof(job->output[rank]));
    for (int r = 0; r < shape->num_ranks; r++) {
        sides->send_units[r] = job_shape_block_units(shape, rank, r);
        sides->recv_units[r] = job_shape_block_units(shape, r, rank);
        if (rank != 1) {
            sides->send[r] = (char *)(sides->input + r * JOB_BLOCK_UNITS);
            sides->recv[r] = (char *)(sides->output + r * JOB_BLOCK_UNITS);
        }
        for (size_t i = 0; i < sides->send_units[r]; i++) {
            sides->input[(size_t)r * JOB_BLOCK_UNITS + i] =
                job_shape_block_value(rank, r, i);
        }
    }
}

/* A window that is smaller than any plan has, so that few chunks fill it. */
static void narrow(mtree_layout_t *layout, const job_shape_t *shape, size_t window)
{
    for (int s = 0; s < layout->num_streams; s++) {
        layout->streams[s].window = window > 0 ? window : layout->streams[s].window;
    }
    for (int p = 0; p < layout->num_peers; p++) {
        layout->peers[p].window = shape->sample * sizeof(uint32_t);
        layout->peers[p].initial_window = layout->peers[p].window;
    }
    layout->paced = shape->sample > 0;
    layout->max_lead = 0;
}

static void make_layouts(search_t *search)
{
    const job_shape_t *shape = search->shape;
    static const int host[JOB_MAX_RANKS] = {0, 1, 2, 3};
    mtree_call_t call = {.collective = shape->collective,
                         .units = shape->units,
                         .unit_bytes = sizeof(uint32_t),
                         .unequal = (shape->flags & JOB_UNEQUAL) != 0,
                         .chunk_bytes = sizeof(uint32_t)};
    OWNED(plan) *plan = job_shape_plan(shape);
    OWNED(placement) *placement = NULL;

    unit_ok(mtree_placement_create_relayed(job_shape_num_active(shape), shape->num_ranks,
                                           shape->num_relays, host, NULL, &placement));
    for (int r = 0; r < shape->num_ranks; r++) {
        unit_ok(layout_from_plan(plan, placement, &call, r, &search->layout[r]));
        narrow(search->layout[r], shape,
               r == 0 && (shape->flags & JOB_WRONG_WINDOW) != 0 ? shape->units
                                                                : shape->window);
    }
}

static void begin(search_t *search)
{
    const job_shape_t *shape = search->shape;
    job_t *job = calloc(1, sizeof(*job));

    for (int r = 0; r < shape->num_ranks; r++) {
        for (size_t i = 0; i < shape->units; i++) {
            job->input[r][i] = (uint32_t)(1 + i) << (8 * r);
            job->output[r][i] = r == job_shape_source(shape, i) ||
                                        (r == 0 && shape->collective == MTREE_SCAN)
                                    ? job->input[r][i]
                                    : UINT32_MAX;
        }
        if (job_shape_is_personalized(shape)) {
            fill_sides(shape, job, r);
        }
    }
    job->chaos = chaos_create(shape->num_ranks, sizeof(uint32_t), 0);
    chaos_be_patient(job->chaos);
    search->job = job;
}

static size_t num_choices(const search_t *search)
{
    size_t count = chaos_num_pending(search->job->chaos);

    for (int r = 0; r < search->shape->num_ranks; r++) {
        count += search->job->operation[r] == NULL;
    }
    return count;
}

/* Tell a completion, or, for the numbers behind these, let a rank begin. */
static void take(search_t *search, size_t choice)
{
    size_t pending = chaos_num_pending(search->job->chaos);
    int rank = 0;

    if (choice < pending) {
        chaos_complete(search->job->chaos, choice);
        return;
    }
    for (choice -= pending; search->job->operation[rank] != NULL || choice > 0; rank++) {
        choice -= search->job->operation[rank] == NULL;
    }
    sides_t *sides = &search->job->sides[rank];
    mtree_operation_data_t data = {.input = search->job->input[rank],
                                   .output = search->job->output[rank],
                                   .extent = sizeof(uint32_t),
                                   .span = sizeof(uint32_t),
                                   .fold = chaos_fold_add,
                                   .copy = copy_units,
                                   .is_exclusive =
                                       (search->shape->flags & JOB_EXCLUSIVE) != 0,
                                   .send = {sides->send_units, sides->send},
                                   .recv = {sides->recv_units, sides->recv},
                                   .arg = sides};
    if (job_shape_is_personalized(search->shape)) {
        data.pack = pack_block;
        data.unpack = unpack_block;
    }
    if (search->layout[rank]->is_relay) {
        data = (mtree_operation_data_t){
            .extent = sizeof(uint32_t), .span = sizeof(uint32_t), .fold = chaos_fold_add};
    }
    mtree_operation_start(search->layout[rank], chaos_transport(search->job->chaos, rank),
                          &data, NULL, NULL, &search->job->operation[rank]);
}

/* What the network may tell next is a set: its order does not matter. */
static uint64_t hash_search(const search_t *search)
{
    uint64_t hash = 0, pending = 0;

    for (int r = 0; r < search->shape->num_ranks; r++) {
        hash = visited_mix(hash, search->job->operation[r] == NULL
                                     ? 0
                                     : state_hash_operation(search->job->operation[r]));
        for (size_t i = 0; i < JOB_MAX_UNITS; i++) {
            hash = visited_mix(hash, search->job->output[r][i]);
        }
    }
    for (size_t i = 0; i < chaos_num_pending(search->job->chaos); i++) {
        pending += state_hash_completion(search->job->operation,
                                         chaos_pending(search->job->chaos, i));
    }
    return visited_mix(hash, pending);
}

/* Every block is in its place, and nothing else is written. */
static bool has_blocks(const search_t *search, int rank)
{
    const uint32_t *output = search->job->output[rank];
    size_t i = 0;

    for (; i < JOB_MAX_UNITS; i++) {
        int from = (int)(i / JOB_BLOCK_UNITS);
        size_t at = i % JOB_BLOCK_UNITS;
        size_t units = from < search->shape->num_ranks
                           ? job_shape_block_units(search->shape, from, rank)
                           : 0;

        if (output[i] != (at < units ? job_shape_block_value(from, rank, at) : 0)) {
            break;
        }
    }
    return i == JOB_MAX_UNITS;
}

static bool is_right(const search_t *search, int rank)
{
    const job_shape_t *shape = search->shape;
    size_t from = 0, to = shape->units;

    if (job_shape_is_personalized(shape)) {
        return has_blocks(search, rank);
    }
    if ((shape->collective == MTREE_REDUCE && rank != 0) ||
        rank >= job_shape_num_active(shape) ||
        ((shape->flags & JOB_EXCLUSIVE) != 0 && rank == 0)) {
        return true;
    }
    if (shape->collective == MTREE_REDUCE_SCATTER) {
        from = shape->units * (size_t)rank / (size_t)shape->num_ranks;
        to = shape->units * (size_t)(rank + 1) / (size_t)shape->num_ranks;
    }
    while (from < to &&
           search->job->output[rank][from] == job_shape_expected(shape, rank, from)) {
        from++;
    }
    return from == to;
}

/* Nothing can happen any more. */
static void judge_end(search_t *search)
{
    bool done = true, right = true;

    for (int r = 0; r < search->shape->num_ranks; r++) {
        mtree_status_t status;

        done = done && mtree_operation_done(search->job->operation[r], &status) &&
               status == MTREE_OK;
        right = right && is_right(search, r);
    }
    search->ends++;
    search->deadlocks += !done;
    search->wrong += done && !right;
}

/* Every way to go on from here, unless they were tried before. */
static void explore(search_t *search, size_t depth)
{
    size_t choices = num_choices(search);

    if (search->failures > 0 || !visited_add(&search->visited, hash_search(search))) {
        return;
    }
    if (choices == 0) {
        judge_end(search);
        return;
    }
    if (depth == MAX_DEPTH || search->visited.count == MAX_STATES) {
        search->failures++;
        return;
    }
    snapshot_take(&search->snapshot[depth]);
    for (size_t i = 0; i < choices; i++) {
        take(search, i);
        explore(search, depth + 1);
        snapshot_restore(&search->snapshot[depth]);
    }
}

static void explore_shape(search_t *search, const job_shape_t *shape)
{
    memset(search, 0, sizeof(*search));
    search->shape = shape;
    make_layouts(search);
    visited_init(&search->visited, MAX_STATES);
    snapshot_begin();
    begin(search);
    explore(search, 0);
    snapshot_end();
    for (int r = 0; r < shape->num_ranks; r++) {
        mtree_layout_destroy(search->layout[r]);
    }
    for (int i = 0; i < MAX_DEPTH; i++) {
        snapshot_free(&search->snapshot[i]);
    }
    printf("%s: %zu states, %zu ends\n", shape->name, search->visited.count,
           search->ends);
    visited_cleanup(&search->visited);
    ck_assert_msg(search->failures == 0, "%s: too large", shape->name);
}

UNIT_LOOP(every_command_ends_well, 0, unit_loops(NUM_JOB_SHAPES - 1, NUM_JOB_SHAPES))
{
    static search_t search;

    explore_shape(&search, &job_shapes[_i]);
    ck_assert_uint_eq(search.deadlocks, 0);
    ck_assert_uint_eq(search.wrong, 0);
    ck_assert_uint_gt(search.ends, 0);
}

/* The search sees a deadlock where there is one: a receiver with more room than its
 * sender knows of never tells of it. */
UNIT_TEST(windows_that_differ_end_in_a_deadlock)
{
    static search_t search;
    job_shape_t shape = job_shapes[0];

    shape.name = "a window that differs";
    shape.flags = JOB_WRONG_WINDOW;
    explore_shape(&search, &shape);
    ck_assert_uint_gt(search.deadlocks, 0);
}

UNIT_SECONDS(120)
