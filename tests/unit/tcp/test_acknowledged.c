/* SPDX-License-Identifier: BSD-3-Clause */
/* What has been read is acknowledged at once, although messages go both ways. */
#include "tcp/socket.h"
#include "tests/unit/tcp/loop.h"

#include <check.h>
#include <stdlib.h>

/* Kernels acknowledge the first packets of a connection at once anyway. */
enum { TURNS = 400, BYTES = 1000 };

static const mtree_tcp_key_t key = {3, 70, 1};

/* One connection over the loopback interface; its two sockets. */
static void connect_over_tcp(loop_t *loop, int sockets[2])
{
    loop_connect_over_tcp(sockets);
    for (int end = 0; end < 2; end++) {
        ck_assert(mtree_tcp_socket_tune(sockets[end], NULL));
        ck_assert_int_eq(mtree_tcp_peer_connect(loop->ends[end].peer, &sockets[end], NULL,
                                                1, MTREE_TCP_TUNING_NONE),
                         MTREE_OK);
    }
}

/* Send a message from @a end to the other one, which reads it. */
static void pass(loop_t *loop, mtree_tcp_session_t *const sessions[2], int end)
{
    static char from[BYTES], to[BYTES];
    loop_message_t sent, received;

    ck_assert_int_eq(
        mtree_tcp_recv(sessions[1 - end], 0, to, BYTES, loop_begin(&received)), MTREE_OK);
    ck_assert_int_eq(
        mtree_tcp_send(sessions[end], 0, from, BYTES, false, loop_begin(&sent)),
        MTREE_OK);
    while (!sent.has_ended || !received.has_ended) {
        loop_poll(loop, end);
        loop_poll(loop, 1 - end);
    }
}

START_TEST(a_send_does_not_wait_for_one_back)
{
    mtree_tcp_session_t *sessions[2];
    int sockets[2], num_acknowledged = 0;
    loop_t loop;

    loop_create(&loop, 0);
    connect_over_tcp(&loop, sockets);
    for (int end = 0; end < 2; end++) {
        sessions[end] =
            mtree_tcp_session_begin(loop.ends[end].peer, &key, 1 - end, 0, &loop);
        ck_assert_ptr_nonnull(sessions[end]);
    }
    loop_settle(&loop);
    for (int turn = 0; turn < TURNS; turn++) {
        pass(&loop, sessions, turn % 2);
        num_acknowledged += mtree_tcp_socket_under_way(sockets[turn % 2]) == 0;
    }
    /* A busy machine may deliver one late. */
    ck_assert_int_gt(num_acknowledged, TURNS / 2);
    loop_destroy(&loop);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("acknowledged");
    TCase *tcase = tcase_create("acknowledged");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_send_does_not_wait_for_one_back);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
