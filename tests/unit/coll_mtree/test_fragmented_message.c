/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in fragments arrive whole, over any transport, and end once when one fails. */
#include "coll_mtree/control/fragmented_message.h"
#include "tests/unit/schedule/chaos.h"

#include "base/container_of.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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
    ck_assert_int_eq(sender.status, MTREE_OK);
    ck_assert_int_eq(receiver.status, MTREE_OK);
    ck_assert_mem_eq(to, from, length);
    ck_assert_int_eq(to[length], 0);
    chaos_destroy(chaos);
}

START_TEST(messages_arrive_whole)
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
END_TEST

/* A transport that takes `left` messages, all of which end at once, the last of them with
 * `status`, and refuses the next. */
typedef struct {
    mtree_transport_t super;
    int left;
    mtree_status_t status;
} failing_t;

static mtree_status_t failing_send(mtree_transport_t *super, int peer, int tag,
                                   const void *buffer, size_t count, bool synchronous,
                                   mtree_completion_t *done)
{
    failing_t *failing = (failing_t *)super;

    (void)peer;
    (void)tag;
    (void)buffer;
    (void)count;
    (void)synchronous;
    if (failing->left == 0) {
        return MTREE_ERR_TRANSPORT;
    }
    done->func(done, --failing->left == 0 ? failing->status : MTREE_OK);
    return MTREE_OK;
}

static void assert_fails(int left, mtree_status_t status)
{
    static const mtree_transport_ops_t ops = {.send = failing_send};
    failing_t failing = {{.ops = &ops}, left, status};
    char bytes[LENGTH] = {0};
    end_t sender;

    start(&sender, &failing.super, false, bytes, LENGTH, LENGTH / 10);
    ck_assert(sender.finished);
    ck_assert_int_eq(sender.ended, 1);
    ck_assert_int_eq(sender.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(failing.left, 0);
}

START_TEST(a_message_that_fails_ends_once)
{
    for (int left = 0; left < 10; left++) {
        assert_fails(left, MTREE_OK); /* the next one is refused */
        assert_fails(left, MTREE_ERR_TRANSPORT);
    }
    assert_fails(10, MTREE_ERR_TRANSPORT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fragmented_message");
    TCase *tcase = tcase_create("fragmented_message");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, messages_arrive_whole);
    tcase_add_test(tcase, a_message_that_fails_ends_once);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
