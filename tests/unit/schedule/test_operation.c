/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every collective, on random trees, placements, sizes and timing, against what it must
 * give.
 */
#include "schedule/layout.h"
#include "schedule/operation_private.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/vectors.h"
#include "tests/unit/whole_plan.h"

/* A process for each loop. */
#define LOOPS        unit_loops(2, 20)
#define CASES_A_LOOP 500

/* Bytes between blocks that do not follow one another. */
#define GAP 12

/* Of a trace, and of a plan with steps. */
#define MAX_EVENTS 20000
#define MAX_STEPS  64

/* Sends that were seen to wait for an earlier step. */
static int num_stepped;

/* Peers that were pressed. */
static int num_backlogged;

/* Operations whose chunks had to be as short as messages may be. */
static int num_cut;

/* Relays that something went through. */
static int num_relayed;

/* Trees of each plan; 0: a few. */
static int fixed_trees;

typedef struct {
    vectors_t vectors;
    mtree_call_t call;
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    mtree_layout_t *layout[RANDOM_RANKS];
    mtree_operation_t *operation[RANDOM_RANKS];
    mtree_trace_t *trace[RANDOM_RANKS]; /* NULL: no steps to verify */
    mtree_goodput_t *goodput[RANDOM_RANKS];
    bool packed, shifted;
    int batch;
} job_t;

static int num_members(const job_t *job)
{
    return job->placement->num_ranks + job->placement->num_relays;
}

static bool is_relay(const job_t *job, int member)
{
    return mtree_placement_is_relay(job->placement, member);
}

static bool has_blocks(const job_t *job)
{
    return job->call.collective == MTREE_ALLGATHER ||
           job->call.collective == MTREE_REDUCE_SCATTER;
}

static void job_start(job_t *job, chaos_t *chaos, int rank)
{
    vectors_t *vectors = &job->vectors;
    uint32_t *output = vectors->output[rank];
    mtree_operation_data_t data = {.input =
                                       vectors->in_place ? output : vectors->input[rank],
                                   .output = output,
                                   .extent = 4,
                                   .span = 4,
                                   .shift = job->shifted ? vectors->shift : NULL,
                                   .fold = chaos_fold_add};

    if (job->layout[rank]->num_steps > 0) {
        job->trace[rank] = mtree_trace_create(MAX_EVENTS);
        data.trace = job->trace[rank];
    }

    if (is_relay(job, rank)) {
        data = (mtree_operation_data_t){.extent = job->packed ? 1 : 4,
                                        .span = job->packed ? 1 : 4,
                                        .fold = chaos_fold_add};
    } else if (job->packed) {
        data = (mtree_operation_data_t){.extent = 1,
                                        .span = 1,
                                        .pack = chaos_pack,
                                        .unpack = chaos_unpack,
                                        .arg = output};
    }
    job->goodput[rank] = mtree_goodput_create(job->layout[rank]);
    data.goodput = job->goodput[rank];
    mtree_operation_start(job->layout[rank], chaos_transport(chaos, rank), &data, NULL,
                          NULL, &job->operation[rank]);
}

/* The step in which @a event happened on its rank. */
static int event_step(const mtree_layout_t *layout, const mtree_trace_event_t *event)
{
    const mtree_stream_t *stream = &layout->streams[event->stream];

    if (event->peer == stream->parent) {
        return mtree_layout_step(layout, stream, stream->parent_step, event->up);
    }
    for (int i = 0; i < stream->num_children; i++) {
        if (event->peer == stream->children[i]) {
            return mtree_layout_step(layout, stream, stream->child_steps[i], event->up);
        }
    }
    ck_abort_msg("a peer that is not in the tree");
    return 0;
}

/* Nothing is sent in a step before all of the earlier ones was sent and received. */
static void job_verify_steps(const job_t *job, int rank)
{
    const mtree_layout_t *layout = job->layout[rank];
    double done[2 * MAX_STEPS + 1] = {0};

    if (job->trace[rank] == NULL) {
        return;
    }
    ck_assert_int_le(layout->num_steps, MAX_STEPS);
    ck_assert_uint_lt(mtree_trace_count(job->trace[rank]), MAX_EVENTS);
    for (size_t i = 0; i < mtree_trace_count(job->trace[rank]); i++) {
        const mtree_trace_event_t *event = mtree_trace_get(job->trace[rank], i);
        int step = event_step(layout, event);

        if (event->act != MTREE_TRACE_FOLD && event->end > done[step]) {
            done[step] = event->end;
        }
    }
    for (size_t i = 0; i < mtree_trace_count(job->trace[rank]); i++) {
        const mtree_trace_event_t *event = mtree_trace_get(job->trace[rank], i);

        for (int step = event_step(layout, event) - 1;
             step > 0 && event->act == MTREE_TRACE_SEND; step--) {
            ck_assert_double_ge(event->begin, done[step]);
            num_stepped++;
        }
    }
}

/* Every tree took its part over each of its edges, each way that it is used, and nobody
 * is pressed any more. */
static void job_verify_goodput(const job_t *job)
{
    const mtree_layout_t *layout = job->layout[0];
    int members = num_members(job);
    double sent = 0, all = 0;

    for (int s = 0; s < layout->num_streams; s++) {
        const mtree_stream_t *stream = &layout->streams[s];
        double expected =
            (stream->up + stream->down) * (double)stream->length * (job->packed ? 1 : 4);
        double bytes = 0;
        int edges = 0;

        for (int r = 0; r < members; r++) {
            edges += job->layout[r]->streams[s].num_children;
            bytes += job->goodput[r]->trees[s].bytes;
            ck_assert_double_le(job->goodput[r]->trees[s].end, job->goodput[r]->end);
        }
        ck_assert_int_ge(edges, job->placement->num_ranks - 1);
        ck_assert_double_eq(bytes, 2 * expected * edges);
        all += expected * edges;
    }
    for (int r = 0; r < members; r++) {
        for (int i = 0; i < job->goodput[r]->num_links; i++) {
            const mtree_goodput_link_t *link = &job->goodput[r]->links[i];

            ck_assert_int_eq(link->rank, job->layout[r]->peers[i].rank);
            ck_assert_double_lt(link->since, 0);
            ck_assert_double_le(link->backlogged_bytes, link->bytes);
            num_backlogged += link->backlogged_bytes > 0;
            num_relayed += is_relay(job, r) && link->bytes > 0;
            sent += link->bytes;
        }
    }
    ck_assert_double_eq(sent, all);
}

/* No message was longer than it may be. */
static void job_verify_longest(const job_t *job, const chaos_t *chaos)
{
    size_t longest = job->call.longest_bytes, unit = job->packed ? 1 : 4;

    if (longest > 0) {
        longest = longest < unit ? unit : longest;
        ck_assert_uint_le(chaos_longest(chaos) * unit, longest);
        num_cut += chaos_longest(chaos) * unit > longest - unit;
    }
}

static void job_random(job_t *job, unsigned seed)
{
    size_t *blocks = job->vectors.blocks;
    int hosts, ranks, relays, trees;

    random_seed(seed);
    memset(job, 0, sizeof(*job));
    hosts = 1 + random_draw(10);
    relays = seed % 3 == 1 ? random_draw(hosts) : 0;
    ranks = hosts - relays + random_draw(RANDOM_RANKS - hosts);
    job->call.collective = (mtree_collective_t)random_draw(MTREE_REDUCE_SCATTER + 1);
    job->call.root = random_draw(ranks);
    job->call.units =
        random_draw(6) == 0 ? (size_t)random_draw(4) : (size_t)random_draw(3000);
    job->call.unit_bytes = 4;
    job->call.chunk_bytes = random_draw(2) == 0 ? 0 : 4 * (size_t)(10 + random_draw(400));
    if (random_draw(8) == 0) {
        job->call.units *= 40;
        job->call.chunk_bytes = 0;
    }
    /* Not so short that a job has more messages than there is time or room for. */
    job->call.longest_bytes = seed % 3 == 0 ? job->call.units / 8 + 40 + seed % 100 : 0;
    job->vectors = (vectors_t){.collective = job->call.collective,
                               .root = job->call.root,
                               .ranks = ranks,
                               .units = job->call.units,
                               .in_place = random_draw(2) == 0};
    job->packed = (job->call.collective == MTREE_BCAST ||
                   job->call.collective == MTREE_ALLGATHER) &&
                  random_draw(2) == 0;
    job->batch = seed % 2 == 0 ? MTREE_BATCH_STREAMS : 1 + (int)(seed / 2 % 3);
    trees = 1 + random_draw(6);
    job->plan =
        random_plan(MTREE_ALLREDUCE, -1, hosts, fixed_trees > 0 ? fixed_trees : trees);
    random_relays(job->plan, relays);
    job->placement = random_placement(hosts - relays, ranks, relays);
    for (int r = 1; r < ranks; r++) {
        blocks[r] =
            blocks[r - 1] + (size_t)random_draw(2 * (int)job->call.units / ranks + 1);
        blocks[r] = blocks[r] > job->call.units ? job->call.units : blocks[r];
    }
    blocks[ranks] = job->call.units;
    job->call.blocks = has_blocks(job) ? blocks : NULL;
    job->shifted =
        job->call.collective == MTREE_ALLGATHER && !job->packed && random_draw(2) == 0;
    for (int r = 0; r < ranks && job->shifted; r++) {
        job->vectors.shift[r] = GAP * r;
    }
    vectors_fill(&job->vectors);
}

/* Start the ranks one by one, as they come, with things happening in between. */
static void job_run(job_t *job, chaos_t *chaos)
{
    int ranks = job->placement->num_ranks, members = num_members(job);
    mtree_call_t call = job->call;
    size_t byte_blocks[RANDOM_RANKS + 1];

    if (job->packed) {
        for (int r = 0; r <= ranks; r++) {
            byte_blocks[r] = 4 * job->vectors.blocks[r];
        }
        call.units *= 4;
        call.unit_bytes = 1;
        call.blocks = call.blocks != NULL ? byte_blocks : NULL;
    }
    for (int r = 0; r < members; r++) {
        unit_ok(layout_from_plan(job->plan, job->placement, &call, r, &job->layout[r]));
        ck_assert_int_eq(job->layout[r]->is_relay, is_relay(job, r));
        /* Short batches, so that streams wait for each other and take their tags. */
        if (job->layout[r]->num_steps == 0) {
            job->layout[r]->batch = job->batch;
        }
    }
    for (int r = 0; r < members; r++) {
        for (int steps = random_draw(40); steps > 0; steps--) {
            chaos_step(chaos);
        }
        job_start(job, chaos, (r + job->call.root) % members);
    }
    while (chaos_step(chaos)) {}
}

static void job_free(job_t *job)
{
    for (int r = 0; r < num_members(job); r++) {
        mtree_operation_free(job->operation[r]);
        mtree_trace_destroy(job->trace[r]);
        mtree_goodput_destroy(job->goodput[r]);
        mtree_layout_destroy(job->layout[r]);
    }
    vectors_free(&job->vectors);
    mtree_placement_destroy(job->placement);
    mtree_plan_destroy(job->plan);
}

/* Run a random job to its end and check all that it has done; the streams of a call that
 * is not a lockstep. */
static int check_random(unsigned seed)
{
    job_t job;
    chaos_t *chaos;
    int num_streams;

    job_random(&job, seed);
    chaos = chaos_create(num_members(&job), job.packed ? 1 : 4, seed);
    job_run(&job, chaos);
    for (int r = 0; r < num_members(&job); r++) {
        ck_assert_msg(mtree_operation_done(job.operation[r], NULL),
                      "seed %u: rank %d waits for ever", seed, r);
        /* A single rank's vector is never sent anywhere, so nothing is copied either. */
        if (job.placement->num_ranks > 1 && !is_relay(&job, r)) {
            vectors_verify(&job.vectors, r);
            job_verify_steps(&job, r);
        }
    }
    ck_assert(chaos_is_quiet(chaos));
    job_verify_goodput(&job);
    job_verify_longest(&job, chaos);
    num_streams = job.layout[0]->num_steps == 0 ? job.layout[0]->num_streams : 0;
    job_free(&job);
    chaos_destroy(chaos);
    return num_streams;
}

UNIT_LOOP(every_collective_gives_its_result, 0, LOOPS)
{
    unsigned first = (unsigned)_i * CASES_A_LOOP;

    for (unsigned seed = first; seed < first + CASES_A_LOOP; seed++) {
        (void)check_random(seed);
    }
    ck_assert_int_gt(num_stepped, 0);
    ck_assert_int_gt(num_backlogged, 0);
    ck_assert_int_gt(num_cut, 0);
    ck_assert_int_gt(num_relayed, 0);
}

/* More streams than run at a time. */
UNIT_LOOP(many_streams_run_one_batch_after_the_other, 0, unit_loops(1, 4))
{
    int most = 0;

    fixed_trees = 150;
    for (unsigned seed = 10 * (unsigned)_i; seed < 10 * (unsigned)_i + 10; seed++) {
        int num_streams = check_random(seed);

        most = num_streams > most ? num_streams : most;
    }
    ck_assert_int_gt(most, 2 * MTREE_BATCH_STREAMS);
}

/* In lockstep all streams run at a time, and these have too few tags for that. */
UNIT_LOOP(more_trees_than_have_tags_are_not_in_lockstep, 0, 4)
{
    fixed_trees = 2 * MTREE_BATCH_STREAMS + 1;
    ck_assert_int_ge(check_random((unsigned)_i), fixed_trees);
}

#define FAILING 200

/* Where all messages end then, so do all operations, and nothing of them is in use. */
UNIT_SHORT_LOOP(a_failing_send_ends_the_operation, 0, FAILING)
{
    static job_t jobs[FAILING];
    job_t *job = &jobs[_i];
    const unsigned seed = (unsigned)_i / 2;
    const bool ends_all = _i % 2 == 1;
    chaos_t *chaos;
    int failed = 0;

    job_random(job, seed);
    chaos = chaos_create(num_members(job), job->packed ? 1 : 4, seed);
    for (int r = 0; r < num_members(job); r++) {
        chaos_transport(chaos, r)->ends_all = ends_all;
    }
    chaos_fail_after(chaos, (size_t)random_draw(3));
    job_run(job, chaos);
    if (ends_all) {
        chaos_give_up(chaos);
        while (chaos_step(chaos)) {}
    }
    for (int r = 0; r < num_members(job); r++) {
        mtree_status_t status = MTREE_OK;
        bool done = mtree_operation_done(job->operation[r], &status);

        ck_assert_msg(done || !ends_all, "rank %d waits for ever", r);
        ck_assert(status == MTREE_OK || status == MTREE_ERR_TRANSPORT);
        failed += status != MTREE_OK;
    }
    /* Very small jobs end before the send that would fail. */
    ck_assert(failed == 1 || (ends_all && failed > 1) || job->call.units < 4 ||
              job->placement->num_ranks <= 4);
    if (ends_all) {
        ck_assert(chaos_is_quiet(chaos));
        job_free(job);
    }
    chaos_destroy(chaos);
    /* What was under way may never end, so operations stay as they are, where
     * LeakSanitizer finds them. */
}

UNIT_SECONDS(120)
