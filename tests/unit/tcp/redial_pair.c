/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tcp/redial_pair.h"

#include "base/clock.h"
#include "tcp/redial.h"
#include "tests/unit/runner.h"

#include <arpa/inet.h>

/* Seconds that a message may take. */
#define PATIENCE 20.0

static mtree_tcp_admission_t admit(void *arg, const mtree_tcp_greeting_t *greeting,
                                   int socket)
{
    return mtree_tcp_peer_admit(((loop_end_t *)arg)->peer, greeting, socket)
               ? MTREE_TCP_ADMITTED
               : MTREE_TCP_REFUSED;
}

void pair_create(pair_t *pair, int count)
{
    const mtree_tcp_secret_t secrets[2] = {{{1}}, {{2}}};
    const mtree_tcp_ports_t any = {0, 0};

    loop_create(&pair->loop, 0);
    for (int end = 0; end < 2; end++) {
        pair->listeners[end] =
            mtree_tcp_listener_create(&any, &secrets[end], admit, &pair->loop.ends[end]);
        ck_assert_ptr_nonnull(pair->listeners[end]);
    }
    for (int end = 0; end < 2; end++) {
        mtree_tcp_redial_t redial = {
            .dial = {.rank = (uint32_t)end,
                     .secret = secrets[1 - end],
                     .addresses = {{.family = AF_INET}, {.family = AF_INET}},
                     .num_addresses = 2,
                     .port = mtree_tcp_listener_port(pair->listeners[1 - end])},
            .dials = end == 0,
            .rank = (uint32_t)(1 - end),
            .secret = secrets[end],
            .num_first = 1};

        (void)inet_pton(AF_INET, "127.0.0.1", redial.dial.addresses[0].bytes);
        (void)inet_pton(AF_INET, "127.0.0.2", redial.dial.addresses[1].bytes);
        for (int i = 0; i < count; i++) {
            redial.attempts[i] = 1;
        }
        unit_ok(mtree_tcp_peer_redial(pair->loop.ends[end].peer, &redial));
    }
    loop_connect_tcp(&pair->loop, count);
}

void pair_destroy(pair_t *pair)
{
    loop_destroy(&pair->loop);
    for (int end = 0; end < 2; end++) {
        mtree_tcp_listener_destroy(pair->listeners[end]);
    }
}

void pair_poll(pair_t *pair, int end)
{
    if (pair->listeners[end] != NULL) {
        mtree_tcp_listener_poll(pair->listeners[end]);
    }
    loop_poll(&pair->loop, end);
}

void pair_await(pair_t *pair, const loop_message_t *message)
{
    const double end = mtree_clock_seconds() + PATIENCE;

    while (!message->has_ended) {
        ck_assert(mtree_clock_seconds() < end);
        pair_poll(pair, 0);
        pair_poll(pair, 1);
    }
}

void pair_pass(pair_t *pair, int end)
{
    static const mtree_tcp_key_t key = {3, 71, 1};
    char from[] = "from", to[sizeof(from)] = "";
    loop_message_t sent, received;

    unit_ok(mtree_tcp_send(loop_session(&pair->loop, end, &key), 0, from, sizeof(from),
                           true, loop_begin(&sent)));
    unit_ok(mtree_tcp_recv(loop_session(&pair->loop, 1 - end, &key), 0, to, sizeof(to),
                           loop_begin(&received)));
    pair_await(pair, &sent);
    pair_await(pair, &received);
    unit_ok(received.status);
    ck_assert_str_eq(to, from);
}
