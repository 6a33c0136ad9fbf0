/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tcp/dial_pair.h"

#include "tcp/private.h"

#include <sys/socket.h>

struct pair pair;

/* The other end has greeted. */
static mtree_tcp_admission_t admit(void *arg, mtree_tcp_greeting_t *greeting, int socket)
{
    const mtree_tcp_resumption_t theirs = mtree_tcp_resumption_read(greeting->said);

    (void)arg;
    return mtree_tcp_peer_admit(loop.ends[1 - theirs.rank].peer, greeting, socket);
}

static const mtree_tcp_secret_t secrets[2] = {{{1}}, {{2}}};

static void find_secret(void *arg, const unsigned char said[MTREE_TCP_SAID],
                        mtree_tcp_secret_t *secret)
{
    (void)arg;
    *secret = secrets[1 - mtree_tcp_resumption_read(said).rank];
}

void pair_begin(int count)
{
    const mtree_tcp_ports_t any = {0, 0};

    loop_create(0);
    for (int end = 0; end < 2; end++) {
        pair.listeners[end] = mtree_tcp_listener_create(&any);
        ck_assert_ptr_nonnull(pair.listeners[end]);
    }
    for (int end = 0; end < 2; end++) {
        pair.dials[end] =
            (mtree_tcp_dial_t){.dials = end == 0,
                               .own_rank = (uint32_t)end,
                               .rank = (uint32_t)(1 - end),
                               .secret = secrets[1 - end],
                               .addresses = {mtree_address_parse("127.0.0.1"),
                                             mtree_address_parse("127.0.0.2")},
                               .num_addresses = 2,
                               .num_first = 1,
                               .port = mtree_tcp_listener_port(pair.listeners[1 - end]),
                               .num_connections = count};
    }
}

void pair_dial(int end)
{
    pair.dials[end].is_encrypted = loop_encrypts;
    mtree_tcp_peer_dial(loop.ends[end].peer, &pair.dials[end]);
}

static bool all_stand(void)
{
    for (int end = 0; end < 2; end++) {
        const mtree_tcp_peer_t *peer = loop.ends[end].peer;

        ck_assert(!peer->has_failed);
        for (int i = 0; i < peer->num_connections; i++) {
            if (peer->connections[i].is_lost) {
                return false;
            }
        }
    }
    return true;
}

void pair_meet(void)
{
    pair_dial(0);
    pair_dial(1);
    PAIR_UNTIL(PAIR_BOTH, all_stand());
}

void pair_create(int count)
{
    pair_begin(count);
    pair_meet();
}

void pair_destroy(void)
{
    loop_destroy();
    for (int end = 0; end < 2; end++) {
        mtree_tcp_listener_destroy(pair.listeners[end]);
    }
}

void pair_poll(int end)
{
    for (int i = 0; i < 2; i++) {
        loop_end_t *polled = &loop.ends[i];

        if (end == i || end == PAIR_BOTH) {
            const mtree_tcp_reception_t reception = {
                .num_awaited = mtree_tcp_num_missing(polled->tcp),
                .find_secret = find_secret,
                .admit = admit};

            mtree_tcp_listener_poll(pair.listeners[i], &reception, mtree_clock_seconds());
            loop_poll(i);
        }
    }
}

void pair_poll_for(int end, double seconds)
{
    const double until = mtree_clock_seconds() + seconds;

    while (mtree_clock_seconds() < until) {
        pair_poll(end);
    }
}

void pair_await(const loop_message_t *message)
{
    PAIR_UNTIL(PAIR_BOTH, message->has_ended);
}

bool pair_ends(int fd, struct sockaddr_in ends[2])
{
    struct sockaddr_storage storage[2];

    for (int i = 0; i < 2; i++) {
        struct sockaddr *address = (struct sockaddr *)&storage[i];
        const struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
        socklen_t length = sizeof(storage[i]);

        if ((i == 0 ? getsockname : getpeername)(fd, address, &length) != 0) {
            return false;
        }
        memcpy(&ends[i], address, sizeof(ends[i]));
        if (address->sa_family == AF_INET6) {
            memcpy(&ends[i].sin_addr, &in6->sin6_addr.s6_addr[12], 4);
        }
    }
    return true;
}

void pair_pass(int end)
{
    static const mtree_tcp_key_t key = {3, 71, 1};
    char from[] = "from", to[sizeof(from)] = "";
    static loop_message_t sent, received;

    unit_ok(mtree_tcp_send(loop_session(end, &key), 0, from, sizeof(from), true,
                           loop_begin(&sent)));
    unit_ok(mtree_tcp_recv(loop_session(1 - end, &key), 0, to, sizeof(to),
                           loop_begin(&received)));
    pair_await(&sent);
    pair_await(&received);
    unit_ok(received.status);
    ck_assert_str_eq(to, from);
}
