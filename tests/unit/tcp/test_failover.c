/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that are made again over another link return to their own one or know that
 * it is gone, and find out that long packets are lost.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tcp/socket.h"
#include "tests/unit/tcp/dial_pair.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* The link of the first end's only connection is gone, which is made again over another
 * way. */
static mtree_tcp_connection_t *fail_over(void)
{
    mtree_tcp_connection_t *connection;
    mtree_tcp_dial_t *dial;

    pair_create(1);
    connection = &loop.ends[0].peer->connections[0];
    dial = loop.ends[0].peer->dial;
    dial->is_spread = true;
    /* No interface of this host has it. */
    dial->sources[0] = (mtree_address_t){.family = AF_INET, .bytes = {192, 0, 2, 1}};
    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(PAIR_BOTH, connection->has_failed_over);
    ck_assert_int_eq(mtree_tcp_peer_links(connection->peer), MTREE_LINK_LOST);
    ck_assert_int_eq(mtree_tcp_peer_links(loop.ends[1].peer), MTREE_LINK_CARRIES);
    return connection;
}

/* As while messages are under way: for some seconds, or until the link of @a connection
 * is @a wanted and it stands; is it so? */
static bool look_until(double seconds, const mtree_tcp_connection_t *connection,
                       mtree_link_state_t wanted)
{
    const double end = mtree_clock_seconds() + seconds;
    bool is_so = false;

    while (!is_so && mtree_clock_seconds() < end) {
        mtree_tcp_peer_make_again(loop.ends[0].peer, mtree_clock_seconds());
        pair_poll(PAIR_BOTH);
        is_so = mtree_tcp_peer_links(connection->peer) == wanted && !connection->is_lost;
    }
    return is_so;
}

BOTH_LOOP(a_connection_returns_to_its_own_link, 0, 2)
{
    mtree_tcp_connection_t *connection = fail_over();

    connection->peer->dial->sources[0].family = AF_UNSPEC;
    ck_assert(look_until(20, connection, MTREE_LINK_CARRIES));
    ck_assert(!connection->has_failed_over);
    ck_assert_int_eq(mtree_tcp_peer_links(connection->peer), MTREE_LINK_CARRIES);
    pair_pass(_i);
}

UNIT_TEST(a_link_that_does_not_come_back_is_gone)
{
    mtree_tcp_connection_t *connection = fail_over();

    connection->failed_over.seconds = MTREE_TCP_FAILBACK_SECONDS - 0.2;
    ck_assert(look_until(20, connection, MTREE_LINK_GONE));
    /* It is not dialed any more. */
    connection->peer->dial->sources[0].family = AF_UNSPEC;
    ck_assert(!look_until(0.5, connection, MTREE_LINK_CARRIES));
    ck_assert(connection->has_failed_over && !connection->is_lost);
    ck_assert_int_eq(mtree_tcp_peer_links(connection->peer), MTREE_LINK_GONE);
}

/* The only connection of the first end is lost, and made again. */
static void make_again(void)
{
    mtree_tcp_connection_t *connection = &loop.ends[0].peer->connections[0];
    const double made = connection->made;

    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(PAIR_BOTH, connection->made != made || connection->peer->has_failed);
    /* It stood for a while. */
    connection->made -= 2;
}

static int longest_segment(int socket)
{
    int bytes = 0;
    socklen_t length = sizeof(bytes);

    ck_assert_int_eq(getsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &bytes, &length), 0);
    return bytes;
}

/* As where packets are lost that are longer than those of greetings. */
BOTH_TEST(what_was_made_again_in_vain_has_short_packets)
{
    char from[] = "from", to[5] = "";
    static loop_message_t sent, received;
    mtree_tcp_peer_t *peers[2];

    pair_create(1);
    for (int i = 0; i < 2; i++) {
        peers[i] = loop.ends[i].peer;
    }
    loop_recv(0, to, 5, &received);
    make_again();
    ck_assert_int_eq(heard_lines(), 0);
    make_again();
    heard_only("long packets to or from the peer are lost");
    ck_assert_int_gt(longest_segment(peers[0]->connections[0].socket),
                     MTREE_TCP_DEFAULT_MSS);
    make_again();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_le(longest_segment(peers[i]->connections[0].socket),
                         MTREE_TCP_DEFAULT_MSS);
    }
    loop_send(1, from, 5, true, &sent);
    pair_await(&received);
    ck_assert_str_eq(to, "from");
    ck_assert_int_eq(heard_lines(), 1);
}

UNIT_TEST(what_is_made_again_in_vain_is_given_up)
{
    static loop_message_t received;
    mtree_tcp_peer_t *peer;
    int times = 0;
    char byte;

    pair_create(1);
    peer = loop.ends[0].peer;
    loop_recv(0, &byte, 1, &received);
    while (!peer->has_failed) {
        make_again();
        times++;
    }
    ck_assert_int_gt(times, 10);
    ck_assert_int_lt(times, 15);
    pair_poll(0);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
}

BOTH_FIXTURE(NULL, pair_destroy)
UNIT_SECONDS(120)
