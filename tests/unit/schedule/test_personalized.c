/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatter, gather and all-to-all on random trees, placements, sizes and timing: every
 * block arrives whole, where it belongs, and crosses each edge above it once.
 */
#include "schedule/edge_blocks.h"
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/random_parts.h"
#include "tests/unit/whole_plan.h"

/* A process for each loop. */
#define LOOPS          unit_loops(4, 20)
#define CASES_PER_LOOP 100

/* Per host, so that all ranks have more streams than run at a time. */
#define MANY_TREES 50

/* Who knows the sizes of the blocks. */
typedef enum { EQUAL, KNOWN, HEADED } sizes_t;

typedef struct job job_t;

/* One rank: the blocks for, and from, each rank. */
typedef struct {
    const job_t *job;
    int number;
    char *sent[RANDOM_RANKS], *received[RANDOM_RANKS];
    char *send_address[RANDOM_RANKS], *recv_address[RANDOM_RANKS];
    size_t send_units[RANDOM_RANKS];
    size_t recv_units[RANDOM_RANKS]; /* for which there is room */
    mtree_layout_t *layout;
    mtree_operation_t *operation;
    mtree_goodput_t *goodput;
} rank_t;

struct job {
    mtree_call_t call;
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    sizes_t sizes;
    bool is_wrong; /* some ranks have more or less room than is sent to them */
    size_t units[RANDOM_RANKS][RANDOM_RANKS]; /* from, to */
    size_t blocks[RANDOM_RANKS + 1];
    int ranks, batch;
    size_t window; /* chunks; 0: the layout's own */
    rank_t rank[RANDOM_RANKS];
};

/* Messages that held all that they may, ranks that forwarded, and those that had too
 * little room. */
static int num_full, num_forwarded, num_truncated;

static char value(int from, int to, size_t i)
{
    return (char)(31 * from + 7 * to + (int)(i % 251));
}

/* Does the call move a block from @a from to @a to? */
static bool moves(const job_t *job, int from, int to)
{
    mtree_collective_t collective = job->call.collective;

    return from != to && (collective == MTREE_ALLTOALL ||
                          (collective == MTREE_SCATTER ? from : to) == job->call.root);
}

static void pack_block(void *arg, int rank, size_t offset, void *bytes, size_t length)
{
    const rank_t *self = arg;
    size_t unit = self->job->call.unit_bytes;

    ck_assert_uint_le(offset + length, self->send_units[rank]);
    memcpy(bytes, self->sent[rank] + offset * unit, length * unit);
}

static void unpack_block(void *arg, int rank, size_t offset, const void *bytes,
                         size_t length)
{
    const rank_t *self = arg;
    size_t unit = self->job->call.unit_bytes;

    ck_assert_uint_le(offset + length, self->recv_units[rank]);
    memcpy(self->received[rank] + offset * unit, bytes, length * unit);
}

/* Often the same, sometimes nothing, now and then much. */
static size_t random_units(size_t mean)
{
    int kind = random_draw(8);

    return kind == 0   ? 0
           : kind == 1 ? (size_t)random_draw(3)
           : kind == 2 ? (size_t)random_draw(8 * (int)mean + 1)
                       : (size_t)random_draw(2 * (int)mean + 1);
}

static void fill_sizes(job_t *job)
{
    size_t mean = (size_t)random_draw(random_draw(4) == 0 ? 3 : 120);

    for (int r = 0; r < job->ranks; r++) {
        job->blocks[r + 1] =
            job->blocks[r] + (job->sizes == EQUAL ? mean : random_units(mean));
    }
    for (int from = 0; from < job->ranks; from++) {
        for (int to = 0; to < job->ranks; to++) {
            int owner = job->call.collective == MTREE_GATHER ? from : to;

            job->units[from][to] = job->sizes == HEADED
                                       ? random_units(mean)
                                       : job->blocks[owner + 1] - job->blocks[owner];
        }
    }
    job->call.units = job->sizes == HEADED
                          ? (size_t)random_draw(2 * job->ranks * (int)mean + 1)
                          : job->blocks[job->ranks];
    job->call.blocks = job->sizes == KNOWN ? job->blocks : NULL;
    job->call.unequal = job->sizes == HEADED;
}

/* Units for which rank @a to has room of what rank @a from sends. */
static size_t room_for(const job_t *job, int from, int to)
{
    size_t units = moves(job, from, to) ? job->units[from][to] : 0;

    return job->is_wrong && random_draw(4) == 0 ? random_units(units + 1) : units;
}

static void fill_rank(job_t *job, int number)
{
    rank_t *self = &job->rank[number];
    size_t unit = job->call.unit_bytes;
    bool packed = random_draw(3) == 0;

    self->job = job;
    self->number = number;
    for (int r = 0; r < job->ranks; r++) {
        self->send_units[r] = moves(job, number, r) ? job->units[number][r] : 0;
        self->recv_units[r] = room_for(job, r, number);
        self->sent[r] = malloc(self->send_units[r] * unit + 1);
        self->received[r] = calloc(1, self->recv_units[r] * unit + 1);
        self->send_address[r] = packed || random_draw(4) == 0 ? NULL : self->sent[r];
        self->recv_address[r] = packed || random_draw(4) == 0 ? NULL : self->received[r];
        for (size_t i = 0; i < self->send_units[r] * unit; i++) {
            self->sent[r][i] = value(number, r, i);
        }
    }
}

static void job_random(job_t *job, unsigned seed)
{
    static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                     MTREE_ALLTOALL};
    int hosts;

    random_seed(seed);
    memset(job, 0, sizeof(*job));
    hosts = 1 + random_draw(10);
    job->ranks = hosts + random_draw(RANDOM_RANKS - hosts);
    job->call.collective = collectives[seed % 3];
    job->call.root = random_draw(job->ranks);
    job->call.unit_bytes = random_draw(2) == 0 ? 1 : 4;
    job->sizes = (sizes_t)random_draw(3);
    job->call.chunk_bytes = random_draw(2) == 0 ? 0 : (size_t)(40 + random_draw(4000));
    job->call.longest_bytes = random_draw(3) == 0 ? (size_t)(1 + random_draw(2200)) : 0;
    job->batch = random_draw(2) == 0 ? MTREE_BATCH_STREAMS : 1 + random_draw(3);
    job->window = random_draw(2) == 0 ? 0 : 1 + (size_t)random_draw(3);
    fill_sizes(job);
    job->is_wrong = job->sizes == HEADED && random_draw(3) == 0;
    job->placement = random_placement(hosts, job->ranks, 0);
    job->plan = random_plan(job->call.collective,
                            job->call.collective == MTREE_ALLTOALL
                                ? -1
                                : job->placement->host[job->call.root],
                            hosts, 1 + random_draw(3));
    for (int r = 0; r < job->ranks; r++) {
        fill_rank(job, r);
    }
}

static void job_layout(job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        mtree_layout_t *layout;

        unit_ok(layout_from_plan(job->plan, job->placement, &job->call, r,
                                 &job->rank[r].layout));
        layout = job->rank[r].layout;
        layout->batch = job->batch;
        for (int s = 0; s < layout->num_streams && job->window > 0; s++) {
            layout->streams[s].window = job->window;
        }
    }
}

static void rank_start(rank_t *self, chaos_t *chaos)
{
    bool headed = self->job->sizes == HEADED;
    mtree_operation_data_t data = {
        .extent = (ptrdiff_t)self->job->call.unit_bytes,
        .span = self->job->call.unit_bytes,
        .send = {headed ? self->send_units : NULL, self->send_address},
        .recv = {headed ? self->recv_units : NULL, self->recv_address},
        .pack = pack_block,
        .unpack = unpack_block,
        .arg = self};

    self->goodput = mtree_goodput_create(self->layout);
    data.goodput = self->goodput;
    mtree_operation_start(self->layout, chaos_transport(chaos, self->number), &data, NULL,
                          NULL, &self->operation);
}

/* Start the ranks one by one, as they come, with things happening in between. */
static void job_run(job_t *job, chaos_t *chaos)
{
    for (int r = 0; r < job->ranks; r++) {
        for (int steps = random_draw(40); steps > 0; steps--) {
            chaos_step(chaos);
        }
        rank_start(&job->rank[(r + job->call.root) % job->ranks], chaos);
    }
    while (chaos_step(chaos)) {}
}

/* What has come is where it belongs, and nothing of what had no room.  Had all room? */
static bool rank_verify(const rank_t *self)
{
    const job_t *job = self->job;
    size_t unit = job->call.unit_bytes;
    bool fits = true;

    for (int from = 0; from < job->ranks; from++) {
        size_t i = 0, room = self->recv_units[from];
        size_t sent = moves(job, from, self->number) ? job->units[from][self->number] : 0;

        fits = fits && sent <= room;
        sent = sent <= room ? sent : 0;
        while (i < room * unit &&
               self->received[from][i] ==
                   (i < sent * unit ? value(from, self->number, i) : 0)) {
            i++;
        }
        ck_assert_msg(i == room * unit,
                      "%s: byte %zu of %zu from rank %d to rank %d is wrong",
                      mtree_collective_name(job->call.collective), i, room * unit, from,
                      self->number);
    }
    return fits;
}

/* Bytes of the stream's part of the block between its root and @a rank. */
static double part_bytes(const job_t *job, const mtree_stream_t *stream, int rank)
{
    bool up = job->call.collective == MTREE_GATHER;
    size_t units =
        job->units[up ? rank : stream->below->root][up ? stream->below->root : rank];
    size_t from = (size_t)(stream->below->begin * (double)units + 0.5);
    size_t to = (size_t)(stream->below->end * (double)units + 0.5);

    return (double)((to - from) * job->call.unit_bytes);
}

/* All that went over the edge above a rank are the blocks below it, and the header. */
static void job_verify_edges(const job_t *job)
{
    for (int s = 0; s < job->rank[0].layout->num_streams; s++) {
        double expected = 0, counted = 0;

        for (int r = 0; r < job->ranks; r++) {
            const mtree_stream_t *stream = &job->rank[r].layout->streams[s];

            ck_assert_int_eq(stream->below->ranks[0], r);
            /* Who forwards nothing needs no room for it. */
            ck_assert(stream->below->num > 1 || stream->num_children > 0 ||
                      mtree_edge_blocks_scratch(stream, 1) == 0);
            for (int i = 0; i < stream->below->num && stream->parent >= 0; i++) {
                expected += part_bytes(job, stream, stream->below->ranks[i]);
            }
            if (job->sizes == HEADED && stream->parent >= 0) {
                expected += 8 + 8 * stream->below->num;
            }
            num_forwarded += stream->parent >= 0 && stream->below->num > 1;
            counted += job->rank[r].goodput->trees[s].bytes;
        }
        ck_assert_double_eq(counted, 2 * expected);
    }
}

static void job_free(job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        rank_t *self = &job->rank[r];

        mtree_operation_free(self->operation);
        mtree_goodput_destroy(self->goodput);
        mtree_layout_destroy(self->layout);
        for (int other = 0; other < job->ranks; other++) {
            free(self->sent[other]);
            free(self->received[other]);
        }
    }
    mtree_placement_destroy(job->placement);
    mtree_plan_destroy(job->plan);
}

/* That a message of @a job has: a unit of each block and the header may be longer than
 * messages otherwise are. */
static size_t longest_bytes(const job_t *job)
{
    size_t ranks = (size_t)job->ranks, longest = job->call.longest_bytes;
    size_t units = ranks * job->call.unit_bytes;
    size_t header = job->sizes == HEADED ? (ranks + 1) * sizeof(uint64_t) : 0;

    longest = longest < units ? units : longest;
    return longest < header ? header : longest;
}

/* Run @a job, whose layouts are there, and free what it has. */
static void check_job(job_t *job, unsigned seed)
{
    chaos_t *chaos = chaos_create(job->ranks, job->call.unit_bytes, seed);

    job_run(job, chaos);
    for (int r = 0; r < job->ranks; r++) {
        mtree_status_t status;

        ck_assert_msg(mtree_operation_done(job->rank[r].operation, &status),
                      "seed %u: rank %d waits for ever", seed, r);
        ck_assert_int_eq(status,
                         rank_verify(&job->rank[r]) ? MTREE_OK : MTREE_ERR_INVALID);
        num_truncated += status != MTREE_OK;
    }
    job_verify_edges(job);
    if (job->call.longest_bytes > 0) {
        ck_assert_uint_le(chaos_longest(chaos) * job->call.unit_bytes,
                          longest_bytes(job));
        num_full += chaos_longest(chaos) * job->call.unit_bytes * 2 > longest_bytes(job);
    }
    ck_assert(chaos_is_quiet(chaos));
    job_free(job);
    chaos_destroy(chaos);
}

static void check_random(unsigned seed)
{
    static job_t job;

    job_random(&job, seed);
    job_layout(&job);
    check_job(&job, seed);
}

UNIT_LOOP(every_block_arrives, 0, LOOPS)
{
    unsigned first = (unsigned)_i * CASES_PER_LOOP;

    for (unsigned seed = first; seed < first + CASES_PER_LOOP; seed++) {
        check_random(seed);
    }
    ck_assert_int_gt(num_full, 0);
    ck_assert_int_gt(num_forwarded, 0);
    ck_assert_int_gt(num_truncated, 0);
}

/* The streams of each rank carry its blocks one behind the other, without a gap, and each
 * tree carries its share of what its host sends. */
static void verify_sections(const job_t *job)
{
    const mtree_layout_t *layout = job->rank[0].layout;
    double carried[MANY_TREES * RANDOM_RANKS] = {0}, end = 1;
    int source = -1;

    for (int s = 0; s < layout->num_streams; s++) {
        const mtree_below_t *below = layout->streams[s].below;
        int host = job->placement->host[below->root];

        if (below->root != source) {
            ck_assert_double_eq(end, 1);
            end = 0;
        }
        source = below->root;
        ck_assert_double_eq(below->begin, end);
        end = below->end;
        carried[layout->streams[s].tree] +=
            (end - below->begin) /
            (job->placement->first[host + 1] - job->placement->first[host]);
    }
    ck_assert_double_eq(end, 1);
    for (int t = 0; t < job->plan->num_trees; t++) {
        ck_assert_double_eq_tol(carried[t], job->plan->trees[t].share, 1e-6);
    }
}

/* Where each rank used all trees of its host, there would be MANY_TREES for each. */
UNIT_LOOP(ranks_of_a_host_share_out_its_many_trees, 0, unit_loops(5, 20))
{
    const unsigned seed = (unsigned)_i;
    static job_t job;
    const int hosts = 4;

    random_seed(seed);
    memset(&job, 0, sizeof(job));
    job.ranks = RANDOM_RANKS;
    job.call.collective = MTREE_ALLTOALL;
    job.call.unit_bytes = 4;
    job.batch = MTREE_BATCH_STREAMS;
    job.sizes = EQUAL;
    fill_sizes(&job);
    job.placement = random_placement(hosts, job.ranks, 0);
    job.plan = random_plan(MTREE_ALLTOALL, -1, hosts, MANY_TREES);
    for (int r = 0; r < job.ranks; r++) {
        fill_rank(&job, r);
    }
    job_layout(&job);
    ck_assert_int_le(job.rank[0].layout->num_streams, hosts * MANY_TREES + RANDOM_RANKS);
    verify_sections(&job);
    check_job(&job, seed);
}

/* Then nothing of it is in use any more. */
UNIT_SHORT_LOOP(a_failed_operation_waits_for_its_messages_where_they_end, 0, 100)
{
    static job_t job;
    chaos_t *chaos;
    int failed = 0;

    job_random(&job, (unsigned)_i);
    chaos = chaos_create(job.ranks, job.call.unit_bytes, (unsigned)_i);
    for (int r = 0; r < job.ranks; r++) {
        chaos_transport(chaos, r)->ends_all = true;
    }
    chaos_fail_after(chaos, (size_t)random_draw(3));
    job_layout(&job);
    job_run(&job, chaos);
    chaos_give_up(chaos);
    while (chaos_step(chaos)) {}
    for (int r = 0; r < job.ranks; r++) {
        mtree_status_t status;

        ck_assert_msg(mtree_operation_done(job.rank[r].operation, &status),
                      "rank %d waits for ever", r);
        failed += status == MTREE_ERR_TRANSPORT;
    }
    ck_assert(failed > 0 || job.call.units < 4 || job.ranks <= 4);
    ck_assert(chaos_is_quiet(chaos));
    chaos_destroy(chaos);
    job_free(&job);
}

UNIT_SECONDS(120)
