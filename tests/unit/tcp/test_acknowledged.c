/* SPDX-License-Identifier: BSD-3-Clause */
/* What has been read is acknowledged at once, although messages go both ways; and what
 * counts as arrived where packets are lost. */
#include "tcp/private.h"
#include "tcp/socket.h"
#include "tests/unit/tcp/loop.h"

/* Kernels acknowledge the first packets of a connection at once anyway. */
enum { TURNS = 400, BYTES = 1000 };

/* One connection over the loopback interface; its two sockets. */
static void connect_over_tcp(int sockets[2])
{
    loop_connect_over_tcp(sockets);
    for (int end = 0; end < 2; end++) {
        ck_assert(mtree_tcp_socket_tune(sockets[end], NULL));
        mtree_tcp_peer_connect(loop.ends[end].peer, sockets[end], NULL);
    }
}

/* Send a message from @a end to the other one, which reads it. */
static void pass(int end)
{
    static char from[BYTES], to[BYTES];
    static loop_message_t sent, received;

    loop_recv(1 - end, to, BYTES, &received);
    loop_send(end, from, BYTES, false, &sent);
    while (!sent.has_ended || !received.has_ended) {
        loop_poll(end);
        loop_poll(1 - end);
    }
}

UNIT_TEST(a_send_does_not_wait_for_one_back)
{
    int sockets[2], num_acknowledged = 0;

    loop_create(0);
    connect_over_tcp(sockets);
    loop_open();
    loop_settle();
    for (int turn = 0; turn < TURNS; turn++) {
        pass(turn % 2);
        num_acknowledged += mtree_tcp_socket_unacknowledged(sockets[turn % 2]) == 0;
    }
    /* A busy machine may deliver one late. */
    ck_assert_int_gt(num_acknowledged, TURNS / 2);
}

/* Synchronous messages of two sessions are written, A A B B B of BYTES each, header and
 * all.  Which of them have ended when some of their bytes are not acknowledged, and some
 * of these are missing. */
UNIT_LOOP(the_last_of_a_session_is_there_when_it_ends, 0, 8)
{
    enum { A, B, MESSAGES = 5 };
    static const struct {
        int unacknowledged, missing; /* messages */
        const char *ended;
    } cases[] = {
        {5, 5, "-----"},
        {4, 4, "*----"},
        /* The first one is lost, and others are there: as many end, but the last of A. */
        {5, 4, "*----"},
        {5, 3, "*----"},
        {5, 1, "*-**-"},
        /* The second one of A is lost. */
        {4, 1, "*-**-"},
        /* The last one of B is not acknowledged, though nothing is missing, as it seems.
         */
        {1, 0, "****-"},
        {0, 0, "*****"},
    };
    static const int session[MESSAGES] = {A, A, B, B, B};
    mtree_list_t *link;
    mtree_tcp_message_t *messages[MESSAGES];
    mtree_tcp_connection_t connection = {.written = MESSAGES * BYTES};
    static loop_message_t done[MESSAGES];

    loop_create(0);
    mtree_list_init(&connection.stream);
    for (int i = 0; i < MESSAGES; i++) {
        messages[i] = mtree_tcp_message_create(loop.ends[0].peer, NULL);
        messages[i]->frame.key.context = (uint32_t)session[i];
        messages[i]->done = loop_begin(&done[i]);
        messages[i]->is_synchronous = true;
        messages[i]->end = (uint64_t)(i + 1) * BYTES;
        mtree_list_append(&connection.stream, &messages[i]->link);
    }
    mtree_tcp_connection_confirm_by(&connection, (size_t)cases[_i].unacknowledged * BYTES,
                                    (size_t)cases[_i].missing * BYTES);
    loop_poll(0);
    for (int i = 0; i < MESSAGES; i++) {
        ck_assert_int_eq(done[i].has_ended, cases[_i].ended[i] == '*');
    }
    while ((link = mtree_list_take(&connection.stream)) != NULL) {
        mtree_tcp_message_free(MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link));
    }
}

/* The peer says that it has read more than was written: nothing has arrived by that. */
UNIT_TEST(a_position_that_cannot_be_ends_no_message)
{
    mtree_tcp_message_t *message;
    static loop_message_t done;
    mtree_tcp_connection_t connection = {.sent = MTREE_TCP_HEADER};

    loop_create(0);
    connection.peer = loop.ends[0].peer;
    mtree_list_init(&connection.stream);
    message = mtree_tcp_message_create(loop.ends[0].peer, NULL);
    message->done = loop_begin(&done);
    message->until = MTREE_TCP_HEADER;
    mtree_list_append(&connection.stream, &message->link);
    ck_assert(!mtree_tcp_connection_rewind(&connection, MTREE_TCP_HEADER + 1));
    ck_assert(!mtree_tcp_connection_rewind(&connection, UINT64_MAX));
    loop_poll(0);
    ck_assert(!done.has_ended);
    ck_assert(mtree_tcp_connection_rewind(&connection, MTREE_TCP_HEADER));
    loop_poll(0);
    ck_assert(done.has_ended);
}

UNIT_FIXTURE(NULL, loop_destroy)
