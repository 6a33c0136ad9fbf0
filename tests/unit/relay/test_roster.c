/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When rank 0 takes a relay for silent: not because it was away itself.  The clock is the
 * test's own.  Calls of several threads that a relay refuses, which of the relays that
 * cannot reach each other are left out, and that nobody waits for relays that are asked.
 */
#include "base/bytes.h"
#include "base/clock.h"
#include "relay/roster.h"
#include "relay/server.h"
#include "tests/unit/runner.h"

#include <sys/socket.h>
#include <unistd.h>

/* Seconds between two polls. */
#define STEP 0.05

static mtree_relay_server_t *server;
static mtree_relay_roster_t roster = {.lock = PTHREAD_MUTEX_INITIALIZER};
static mtree_relay_control_t *const relays = roster.relays;
static mtree_relay_channel_t said = {.socket = -1};

static void start(void)
{
    const mtree_relay_options_t options = {.most_jobs = 1, .memory = 1 << 20};
    char address[32];

    unit_ok(mtree_relay_server_create(&options, &server));
    (void)snprintf(address, sizeof(address), "127.0.0.1:%d",
                   (int)mtree_relay_server_port(server));
    mtree_relay_job_key(&options.secret, &roster.pass.job, &roster.pass.key);
    mtree_relay_roster_add(&roster, address);
    while (mtree_relay_roster_dial(&roster)) {
        mtree_relay_server_poll(server, 0);
    }
    ck_assert(relays[0].is_up);
}

static void stop(void)
{
    mtree_relay_channel_cleanup(&said);
    mtree_relay_roster_close(&roster);
    mtree_relay_server_destroy(server);
}

/* Its calls pass through the first relay. */
static mtree_placement_t placement = {.num_relays = 1};
static uint32_t first_relay = MTREE_RELAY_IS_RELAY;
static const mtree_relay_plan_t over = {.placement = &placement, .peers = &first_relay};

/* What rank 0 hears at @a now, in call number @a call of plan number @a plan. */
static mtree_relay_report_t poll_call(uint32_t plan, uint32_t call, double now)
{
    const mtree_relay_start_t what = {.plan = plan, .number = call};

    return mtree_relay_roster_poll(&roster, &over, &what, now);
}

/* Poll rank 0, and the relay, or not, from *now on. */
static void poll_both(double *now, int polls, bool relay_answers)
{
    for (int i = 0; i < polls; i++) {
        (void)poll_call(1, 1, *now);
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
        ck_assert(relays[0].is_up);
    }
}

UNIT_TEST(a_relay_that_does_not_answer_is_silent)
{
    double now = mtree_clock_seconds();

    poll_both(&now, 90, false);
    ck_assert(relays[0].is_up);
    poll_both(&now, 20, false);
    ck_assert(!relays[0].is_up);
}

/* What it said before the last ping is no answer to that. */
UNIT_TEST(who_is_asked_has_yet_to_answer)
{
    const mtree_relay_start_t what = {.plan = 1};

    for (int i = 0; i < 2; i++) {
        ck_assert(mtree_relay_roster_tell(&roster, &over, MTREE_RELAY_PING, &what));
        ck_assert(!poll_call(1, 1, mtree_clock_seconds()).is_answer);
        while (!poll_call(1, 1, mtree_clock_seconds()).is_answer) {
            mtree_relay_server_poll(server, 0);
        }
    }
}

/* All relays of a job are up, but for @a down.  Which one is left out first, and which
 * one can it not reach?  -1: none has to be. */
static int worst_without(int down)
{
    bool some;

    roster.num_relays = MTREE_RELAY_RELAYS;
    for (int i = 0; i < MTREE_RELAY_RELAYS; i++) {
        mtree_relay_channel_cleanup(&relays[i].channel);
        (void)snprintf(relays[i].address, sizeof(relays[i].address), "r%d", i);
        relays[i].is_up = i != down;
    }
    some = mtree_relay_roster_drop_unreached(&roster);
    for (int i = 0; i < MTREE_RELAY_RELAYS; i++) {
        if (!relays[i].is_up && i != down) {
            return i;
        }
    }
    ck_assert(!some);
    return -1;
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
    heard_text("it and relay r3 cannot reach each other");
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
    heard_only("it and relay r2 cannot reach each other");
    ck_assert_int_eq(worst_without(1), -1);
}

/* It was in a pair with one that has been left out since. */
UNIT_TEST(earlier_pairs_count)
{
    cut(1, 2);
    cut(1, 3);
    ck_assert_int_eq(worst_without(2), 1);
    heard_only("it and relay r3 cannot reach each other");
}

/* What is said from now on is heard as if by the relay. */
static void take_its_place(void)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    mtree_relay_channel_cleanup(&relays[0].channel);
    mtree_relay_channel_init(&relays[0].channel, ends[0], NULL);
    mtree_relay_channel_init(&said, ends[1], NULL);
}

static void say(mtree_relay_kind_t kind, uint32_t first, uint32_t second, size_t length)
{
    unsigned char bytes[MTREE_RELAY_CALL_BYTES];

    mtree_put32(bytes, first);
    mtree_put32(bytes + 4, second);
    unit_ok(mtree_relay_channel_send(&said, kind, bytes, length));
    (void)poll_call(1, 1, 0);
}

UNIT_TEST(no_pair_is_made_of_what_is_no_relay)
{
    const uint32_t others[] = {MTREE_RELAY_RELAYS, UINT32_MAX};

    take_its_place();
    for (int i = 0; i < 2; i++) {
        say(MTREE_RELAY_UNREACHED, others[i], 0, MTREE_RELAY_UNREACHED_BYTES);
        ck_assert_uint_eq(relays[0].unreached, 0);
    }
    say(MTREE_RELAY_UNREACHED, 5, 0, MTREE_RELAY_UNREACHED_BYTES);
    ck_assert_uint_eq(relays[0].unreached, UINT64_C(1) << 5);
    relays[0].unreached = 0;
    cut(1, 1);
    ck_assert_int_eq(worst_without(-1), -1);
}

static bool is_refused(uint32_t plan, uint32_t call)
{
    return poll_call(plan, call, 0).state == MTREE_RELAY_REFUSES;
}

/* Each is known until as many others of its relay have followed as that has calls under
 * way. */
UNIT_TEST(no_refusal_hides_another)
{
    take_its_place();
    ck_assert(!is_refused(1, 1));
    for (uint32_t call = 1; call <= MTREE_RELAY_REFUSALS; call++) {
        say(MTREE_RELAY_REFUSED, 3 + call % 2, call, MTREE_RELAY_CALL_BYTES);
    }
    for (uint32_t call = 1; call <= MTREE_RELAY_REFUSALS; call++) {
        ck_assert(is_refused(3 + call % 2, call));
        ck_assert(!is_refused(4 - call % 2, call));
    }
    say(MTREE_RELAY_REFUSED, 7, 1, MTREE_RELAY_CALL_BYTES);
    ck_assert(!is_refused(4, 1));
    ck_assert(is_refused(3, 2));
    ck_assert(is_refused(7, 1));
}

/* Else one that sends without end would hold rank 0. */
UNIT_TEST(a_poll_takes_so_many_messages)
{
    unsigned char bytes[MTREE_RELAY_UNREACHED_BYTES];

    take_its_place();
    for (int i = 0; i < MTREE_RELAY_MESSAGES; i++) {
        unit_ok(mtree_relay_channel_send(&said, MTREE_RELAY_PONG, NULL, 0));
    }
    mtree_put32(bytes, 5);
    unit_ok(mtree_relay_channel_send(&said, MTREE_RELAY_UNREACHED, bytes, sizeof(bytes)));
    (void)poll_call(1, 1, 0);
    ck_assert_uint_eq(relays[0].unreached, 0);
    (void)poll_call(1, 1, 0);
    ck_assert_uint_eq(relays[0].unreached, UINT64_C(1) << 5);
}

static mtree_relay_roster_t asking = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *ask(void *address)
{
    mtree_relay_roster_add(&asking, address);
    while (mtree_relay_roster_dial(&asking)) {
        mtree_clock_sleep(0.001);
    }
    return NULL;
}

/* The relay's connection stands when the call is done: it is still asked. */
UNIT_TEST(no_call_waits_for_a_relay_that_is_asked)
{
    const mtree_tcp_ports_t any = {0, 0};
    unsigned char bytes[MTREE_TCP_MAGIC];
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
    ck_assert(!mtree_relay_roster_drop_unreached(&asking));
    while ((count = recv(relay, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {}
    ck_assert(count < 0 && mtree_tcp_socket_is_later());

    mtree_tcp_magic_write(bytes);
    bytes[MTREE_TCP_MAGIC - 1]++;
    ck_assert(mtree_tcp_socket_send(relay, bytes, sizeof(bytes)));
    ck_assert_int_eq(pthread_join(planner, NULL), 0);
    ck_assert_ptr_null(mtree_relay_roster_reached(&asking, address));
    heard_only("it is of another version of mtree; planned without it");
    mtree_relay_roster_close(&asking);
    (void)close(relay);
    (void)close(listener);
}

UNIT_FIXTURE(start, stop)
