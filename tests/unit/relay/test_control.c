/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When rank 0 takes a relay for silent: not because it was away itself.  The clock is the
 * test's own.  Calls of several threads that a relay refuses, and which of the relays
 * that cannot reach each other are left out.
 */
#include "base/bytes.h"
#include "base/clock.h"
#include "relay/control.h"
#include "relay/server.h"
#include "tests/unit/runner.h"

#include <stdio.h>
#include <sys/socket.h>

/* Seconds between two polls. */
#define STEP 0.05

static mtree_relay_server_t *server;
static mtree_relay_control_t control;

static void start(void)
{
    const mtree_relay_options_t options = {.most_jobs = 1, .memory = 1 << 20};
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL};
    mtree_relay_key_t key;
    char address[32];

    unit_ok(mtree_relay_server_create(&options, &server));
    (void)snprintf(address, sizeof(address), "127.0.0.1:%d",
                   (int)mtree_relay_server_port(server));
    mtree_relay_job_key(&options.secret, &hello.job, &key);
    mtree_relay_control_init(&control, address, &hello, &key, mtree_clock_seconds());
    while (mtree_relay_control_dial(&control, mtree_clock_seconds())) {
        mtree_relay_server_poll(server, 0);
    }
    ck_assert(control.is_up);
}

static void stop(void)
{
    mtree_relay_channel_cleanup(&control.channel);
    mtree_relay_server_destroy(server);
}

/* Poll rank 0, and the relay, or not, from *now on. */
static void poll_both(double *now, int polls, bool relay_answers)
{
    for (int i = 0; i < polls; i++) {
        mtree_relay_control_poll(&control, *now);
        if (relay_answers) {
            mtree_relay_server_poll(server, 0);
        }
        *now += STEP;
    }
}

UNIT_TEST(who_was_away_asks_again)
{
    double now = mtree_clock_seconds();

    poll_both(&now, 3, true);
    for (int i = 0; i < 3; i++) {
        now += 3600;
        poll_both(&now, 40, true);
        ck_assert(control.is_up);
    }
}

UNIT_TEST(a_relay_that_does_not_answer_is_silent)
{
    double now = mtree_clock_seconds();

    poll_both(&now, 90, false);
    ck_assert(control.is_up);
    poll_both(&now, 20, false);
    ck_assert(!control.is_up);
}

/* What it said before the last ping is no answer to that. */
UNIT_TEST(who_is_asked_has_yet_to_answer)
{
    for (int i = 0; i < 2; i++) {
        ck_assert(mtree_relay_control_send(&control, MTREE_RELAY_PING, NULL, 0));
        mtree_relay_control_poll(&control, mtree_clock_seconds());
        ck_assert(control.received <= control.pinged);
        while (control.received <= control.pinged) {
            mtree_relay_server_poll(server, 0);
            mtree_relay_control_poll(&control, mtree_clock_seconds());
        }
    }
}

/* All relays of a job, of which those but @a down are up. */
static mtree_relay_control_t relays[MTREE_RELAY_RELAYS];
static int other = -1;

static int worst_without(int down)
{
    for (int i = 0; i < MTREE_RELAY_RELAYS; i++) {
        relays[i].is_up = i != down;
    }
    return mtree_relay_control_worst(relays, MTREE_RELAY_RELAYS, &other);
}

static void cut(int i, int j)
{
    relays[i].unreached |= UINT64_C(1) << j;
}

/* Whichever of the two has reported it. */
UNIT_LOOP(of_two_the_one_that_is_dialed_is_left_out, 0, 2)
{
    ck_assert_int_eq(worst_without(-1), -1);
    cut(_i == 0 ? 3 : 63, _i == 0 ? 63 : 3);
    ck_assert_int_eq(worst_without(-1), 63);
    ck_assert_int_eq(other, 3);
    ck_assert_int_eq(worst_without(63), -1);
    ck_assert_int_eq(worst_without(3), -1);
}

/* Relay 1 reaches no other: those are kept. */
UNIT_TEST(a_relay_that_is_cut_off_is_left_out_alone)
{
    cut(1, 2);
    cut(3, 1);
    cut(1, 4);
    ck_assert_int_eq(worst_without(-1), 1);
    ck_assert_int_eq(other, 2);
    ck_assert_int_eq(worst_without(1), -1);
}

/* It was in a pair with one that has been left out since. */
UNIT_TEST(earlier_pairs_count)
{
    cut(1, 2);
    cut(1, 3);
    ck_assert_int_eq(worst_without(2), 1);
    ck_assert_int_eq(other, 3);
}

/* Have it said as if by the relay. */
static void hear(mtree_relay_kind_t kind, uint32_t first, uint32_t second, size_t length)
{
    unsigned char bytes[MTREE_RELAY_CALL_BYTES];
    mtree_relay_channel_t said;
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    mtree_put32(bytes, first);
    mtree_put32(bytes + 4, second);
    mtree_relay_channel_init(&said, ends[0], NULL);
    unit_ok(mtree_relay_channel_send(&said, kind, bytes, length));
    mtree_relay_channel_cleanup(&control.channel);
    mtree_relay_channel_init(&control.channel, ends[1], NULL);
    control.is_up = true;
    mtree_relay_control_poll(&control, 0);
    mtree_relay_channel_cleanup(&said);
}

UNIT_TEST(no_pair_is_made_of_what_is_no_relay)
{
    const uint32_t others[] = {MTREE_RELAY_RELAYS, UINT32_MAX};

    for (int i = 0; i < 2; i++) {
        hear(MTREE_RELAY_UNREACHED, others[i], 0, MTREE_RELAY_UNREACHED_BYTES);
        ck_assert_uint_eq(control.unreached, 0);
    }
    cut(1, 1);
    ck_assert_int_eq(worst_without(-1), -1);
    hear(MTREE_RELAY_UNREACHED, 5, 0, MTREE_RELAY_UNREACHED_BYTES);
    ck_assert_uint_eq(control.unreached, UINT64_C(1) << 5);
}

/* Each is known until as many others of its relay have followed as that has calls under
 * way. */
UNIT_TEST(no_refusal_hides_another)
{
    ck_assert(!mtree_relay_control_has_refused(&control, 1, 1));
    for (uint32_t call = 1; call <= MTREE_RELAY_REFUSALS; call++) {
        hear(MTREE_RELAY_REFUSED, 3 + call % 2, call, MTREE_RELAY_CALL_BYTES);
    }
    for (uint32_t call = 1; call <= MTREE_RELAY_REFUSALS; call++) {
        ck_assert(mtree_relay_control_has_refused(&control, 3 + call % 2, call));
        ck_assert(!mtree_relay_control_has_refused(&control, 4 - call % 2, call));
    }
    hear(MTREE_RELAY_REFUSED, 7, 1, MTREE_RELAY_CALL_BYTES);
    ck_assert(!mtree_relay_control_has_refused(&control, 4, 1));
    ck_assert(mtree_relay_control_has_refused(&control, 3, 2));
    ck_assert(mtree_relay_control_has_refused(&control, 7, 1));
}

/* Else one that sends without end would hold rank 0. */
UNIT_TEST(a_poll_takes_so_many_messages)
{
    mtree_relay_channel_t said;
    unsigned char bytes[MTREE_RELAY_UNREACHED_BYTES];
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    mtree_relay_channel_cleanup(&control.channel);
    mtree_relay_channel_init(&control.channel, ends[0], NULL);
    mtree_relay_channel_init(&said, ends[1], NULL);
    for (int i = 0; i < MTREE_RELAY_MESSAGES; i++) {
        unit_ok(mtree_relay_channel_send(&said, MTREE_RELAY_PONG, NULL, 0));
    }
    mtree_put32(bytes, 5);
    unit_ok(mtree_relay_channel_send(&said, MTREE_RELAY_UNREACHED, bytes, sizeof(bytes)));
    mtree_relay_control_poll(&control, 0);
    ck_assert_uint_eq(control.unreached, 0);
    mtree_relay_control_poll(&control, 0);
    ck_assert_uint_eq(control.unreached, UINT64_C(1) << 5);
    mtree_relay_channel_cleanup(&said);
}

UNIT_FIXTURE(start, stop)
