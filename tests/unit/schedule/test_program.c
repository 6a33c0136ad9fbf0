/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank programs over a transport that delays and reorders: random jobs of every program
 * and collective have the right results on all ranks, the same bits everywhere, and scans
 * add strictly from left to right.
 */
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/vectors.h"
#include "tests/unit/whole_plan.h"

#include "schedule/layout.h"
#include "schedule/operation.h"

#define CASES     (unsigned)unit_loops(400, 2000)
#define MAX_UNITS 64

typedef struct {
    vectors_t vectors;
    bool is_apart; /* blocks of an allgather */
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    mtree_call_t call;
    mtree_layout_t *layout[RANDOM_RANKS];
    mtree_operation_t *operation[RANDOM_RANKS];
    mtree_goodput_t *goodput[RANDOM_RANKS];
    mtree_trace_t *trace[RANDOM_RANKS];
    int num_ended;
    mtree_status_t status;
} job_t;

/* A rank, for its functions. */
typedef struct {
    job_t *job;
    int rank;
} rank_t;

static rank_t self[RANDOM_RANKS];

static void fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const uint32_t *x = a, *y = b;
    uint32_t *sum = out;

    for (size_t i = 0; i < count; i++) {
        sum[i] = vectors_combine(&((rank_t *)arg)->job->vectors, x[i], y[i]);
    }
}

/* Of an all-to-all, the units of what @a rank gets from each other one. */
static size_t received_units(const job_t *job, int rank)
{
    return job->vectors.blocks[rank + 1] - job->vectors.blocks[rank];
}

static void pack_block(void *arg, int peer, size_t offset, void *bytes, size_t length)
{
    const rank_t *rank = arg;
    const vectors_t *vectors = &rank->job->vectors;

    memcpy(bytes, &vectors->input[rank->rank][vectors->blocks[peer] + offset],
           4 * length);
}

static void unpack_block(void *arg, int peer, size_t offset, const void *bytes,
                         size_t length)
{
    const rank_t *rank = arg;
    const size_t first = (size_t)peer * received_units(rank->job, rank->rank);

    memcpy(&rank->job->vectors.output[rank->rank][first + offset], bytes, 4 * length);
}

static void ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    job_t *job = arg;

    mtree_operation_free(operation);
    job->num_ended++;
    job->status = status != MTREE_OK ? status : job->status;
}

/* Does the program need the shape of a torus, of a power of two of hosts? */
static bool is_for_torus(const char *program)
{
    return strcmp(program, "swing") == 0 || strcmp(program, "staged_exchange") == 0;
}

/* A plan that names a program, with its hosts in any order. */
static mtree_plan_t *plan_of(const char *program, mtree_collective_t collective,
                             int hosts)
{
    mtree_plan_t *plan = random_plan(MTREE_ALLREDUCE, -1, hosts, 1), *named;

    named = mtree_plan_create(collective, program, hosts,
                              (const char *const *)plan->hosts, 0);
    mtree_plan_destroy(plan);
    for (int rest = hosts, d = 0; is_for_torus(program) && rest > 1; d++) {
        named->shape[d] = 2 << random_draw(2);
        named->shape[d] = named->shape[d] < rest ? named->shape[d] : rest;
        rest /= named->shape[d];
    }
    named->root = mtree_collective_has_root(collective) ? 0 : -1;
    named->message_bytes = 4 * 8 * (size_t)random_draw(4);
    named->order = calloc((size_t)hosts, sizeof(*named->order));
    for (int i = 0; i < hosts; i++) {
        int other = random_draw(i + 1);

        named->order[i] = named->order[other];
        named->order[other] = i;
    }
    unit_ok(mtree_plan_check(named, NULL, NULL));
    return named;
}

/* The room of a rank's trace. */
#define EVENTS 10000

static void start_rank(job_t *job, chaos_t *chaos, int rank)
{
    vectors_t *vectors = &job->vectors;
    mtree_operation_data_t data = {
        .input = vectors->in_place ? vectors->output[rank] : vectors->input[rank],
        .output = mtree_collective_result(job->call.collective, rank, job->call.root) ==
                          MTREE_PART_NONE
                      ? NULL
                      : vectors->output[rank],
        .extent = 4,
        .span = 4,
        .fold = fold,
        .is_exclusive = job->call.is_exclusive,
        .shift = job->is_apart ? vectors->shift : NULL,
        .arg = &self[rank]};

    self[rank] = (rank_t){job, rank};
    if (mtree_collective_is_personalized(job->call.collective)) {
        data.input = data.output = NULL;
        data.pack = pack_block;
        data.unpack = unpack_block;
    }

    job->call.overlap = mtree_operation_overlap(&data);
    unit_ok(layout_from_plan(job->plan, job->placement, &job->call, rank,
                             &job->layout[rank]));
    job->goodput[rank] = mtree_goodput_create(job->layout[rank]);
    job->trace[rank] = mtree_trace_create(EVENTS);
    data.goodput = job->goodput[rank];
    data.trace = job->trace[rank];
    mtree_operation_start(job->layout[rank], chaos_transport(chaos, rank), &data, ended,
                          job, &job->operation[rank]);
}

/* Every program, and a collective that it does. */
static const struct {
    const char *program;
    mtree_collective_t collective;
} rows[] = {
    {"exchange", MTREE_ALLREDUCE},
    {"exchange", MTREE_REDUCE},
    {"exchange", MTREE_SCAN},
    {"recursive_doubling", MTREE_ALLREDUCE},
    {"recursive_halving", MTREE_ALLREDUCE},
    {"recursive_doubling", MTREE_ALLGATHER},
    {"recursive_halving", MTREE_REDUCE_SCATTER},
    {"bruck", MTREE_ALLGATHER},
    {"bruck", MTREE_ALLTOALL},
    {"swing", MTREE_ALLREDUCE},
    {"staged_exchange", MTREE_ALLREDUCE},
};

/* Blocks of any size, some of them empty, or equal ones; of an allgather every other time
 * apart from each other. */
static void draw_blocks(job_t *job, int ranks)
{
    const bool equal = random_draw(2) == 0;
    size_t *blocks = job->vectors.blocks;

    if (equal) {
        job->call.units = (size_t)ranks * (1 + (size_t)random_draw(MAX_UNITS / ranks));
    }
    job->is_apart = job->call.collective == MTREE_ALLGATHER && random_draw(2) == 0;
    for (int r = 0; r < ranks; r++) {
        const size_t rest = job->call.units - blocks[r];
        size_t size = job->call.units / (size_t)ranks;

        if (!equal) {
            size = r == ranks - 1 ? rest : (size_t)random_draw((int)rest + 1) / 2;
        }
        blocks[r + 1] = blocks[r] + size;
        job->vectors.shift[r] = job->is_apart ? 4 * r : 0;
    }
    job->call.blocks = equal ? NULL : blocks;
}

static void job_random(job_t *job, unsigned seed)
{
    int hosts, ranks, row;

    memset(job, 0, sizeof(*job));
    random_seed(seed);
    row = random_draw(sizeof(rows) / sizeof(rows[0]));
    hosts = is_for_torus(rows[row].program) ? 2 << random_draw(4) : 1 + random_draw(20);
    ranks = hosts + random_draw(RANDOM_RANKS - hosts);
    job->call.collective = rows[row].collective;
    job->call.root = random_draw(ranks);
    job->call.units = 1 + (size_t)random_draw(MAX_UNITS);
    job->call.unit_bytes = 4;
    job->call.is_exclusive = job->call.collective == MTREE_SCAN && random_draw(2) == 0;
    job->vectors = (vectors_t){.collective = job->call.collective,
                               .root = job->call.root,
                               .ranks = ranks,
                               .is_exclusive = job->call.is_exclusive,
                               .rounds = job->call.collective == MTREE_ALLREDUCE &&
                                         random_draw(2) == 0};
    job->vectors.in_place =
        job->call.collective == MTREE_ALLREDUCE && random_draw(2) == 0;
    if (mtree_collective_has_blocks(job->call.collective) &&
        job->call.collective != MTREE_SCAN) {
        draw_blocks(job, ranks);
    }
    job->plan = plan_of(rows[row].program, job->call.collective, hosts);
    job->placement = random_placement(hosts, ranks, 0);
    job->vectors.units = job->call.units;
    vectors_fill(&job->vectors);
}

static void job_clear(job_t *job)
{
    for (int r = 0; r < job->placement->num_ranks; r++) {
        mtree_layout_destroy(job->layout[r]);
        mtree_goodput_destroy(job->goodput[r]);
        mtree_trace_destroy(job->trace[r]);
    }
    vectors_free(&job->vectors);
    mtree_placement_destroy(job->placement);
    mtree_plan_destroy(job->plan);
}

static void verify_exchanged(const job_t *job, int rank)
{
    const size_t units = received_units(job, rank);

    for (int peer = 0; peer < job->placement->num_ranks; peer++) {
        for (size_t i = 0; peer != rank && i < units; i++) {
            ck_assert_uint_eq(
                job->vectors.output[rank][(size_t)peer * units + i],
                vectors_value(&job->vectors, peer, job->vectors.blocks[rank] + i));
        }
    }
}

static void job_verify(const job_t *job)
{
    for (int r = 0; r < job->placement->num_ranks; r++) {
        if (mtree_collective_is_personalized(job->call.collective)) {
            verify_exchanged(job, r);
        } else {
            vectors_verify(&job->vectors, r);
        }
    }
}

/* The units, and messages or their pieces, that the program of @a rank sends to @a peer,
 * or receives. */
static size_t count_units(const job_t *job, int rank, int peer, mtree_step_kind_t kind,
                          size_t *messages_p)
{
    const mtree_program_t *program = job->layout[rank]->program;
    size_t units = 0;

    *messages_p = 0;
    for (size_t i = 0; i < program->num_steps; i++) {
        if (program->steps[i].kind == kind && program->steps[i].peer == peer) {
            const size_t count = program->steps[i].count;

            units += count;
            *messages_p += program->piece == 0 ? 1 : (count - 1) / program->piece + 1;
        }
    }
    return units;
}

/* The bytes and events of @a act with @a peer in the trace of @a rank.  Each has the next
 * number. */
static size_t count_traced(const job_t *job, int rank, int peer, mtree_act_t act,
                           size_t *events_p)
{
    size_t bytes = 0, numbers = 0;

    *events_p = 0;
    for (size_t i = 0; i < mtree_trace_count(job->trace[rank]); i++) {
        const mtree_trace_event_t *event = mtree_trace_get(job->trace[rank], i);

        if (event->act == act && event->peer == peer) {
            ck_assert_double_le(event->begin, event->end);
            bytes += event->bytes;
            numbers += event->chunk;
            ++*events_p;
        }
    }
    ck_assert(*events_p == 0 || numbers == *events_p * (*events_p - 1) / 2);
    return bytes;
}

/* What was sent and received is counted and traced, each message once. */
static void verify_records(const job_t *job, int rank)
{
    const mtree_goodput_t *goodput = job->goodput[rank];
    double moved = 0;

    for (int link = 0; link < goodput->num_links; link++) {
        const int peer = goodput->links[link].rank;
        size_t messages, events, units;

        units = count_units(job, rank, peer, MTREE_STEP_SEND, &messages);
        ck_assert_double_eq(goodput->links[link].bytes, 4.0 * (double)units);
        moved += 4.0 * (double)units;
        ck_assert_uint_eq(count_traced(job, rank, peer, MTREE_TRACE_SEND, &events),
                          4 * units);
        ck_assert_uint_eq(events, messages);
        units = count_units(job, rank, peer, MTREE_STEP_RECV, &messages);
        moved += 4.0 * (double)units;
        ck_assert_uint_eq(count_traced(job, rank, peer, MTREE_TRACE_RECEIVE, &events),
                          4 * units);
        ck_assert_uint_eq(events, messages);
    }
    ck_assert_double_eq(goodput->trees[0].bytes, moved);
}

/* Run @a job, of which the send after @a messages more fails; all of its ranks end. */
static void job_run(job_t *job, unsigned seed, size_t messages)
{
    chaos_t *chaos = chaos_create(job->placement->num_ranks, 4, seed);

    chaos_fail_after(chaos, messages);
    for (int r = 0; r < job->placement->num_ranks; r++) {
        start_rank(job, chaos, r);
    }
    while (chaos_step(chaos)) {}
    ck_assert(messages < SIZE_MAX || chaos_is_quiet(chaos));
    chaos_give_up(chaos);
    while (chaos_step(chaos)) {}
    ck_assert_int_eq(job->num_ended, job->placement->num_ranks);
    chaos_destroy(chaos);
}

UNIT_TEST(random_jobs_have_right_results)
{
    for (unsigned seed = 1; seed <= CASES; seed++) {
        static job_t job;

        job_random(&job, seed);
        job_run(&job, seed, SIZE_MAX);
        unit_ok(job.status);
        job_verify(&job);
        for (int r = 0; r < job.placement->num_ranks; r++) {
            verify_records(&job, r);
        }
        job_clear(&job);
    }
}

UNIT_TEST(a_failure_ends_all)
{
    for (unsigned seed = 1; seed <= CASES / 10; seed++) {
        static job_t job;

        job_random(&job, seed);
        job_run(&job, seed, (size_t)random_draw(10));
        job_clear(&job);
    }
}
