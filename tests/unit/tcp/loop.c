/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tcp/loop.h"

#include "base/clock.h"
#include "tcp/crypto.h"
#include "tcp/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes that a socket holds, more or less. */
#define SOCKET_BYTES 8192

/* Seconds of several looks. */
#define LOOKS 0.003

/* Polls in which both ends have shaken hands, before anything is sent. */
#define HANDSHAKE 8

bool loop_encrypts;

/* That of connection @a number at @a end. */
static mtree_tls_key_t make_key(int end, int number)
{
    return (mtree_tls_key_t){{5, (unsigned char)number}, .is_client = end == 0};
}

static void message_ended(mtree_completion_t *self, mtree_status_t status)
{
    loop_message_t *message = (loop_message_t *)self;

    ck_assert(!message->has_ended);
    message->has_ended = true;
    message->status = status;
}

mtree_completion_t *loop_begin(loop_message_t *message)
{
    memset(message, 0, sizeof(*message));
    message->done.func = message_ended;
    return &message->done;
}

static void make_pair(int pair[2])
{
    int bytes = SOCKET_BYTES;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    for (int i = 0; i < 2; i++) {
        (void)setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    }
}

void loop_connect_over_tcp(int sockets[2])
{
    const mtree_tcp_ports_t any = {0, 0};
    mtree_address_t address = {.family = AF_INET};
    uint16_t port;
    int listener = mtree_tcp_socket_listen(&any, &port);

    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(inet_pton(AF_INET, "127.0.0.1", address.bytes), 1);
    sockets[0] = mtree_tcp_socket_connect(NULL, &address, port, 0);
    ck_assert_int_ge(sockets[0], 0);
    while ((sockets[1] = mtree_tcp_socket_accept(listener)) < 0 ||
           mtree_tcp_socket_connected(sockets[0]) != 1) {
        (void)usleep(500);
    }
    (void)close(listener);
}

static void connect_by(loop_t *loop, int count, void (*make)(int pair[2]))
{
    loop->count = count;
    for (int i = 0; i < count; i++) {
        int pair[2];

        make(pair);
        loop->sockets[0][i] = pair[0];
        loop->sockets[1][i] = pair[1];
    }
    for (int end = 0; end < 2; end++) {
        mtree_tls_key_t keys[MTREE_TCP_CONNECTIONS];

        for (int i = 0; i < count; i++) {
            keys[i] = make_key(end, i);
        }
        unit_ok(mtree_tcp_peer_connect(loop->ends[end].peer, loop->sockets[end],
                                       loop_encrypts ? keys : NULL, count,
                                       MTREE_TCP_TUNING_NONE));
    }
    for (int i = 0; i < HANDSHAKE && loop_encrypts; i++) {
        loop_poll(loop, i % 2);
    }
}

void loop_connect(loop_t *loop, int count)
{
    connect_by(loop, count, make_pair);
}

void loop_connect_tcp(loop_t *loop, int count)
{
    connect_by(loop, count, loop_connect_over_tcp);
}

void loop_create(loop_t *loop, int count)
{
    memset(loop, 0, sizeof(*loop));
    for (int end = 0; end < 2; end++) {
        unit_ok(mtree_tcp_create(0, &loop->ends[end].tcp));
        loop->ends[end].peer = mtree_tcp_peer_create(loop->ends[end].tcp, "the peer");
        ck_assert_ptr_nonnull(loop->ends[end].peer);
    }
    if (count > 0) {
        loop_connect(loop, count);
    }
}

void loop_destroy(loop_t *loop)
{
    for (int end = 0; end < 2; end++) {
        mtree_tcp_destroy(loop->ends[end].tcp);
    }
}

void loop_poll(loop_t *loop, int end)
{
    (void)mtree_tcp_poll(loop->ends[end].tcp);
    (void)mtree_tcp_hand_out(loop->ends[end].tcp);
}

void loop_settle(loop_t *loop)
{
    double last = mtree_clock_seconds();

    /* What is half read or written moves with each poll, and what has arrived is looked
     * for now and then. */
    for (int quiet = 0; quiet < 2000 || mtree_clock_seconds() < last + LOOKS; quiet++) {
        for (int end = 0; end < 2; end++) {
            (void)mtree_tcp_poll(loop->ends[end].tcp);
            if (mtree_tcp_hand_out(loop->ends[end].tcp) > 0) {
                quiet = 0;
                last = mtree_clock_seconds();
            }
        }
    }
}

mtree_tcp_session_t *loop_session(loop_t *loop, int end, const mtree_tcp_key_t *key)
{
    mtree_tcp_session_t *session =
        mtree_tcp_session_begin(loop->ends[end].peer, key, 1 - end, 0, loop);

    ck_assert_ptr_nonnull(session);
    return session;
}

static void encrypt(void)
{
    loop_encrypts = true;
}

void loop_add(TCase *tests, unit_add_func_t add)
{
    add(tests);
    if (mtree_crypto_is_supported()) {
        TCase *encrypted = unit_case("encrypted");

        tcase_add_checked_fixture(encrypted, encrypt, NULL);
        add(encrypted);
    }
}

int loop_listen_to_one(int *first_p, uint16_t *port_p)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(fd, 0), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *first_p = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(*first_p, (struct sockaddr *)&address, length), 0);
    *port_p = ntohs(address.sin_port);
    return fd;
}
