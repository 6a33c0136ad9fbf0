/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which a rank serves its neighbours.
 */
#include "planner/plan/finish.h"
#include "schedule/chunks.h"
#include "schedule/goodput.h"
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "tests/unit/runner.h"
#include "tests/unit/whole_plan.h"

enum { RANKS = 8, UNITS = 400, CHUNK = 20000, CHUNKS = 100, MOST_SENT = 100 };

static const char *const names[RANKS] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* A network that only notes what a rank sends to whom, and never gets it anywhere. */
typedef struct {
    mtree_transport_t transport;
    int receivers[MOST_SENT];
    int num_receivers;
    size_t bytes[RANKS];
    mtree_completion_t *sent[MOST_SENT];
} silence_t;

static mtree_status_t silence_send(mtree_transport_t *transport, int peer, int tag,
                                   const void *buffer, size_t count, bool synchronous,
                                   mtree_completion_t *done)
{
    silence_t *silence = (silence_t *)transport;

    (void)tag, (void)buffer, (void)synchronous;
    ck_assert_int_lt(silence->num_receivers, MOST_SENT);
    silence->bytes[peer] += count;
    silence->sent[silence->num_receivers] = done;
    silence->receivers[silence->num_receivers++] = peer;
    return MTREE_OK;
}

static mtree_status_t silence_recv(mtree_transport_t *transport, int peer, int tag,
                                   void *buffer, size_t count, mtree_completion_t *done)
{
    (void)transport, (void)peer, (void)tag, (void)buffer, (void)count, (void)done;
    return MTREE_OK;
}

static double silence_now(mtree_transport_t *transport)
{
    (void)transport;
    return 0;
}

static bool fills_paths = true;

static bool silence_is_full(mtree_transport_t *transport, int peer)
{
    (void)transport, (void)peer;
    return fills_paths;
}

static const mtree_transport_ops_t silence_ops = {.send = silence_send,
                                                  .recv = silence_recv,
                                                  .now = silence_now,
                                                  .is_full = silence_is_full};

/* The rank that is looked at, each rank on a host of its own.  Nothing ends any more, so
 * the operation is left to the end of the test's process, where LeakSanitizer finds it.
 */
static silence_t silence = {.transport = {.ops = &silence_ops}};
static mtree_plan_t *plan;
static mtree_placement_t *placement;
static mtree_layout_t *layout;
static mtree_operation_t *operation;

/* Vectors, or blocks for all ranks and one of those that come. */
static char vector[RANKS * CHUNK * 20], received[CHUNK * 20];

static void fold_nothing(void *arg, const void *a, const void *b, void *out, size_t count)
{
    (void)arg, (void)a, (void)b, (void)out, (void)count;
}

/* A call of so many bytes. */
static void lay_out(size_t bytes, int rank)
{
    static const int host[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const mtree_call_t call = {
        .collective = plan->collective, .units = bytes, .unit_bytes = 1};

    ck_assert_uint_le(bytes, sizeof(vector));
    unit_ok(mtree_placement_create(RANKS, RANKS, host, NULL, &placement));
    unit_ok(layout_from_plan(plan, placement, &call, rank, &layout));
}

static void run(size_t bytes, mtree_goodput_t *goodput)
{
    static char *from[RANKS], *to[RANKS];
    mtree_operation_data_t data = {.input = vector,
                                   .output = vector,
                                   .extent = 1,
                                   .span = 1,
                                   .fold = fold_nothing,
                                   .goodput = goodput};

    if (mtree_collective_is_personalized(plan->collective)) {
        for (int r = 0; r < RANKS; r++) {
            from[r] = vector + (size_t)r * bytes / RANKS;
            to[r] = received;
        }
        data = (mtree_operation_data_t){
            .extent = 1, .send.address = from, .recv.address = to};
    }
    mtree_operation_start(layout, &silence.transport, &data, NULL, NULL, &operation);
}

static void start(size_t bytes, int rank)
{
    lay_out(bytes, rank);
    run(bytes, NULL);
}

static void stop(void)
{
    mtree_layout_destroy(layout);
    mtree_placement_destroy(placement);
    mtree_plan_destroy(plan);
}

/* The first @a num_trees ranks are each the root of a tree of @a rate bits/s and send to
 * all others themselves. */
static void stars(mtree_collective_t collective, int num_trees, double rate,
                  size_t chunk_bytes)
{
    plan = mtree_plan_create(collective, "stars", RANKS, names, num_trees);
    plan->root = mtree_collective_has_root(collective) ? 0 : -1;
    for (int t = 0; t < num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = t;
        tree->rate = rate;
        tree->share = mtree_collective_has_blocks(collective) ? 1 : 1.0 / num_trees;
        tree->chunk_bytes = chunk_bytes;
        for (int r = 0; r < RANKS; r++) {
            tree->parent[r] = r == t ? -1 : t;
        }
    }
}

/* If all began with rank 0, its link would be the only busy one for a while, and the last
 * rank's the only one in the end. */
UNIT_LOOP(each_rank_begins_with_the_next, 0, RANKS)
{
    stars(MTREE_ALLGATHER, RANKS, 1e6, 0);
    start(UNITS, _i);
    ck_assert_int_eq(silence.num_receivers, RANKS - 1);
    for (int i = 0; i < RANKS - 1; i++) {
        ck_assert_int_eq(silence.receivers[i], (_i + 1 + i) % RANKS);
    }
}

/* A root of one star is a leaf of the other.  While its chunk is acknowledged, which may
 * take as long as what comes the other way, the next one is on its way, however low the
 * rate and however many its peers. */
UNIT_LOOP(no_peer_waits_for_an_acknowledgement, 0, 4)
{
    static const double rates[] = {1, 1e5, 1e7, 1e9};
    int sent = 0;

    stars(MTREE_ALLREDUCE, 2, rates[_i], CHUNK);
    start(CHUNK * CHUNKS, 0);
    for (int i = 0; i < silence.num_receivers; i++) {
        sent += silence.receivers[i] == 1;
    }
    ck_assert_int_ge(sent, 2);
}

/* Two chunks are what the planned rate carries in the time that queues have room for.  A
 * block is cut into chunks that are a little shorter: a third one does not fit, and what
 * comes the other way makes no room for it. */
UNIT_LOOP(windows_of_blocks_hold_no_chunk_too_much, 0, 2)
{
    stars(_i == 0 ? MTREE_SCATTER : MTREE_ALLTOALL, _i == 0 ? 1 : RANKS,
          RANKS * 8 * 2 * CHUNK / MTREE_CHUNK_PAYLOAD_SECONDS, CHUNK);
    start(RANKS * CHUNK / 10 * 49, 0);
    ck_assert_int_eq(silence.num_receivers, 2 * (RANKS - 1));
    for (int r = 1; r < RANKS; r++) {
        ck_assert_uint_gt(silence.bytes[r], CHUNK);
        ck_assert_uint_le(silence.bytes[r], 2 * CHUNK);
    }
}

/* Where the link to one peer is slow, the others get their blocks at their own rate: none
 * of what they get is forwarded. */
UNIT_TEST(blocks_do_not_wait_for_the_slowest_peer)
{
    mtree_completion_t *latest[RANKS] = {NULL};

    stars(MTREE_SCATTER, 1, RANKS * 8 * CHUNK / 0.05, CHUNK);
    start(RANKS * CHUNK * 10, 0);
    /* The latest chunk to each stays outstanding. */
    for (int i = 0; i < silence.num_receivers; i++) {
        mtree_completion_t **last = &latest[silence.receivers[i]];

        if (silence.receivers[i] != 1 && *last != NULL) {
            (*last)->func(*last, MTREE_OK);
        }
        *last = silence.sent[i];
    }
    ck_assert_uint_le(silence.bytes[1], 2 * CHUNK);
    for (int r = 2; r < RANKS; r++) {
        ck_assert_uint_eq(silence.bytes[r], CHUNK * 10);
    }
}

/*
 * In an allgather over a chain the first rank sends its block to the next one and gets
 * all others from it; in a direct exchange each sends its block to each.  The windows are
 * for what is sent.
 */
UNIT_LOOP(windows_of_allgathers_are_for_what_is_sent, 0, 2)
{
    bool is_direct = _i == 1;
    const double rate = 8 * 2 * CHUNK / MTREE_CHUNK_PAYLOAD_SECONDS;

    stars(MTREE_ALLGATHER, RANKS, rate, CHUNK);
    for (int t = 0; t < RANKS && !is_direct; t++) {
        for (int r = 0; r < RANKS; r++) {
            plan->trees[t].parent[r] = r == t ? -1 : r < t ? r + 1 : r - 1;
        }
    }
    start(RANKS * CHUNK * 10, 0);
    for (int p = 0; p < layout->num_peers; p++) {
        size_t window = is_direct ? mtree_chunk_direct_window(rate, 0, CHUNK)
                                  : mtree_chunk_window(rate, 0, CHUNK);

        ck_assert_uint_eq(layout->peers[p].window, window);
    }
    ck_assert_int_eq(layout->num_peers, is_direct ? RANKS - 1 : 1);
    ck_assert_uint_eq(silence.bytes[1], is_direct ? 2 * CHUNK : 3 * CHUNK);
}

/*
 * All blocks of a chain go over its first link.  Before the first acknowledgement no more
 * of them is out than a queue of 30 ms holds, if the round trip is a good part of that.
 * Where there is hardly a round trip the window is hardly more, and where it is long the
 * link would be idle.
 */
UNIT_LOOP(windows_of_forwarded_blocks_begin_with_slow_start, 0, 3)
{
    static const struct {
        double latency;
        bool slow_start;
    } cases[] = {{0.001, false}, {0.012, true}, {0.04, false}};
    const double rate = 8 * 6 * CHUNK / MTREE_CHUNK_QUEUE_SECONDS, queue = 6 * CHUNK;
    int at_once, later;

    stars(MTREE_SCATTER, 1, RANKS * rate / (RANKS - 1), CHUNK);
    for (int r = 0; r < RANKS; r++) {
        plan->trees[0].parent[r] = r - 1;
        plan->trees[0].latency[r] = r == 0 ? 0 : cases[_i].latency;
    }
    start(sizeof(vector), 0);
    at_once = silence.num_receivers;
    if (cases[_i].slow_start) {
        ck_assert_uint_lt(layout->peers[0].initial_window, layout->peers[0].window);
        ck_assert(silence.bytes[1] <= queue);
    } else {
        ck_assert_uint_eq(layout->peers[0].initial_window, layout->peers[0].window);
        ck_assert(silence.bytes[1] >= queue);
    }
    for (int i = 0; i < at_once; i++) {
        silence.sent[i]->func(silence.sent[i], MTREE_OK);
    }
    later = silence.num_receivers - at_once;
    if (cases[_i].slow_start) {
        ck_assert_int_gt(later, at_once);
    } else {
        ck_assert_int_eq(later, at_once);
    }
    ck_assert_int_le(silence.num_receivers, MOST_SENT);
}

/* A peer whose window is full is backlogged, but for one to which packets are lost: its
 * path could carry more than what it takes. */
UNIT_LOOP(losses_are_no_backlog, 0, 2)
{
    mtree_goodput_t *goodput;

    stars(MTREE_BCAST, 1, 1e6, 0);
    fills_paths = _i == 0;
    lay_out(CHUNK * 100, 0);
    goodput = mtree_goodput_create(layout);
    mtree_goodput_begin(goodput);
    run(CHUNK * 100, goodput);
    /* Peers have arrived when they have taken a chunk. */
    for (int i = 0, peers = 0; peers < RANKS - 1; i++) {
        ck_assert_int_lt(i, silence.num_receivers);
        if (silence.receivers[i] > peers) {
            silence.sent[i]->func(silence.sent[i], MTREE_OK);
            peers++;
        }
    }
    for (int p = 0; p < layout->num_peers; p++) {
        ck_assert_int_eq(goodput->links[p].since >= 0, fills_paths);
    }
    mtree_goodput_destroy(goodput);
}

UNIT_FIXTURE(NULL, stop)
