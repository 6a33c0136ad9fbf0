/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls may be under way: every rank has its own order of events, and yet each
 * message meets a receive of its own call.
 */
#include "coll_mtree/base/call_window.h"

#include "coll_mtree/base/tuning.h"
#include "tests/unit/runner.h"

#include "base/container_of.h"

enum { RANKS = 3, CALLS = 5 * COLL_MTREE_LIVE_CALLS, SEEDS = 300 };

/* A call of one rank.  It ends when it has a message of every other rank. */
typedef struct {
    coll_mtree_windowed_call_t windowed;
    bool begun, left;
    int received;
} call_t;

/* Of one set of tags from one rank to another: the calls whose messages were sent, and
 * those that have posted a receive, in order. */
typedef struct {
    unsigned long sent[CALLS], posted[CALLS];
    int num_sent, num_posted, num_matched;
} pair_t;

typedef struct {
    coll_mtree_call_window_t window;
    call_t calls[CALLS];
    unsigned long num_issued;
    int num_entered, num_left;
} rank_t;

static rank_t ranks[RANKS];
static pair_t pairs[RANKS][RANKS][COLL_MTREE_LIVE_CALLS];
static unsigned state;

static unsigned long draw(unsigned long below)
{
    return (unsigned long)rand_r(&state) % below;
}

/* Calls begin as the window allows: each sends to, and posts a receive from, every other
 * rank. */
static void begin(int rank)
{
    coll_mtree_windowed_call_t *next;

    while ((next = coll_mtree_call_window_take(&ranks[rank].window)) != NULL) {
        call_t *call = MTREE_CONTAINER_OF(next, call_t, windowed);
        unsigned long set = next->number % COLL_MTREE_LIVE_CALLS;

        ck_assert(!call->begun);
        call->begun = true;
        for (int other = 0; other < RANKS; other++) {
            pair_t *out = &pairs[rank][other][set], *in = &pairs[other][rank][set];

            if (other != rank) {
                out->sent[out->num_sent++] = next->number;
                in->posted[in->num_posted++] = next->number;
            }
        }
    }
}

/* The next message of a pair, if there is one, meets the next receive. */
static void match(int from, int to, unsigned long set)
{
    pair_t *pair = &pairs[from][to][set];
    rank_t *rank = &ranks[to];
    unsigned long number;

    if (pair->num_matched == pair->num_sent || pair->num_matched == pair->num_posted) {
        return;
    }
    number = pair->posted[pair->num_matched];
    if (pair->sent[pair->num_matched++] != number) {
        ck_abort_msg("a message of another call came for call %lu", number);
    }
    if (++rank->calls[number].received == RANKS - 1) {
        rank->calls[number].left = true;
        rank->num_left++;
        coll_mtree_call_window_leave(&rank->window, &rank->calls[number].windowed);
        begin(to);
    }
}

/* The plan of one of the calls that were issued is known: in any order of the calls. */
static void enter(int rank)
{
    rank_t *self = &ranks[rank];
    unsigned long at = draw(self->num_issued);

    for (unsigned long i = 0; i < self->num_issued; i++) {
        call_t *call = &self->calls[(at + i) % self->num_issued];

        if (call->windowed.link.next == NULL) {
            self->num_entered++;
            coll_mtree_call_window_enter(&self->window, &call->windowed);
            begin(rank);
            return;
        }
    }
}

static void step(int seed)
{
    int rank = (int)draw(RANKS), other = (int)draw(RANKS);

    switch (draw(4)) {
    case 0:
        if (ranks[rank].num_issued < CALLS) {
            coll_mtree_windowed_call_t *call =
                &ranks[rank].calls[ranks[rank].num_issued++].windowed;

            call->number = ranks[rank].window.issued++;
            /* The same on all ranks; every other seed has long calls. */
            call->bytes =
                seed % 2 == 0 ? 0 : COLL_MTREE_LONG_BYTES / (1 + call->number % 7);
        }
        break;
    case 1:
        if (ranks[rank].num_issued > (unsigned long)ranks[rank].num_entered) {
            enter(rank);
        }
        break;
    default:
        if (rank != other) {
            match(rank, other, draw(COLL_MTREE_LIVE_CALLS));
        }
    }
}

static bool all_left(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        if (ranks[rank].num_left < CALLS) {
            return false;
        }
    }
    return true;
}

UNIT_TEST(messages_meet_their_calls_and_all_calls_end)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        long steps = 0;

        state = (unsigned)seed;
        memset(ranks, 0, sizeof(ranks));
        memset(pairs, 0, sizeof(pairs));
        for (int rank = 0; rank < RANKS; rank++) {
            coll_mtree_call_window_init(&ranks[rank].window);
        }
        while (!all_left()) {
            step(seed);
            if (++steps > 10000000) {
                ck_abort_msg("seed %d: a call waits for ever", seed);
            }
        }
    }
}

/* Calls that are looked at alone, in one window. */
static call_t calls[CALLS];
static coll_mtree_call_window_t window;

static void enter_call(unsigned long number, size_t bytes)
{
    calls[number].windowed.number = number;
    calls[number].windowed.bytes = bytes;
    coll_mtree_call_window_enter(&window, &calls[number].windowed);
}

static int count_begun(void)
{
    int begun = 0;

    while (coll_mtree_call_window_take(&window) != NULL) {
        begun++;
    }
    return begun;
}

UNIT_TEST(so_many_calls_begin_at_a_time)
{
    coll_mtree_call_window_init(&window);
    for (unsigned long i = 0; i < CALLS; i++) {
        enter_call(i, 0);
    }
    ck_assert_int_eq(count_begun(), COLL_MTREE_LIVE_CALLS);
    coll_mtree_call_window_leave(&window, &calls[7].windowed);
    ck_assert_uint_eq(coll_mtree_call_window_take(&window)->number,
                      7 + COLL_MTREE_LIVE_CALLS);
    ck_assert_ptr_null(coll_mtree_call_window_take(&window));
}

UNIT_TEST(few_long_calls_begin_and_always_the_first)
{
    coll_mtree_call_window_init(&window);
    for (unsigned long i = COLL_MTREE_LIVE_CALLS; i-- > 1;) {
        enter_call(i, COLL_MTREE_LONG_BYTES);
    }
    ck_assert_int_eq(count_begun(), COLL_MTREE_LONG_CALLS);
    enter_call(0, COLL_MTREE_LONG_BYTES);
    ck_assert_ptr_eq(coll_mtree_call_window_take(&window), &calls[0].windowed);
    ck_assert_ptr_null(coll_mtree_call_window_take(&window));
}

UNIT_TEST(after_a_failure_no_call_waits)
{
    coll_mtree_call_window_init(&window);
    for (unsigned long i = 0; i < CALLS; i++) {
        if (i == CALLS - 1) {
            coll_mtree_call_window_break(&window);
        }
        enter_call(i, 0);
    }
    ck_assert_int_eq(count_begun(), CALLS);
}
