/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in fragments arrive whole, over any transport, and end once when one fails. */
#include "coll_mtree/control/fragmented_message.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"

#include "base/container_of.h"

enum { LENGTH = 1000, TAG = 3 };

/* One end of a message. */
typedef struct {
    mtree_inbox_t inbox;
    coll_mtree_fragmented_message_t message;
    int ended;
    mtree_status_t status;
    bool finished;
} end_t;

static void ended(coll_mtree_fragmented_message_t *message, mtree_status_t status)
{
    end_t *end = MTREE_CONTAINER_OF(message, end_t, message);

    end->ended++;
    end->status = status;
}

static bool is_idle(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, end_t, inbox)->ended > 0;
}

static void finish(mtree_inbox_t *inbox)
{
    MTREE_CONTAINER_OF(inbox, end_t, inbox)->finished = true;
}

static void start(end_t *end, mtree_transport_t *transport, bool receives, char *bytes,
                  size_t length, size_t longest)
{
    coll_mtree_move_t move = {.inbox = &end->inbox,
                              .transport = transport,
                              .longest = longest,
                              .receives = receives,
                              .peer = receives ? 0 : 1,
                              .tag = TAG,
                              .bytes = bytes,
                              .length = length,
                              .ended = ended};

    *end = (end_t){.status = MTREE_ERR_INVALID};
    mtree_inbox_init(&end->inbox, is_idle, finish);
    coll_mtree_fragmented_message_start(&end->message, &move);
    mtree_inbox_open(&end->inbox);
}

static void assert_moved(size_t length, size_t longest, unsigned seed)
{
    chaos_t *chaos = chaos_create(2, 1, seed);
    char from[LENGTH + 1], to[LENGTH + 1];
    end_t sender, receiver;

    for (int i = 0; i <= LENGTH; i++) {
        from[i] = (char)(i * 7 + 1);
    }
    memset(to, 0, sizeof(to));
    start(&receiver, chaos_transport(chaos, 1), true, to, length, longest);
    start(&sender, chaos_transport(chaos, 0), false, from, length, longest);
    while (chaos_step(chaos)) {}
    ck_assert(chaos_is_quiet(chaos));
    ck_assert(sender.finished && receiver.finished);
    ck_assert_int_eq(sender.ended + receiver.ended, 2);
    unit_ok(sender.status);
    unit_ok(receiver.status);
    ck_assert_mem_eq(to, from, length);
    ck_assert_int_eq(to[length], 0);
    chaos_destroy(chaos);
}

UNIT_TEST(messages_arrive_whole)
{
    const size_t longests[] = {1, 3, LENGTH - 1, LENGTH, LENGTH + 1};

    for (unsigned seed = 0; seed < 5; seed++) {
        for (size_t i = 0; i < sizeof(longests) / sizeof(longests[0]); i++) {
            assert_moved(LENGTH, longests[i], seed);
            assert_moved(0, longests[i], seed);
            assert_moved(1, longests[i], seed);
        }
    }
}

/* A transport of which the test says when messages end, and with what; or that ends them
 * at once and well, but the last of those that it takes, of `takes`, with `status`. */
typedef struct {
    mtree_transport_t super;
    bool at_once;
    int started, takes;
    mtree_status_t status;
    mtree_completion_t *last;
} manual_t;

static mtree_completion_t *cancelled;

static void cancel(mtree_completion_t *done)
{
    cancelled = done;
}

static mtree_status_t manual_start(mtree_transport_t *super, mtree_completion_t *done)
{
    manual_t *manual = (manual_t *)super;

    if (manual->at_once && manual->started == manual->takes) {
        return MTREE_ERR_TRANSPORT;
    }
    manual->started++;
    manual->last = done;
    if (manual->at_once) {
        done->func(done, manual->started == manual->takes ? manual->status : MTREE_OK);
    }
    return MTREE_OK;
}

static mtree_status_t manual_send(mtree_transport_t *super, int peer, int tag,
                                  const void *buffer, size_t count, bool synchronous,
                                  mtree_completion_t *done)
{
    (void)peer, (void)tag, (void)buffer, (void)count, (void)synchronous;
    return manual_start(super, done);
}

static mtree_status_t manual_recv(mtree_transport_t *super, int peer, int tag,
                                  void *buffer, size_t count, mtree_completion_t *done)
{
    (void)peer, (void)tag, (void)buffer, (void)count;
    return manual_start(super, done);
}

static const mtree_transport_ops_t ops = {.send = manual_send, .recv = manual_recv};

static void assert_fails(int takes, mtree_status_t status)
{
    manual_t failing = {
        .super = {.ops = &ops}, .at_once = true, .takes = takes, .status = status};
    char bytes[LENGTH] = {0};
    end_t sender;

    start(&sender, &failing.super, false, bytes, LENGTH, LENGTH / 10);
    ck_assert(sender.finished);
    ck_assert_int_eq(sender.ended, 1);
    ck_assert_int_eq(sender.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(failing.started, takes);
}

/* A message in ten fragments is abandoned during the third, which arrives all the same.
 */
static void abandon(end_t *end, manual_t *manual, bool receives)
{
    static char bytes[LENGTH];

    start(end, &manual->super, receives, bytes, LENGTH, LENGTH / 10);
    end->message.move.cancel = cancel;
    cancelled = NULL;
    while (manual->started < 3) {
        manual->last->func(manual->last, MTREE_OK);
    }
    coll_mtree_fragmented_message_abandon(&end->message);
    ck_assert_ptr_eq(cancelled, manual->last);
    for (int i = 0; i < 10 && !end->finished; i++) {
        manual->last->func(manual->last, MTREE_OK);
    }
    ck_assert(end->finished);
    ck_assert_int_eq(end->ended, 1);
}

UNIT_TEST(nothing_more_is_received_of_an_abandoned_message)
{
    manual_t in = {.super = {.ops = &ops}}, out = in;
    end_t receiver, sender;

    abandon(&receiver, &in, true);
    ck_assert_int_eq(in.started, 3);
    ck_assert_int_eq(receiver.status, MTREE_ERR_TRANSPORT);
    abandon(&sender, &out, false);
    ck_assert_int_eq(out.started, 10);
    unit_ok(sender.status);
}

UNIT_TEST(a_message_that_fails_ends_once)
{
    for (int left = 0; left < 10; left++) {
        assert_fails(left, MTREE_OK); /* the next one is refused */
        assert_fails(left, MTREE_ERR_TRANSPORT);
    }
    assert_fails(10, MTREE_ERR_TRANSPORT);
}
