/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls go on while relays are asked, which may take seconds.
 */
#include "base/clock.h"
#include "relay/roster.h"
#include "tests/unit/runner.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static mtree_relay_roster_t roster = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *ask(void *address)
{
    mtree_relay_roster_add(&roster, address);
    mtree_relay_roster_await(&roster);
    return NULL;
}

/* The relay's connection stands when the call is done: it is still asked. */
UNIT_TEST(no_call_waits_for_a_relay_that_is_asked)
{
    const mtree_tcp_ports_t any = {0, 0};
    unsigned char bytes[MTREE_RELAY_MAGIC];
    char address[32];
    pthread_t planner;
    uint16_t port;
    int listener = mtree_tcp_socket_listen(&any, &port), relay;
    ssize_t count;

    (void)snprintf(address, sizeof(address), "127.0.0.1:%d", (int)port);
    ck_assert_int_eq(pthread_create(&planner, NULL, ask, address), 0);
    while ((relay = mtree_tcp_socket_accept(listener)) < 0) {
        mtree_clock_sleep(0.001);
    }
    ck_assert(!mtree_relay_roster_drop_unreached(&roster));
    while ((count = recv(relay, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {}
    ck_assert(count < 0 && mtree_tcp_socket_is_later());

    mtree_relay_magic_write(bytes);
    bytes[MTREE_RELAY_MAGIC - 1]++;
    ck_assert(mtree_tcp_socket_send(relay, bytes, sizeof(bytes)));
    ck_assert_int_eq(pthread_join(planner, NULL), 0);
    ck_assert_ptr_null(mtree_relay_roster_reached(&roster, address));
    heard_only("it is of another version of mtree; planned without it");
    mtree_relay_roster_close(&roster);
    (void)close(relay);
    (void)close(listener);
}
