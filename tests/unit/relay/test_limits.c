/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one job, or who knows no secret, does to a relay is not to be noticed by others.
 */
#include "base/bytes.h"
#include "relay/peers.h"
#include "tests/unit/relay/relayed_job.h"
#include "tests/unit/runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NUMBERS = 100000, TURNS = 200, POLLS = 250 };

/* Two calls with one number would share what is sent for either. */
UNIT_TEST(a_call_begins_once)
{
    unsigned char bytes[MTREE_RELAY_START_BYTES];

    relayed_begin(MTREE_ALLREDUCE, 0, NUMBERS);
    mtree_relay_start_write(&job.start, bytes);
    unit_ok(mtree_relay_channel_send(&job.channels[0], MTREE_RELAY_START, bytes,
                                     sizeof(bytes)));
    do {
        mtree_relay_server_poll(job.servers[0], 0);
    } while (relayed_status().jobs > 0);
    heard_text("sent what is no message for a relay");
    ck_assert_uint_eq(relayed_status().memory, 0);
    ck_assert(relayed_finish());
    ck_assert_int_eq(job.status, MTREE_ERR_TRANSPORT);
    relayed_end();
}

static atomic_bool has_stopped;
static unsigned char flood_bytes[4096 * MTREE_TCP_HEADER];
static size_t flood_length; /* of whole messages */

/* Write them as fast as the socket takes them, and read no answer. */
static void *flood(void *arg)
{
    const int *socket = arg;
    size_t taken = 0;

    while (!has_stopped) {
        ssize_t sent =
            send(*socket, flood_bytes + taken, flood_length - taken, MSG_NOSIGNAL);

        taken = (taken + (sent > 0 ? (size_t)sent : 0)) % flood_length;
    }
    return NULL;
}

/* Over @a socket, while the relay of @a job is polled, which ends each time. */
static void flood_relay(int socket)
{
    pthread_t flooder;

    has_stopped = false;
    ck_assert_int_eq(pthread_create(&flooder, NULL, flood, &socket), 0);
    for (int i = 0; i < POLLS; i++) {
        mtree_relay_server_poll(job.servers[0], 0);
    }
    has_stopped = true;
    (void)pthread_join(flooder, NULL);
    ck_assert_int_eq(relayed_status().jobs, 1);
}

UNIT_TEST(messages_of_one_job_let_others_in_between)
{
    flood_length = 12 * 4096;
    for (size_t at = 0; at < flood_length; at += 12) {
        mtree_put32(flood_bytes + at, UINT32_C(0x6d744301));
        mtree_put32(flood_bytes + at + 4, MTREE_RELAY_PING);
    }
    flood_relay(job.channels[0].socket);
}

UNIT_TEST(frames_of_one_peer_let_others_in_between)
{
    const mtree_tcp_frame_t frame = {.kind = MTREE_TCP_TAIL_PROBE};
    int fd;

    flood_length = sizeof(flood_bytes);
    for (size_t at = 0; at < flood_length; at += MTREE_TCP_HEADER) {
        mtree_tcp_frame_write(&frame, flood_bytes + at);
    }
    fd = relayed_enter(0, 3);
    flood_relay(fd);
    (void)close(fd);
}

/* From one host come more connections than a relay keeps while another one greets, which
 * takes some turns. */
UNIT_TEST(a_flood_from_one_host_turns_no_other_away)
{
    static int strangers[TURNS * MTREE_TCP_STRANGERS];
    mtree_relay_hello_t own = {.purpose = MTREE_RELAY_DATA, .number = 1};
    mtree_relay_dialer_t *dialer;
    char address[32];
    int count = 0, answer = 0;

    own.job = job.id;
    (void)snprintf(address, sizeof(address), "[::1]:%d",
                   (int)mtree_relay_server_port(job.servers[0]));
    dialer = mtree_relay_dialer_create(address, &own, &job.key, 0, 1e9);
    for (int turn = 0; turn < TURNS && answer == 0; turn++) {
        answer = mtree_relay_dialer_poll(dialer, 1e-3 * turn);
        for (int i = 0; i < MTREE_TCP_STRANGERS; i++) {
            strangers[count++] = relayed_connect();
            mtree_relay_server_poll(job.servers[0], 0);
        }
        while (count > 2 * MTREE_TCP_STRANGERS) {
            (void)close(strangers[--count]);
        }
    }
    ck_assert_msg(answer == 1, "%s", dialer->reason);
    ck_assert_int_le(relayed_status().pending, MTREE_TCP_STRANGERS);
    while (count > 0) {
        (void)close(strangers[--count]);
    }
    mtree_relay_dialer_destroy(dialer);
}

/* A rank of the job sends messages of calls that never begin, one byte each. */
UNIT_TEST(what_comes_early_counts_and_ends)
{
    enum { FRAMES = 200000 };
    const uint64_t most = MTREE_RELAY_LEAST_EARLY;
    unsigned char bytes[MTREE_TCP_HEADER + 1] = {0};
    mtree_relay_status_t status;
    uint64_t seen = 0, before;
    ssize_t sent = 0;
    int fd;

    relayed_create(2, 1, most / 8);
    fd = relayed_enter(0, 3);
    status = relayed_status();
    before = status.memory;
    for (uint32_t i = 0; i < FRAMES && sent >= 0; i++) {
        const mtree_tcp_frame_t frame = {.kind = MTREE_TCP_MESSAGE,
                                         .key = {.generation = i},
                                         .tag = MTREE_TCP_TAGS - 1,
                                         .length = 1};

        mtree_tcp_frame_write(&frame, bytes);
        sent = send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL);
        mtree_relay_server_poll(job.servers[0], 0);
        status = relayed_status();
        seen = status.memory > seen ? status.memory : seen;
    }
    ck_assert_int_lt(sent, 0);
    ck_assert_uint_gt(seen, most / 2);
    ck_assert_uint_le(seen, before + most);
    /* It gives all back, and others have what they need. */
    relayed_call(MTREE_ALLREDUCE, 0, 1000);
    status = relayed_status();
    ck_assert_uint_lt(status.memory, most / 2);
    (void)close(fd);
}

/* Plans have less room than there may be plans, and the first one is forgotten; or less
 * than that one takes, which is more than the bytes of its message. */
UNIT_LOOP(plans_take_no_more_than_they_may, 0, 2)
{
    relayed_create(2, 1, _i == 0 ? 16384 : 2048);
    for (uint32_t i = 2; _i == 0 && i < MTREE_RELAY_PLANS / 2; i++) {
        relayed_tell_plan(0, i);
        relayed_poll();
    }
    relayed_refused_call(1);
    heard_text("over the limit");
    ck_assert_int_eq(relayed_status().jobs, 1);
}

/* Who is in a job may send any bytes in place of a plan. */
UNIT_TEST(no_message_about_a_plan_takes_much_memory)
{
    enum { LENGTH = 2 << 20, RANKS = 65535, HEAD = 5, MOST_KB = 32 << 10 };
    const uint32_t head[HEAD] = {1, RANKS, 1, RANKS + 1, 1};
    static unsigned char bytes[LENGTH];
    struct rusage before, after;
    mtree_relay_plan_t *plan;

    /* The most ranks that there may be, on as many hosts, and a relay that reads it. */
    memset(bytes, 1, LENGTH);
    for (uint32_t i = 0; i < HEAD + 2 * RANKS + 1; i++) {
        mtree_put32(bytes + 4 * i, i < HEAD           ? head[i]
                                   : i < HEAD + RANKS ? i - HEAD
                                                      : MTREE_RELAY_IS_RELAY);
    }
    (void)getrusage(RUSAGE_SELF, &before);
    unit_invalid(mtree_relay_plan_read(bytes, LENGTH, MTREE_RELAY_IS_RELAY, &plan));
    (void)getrusage(RUSAGE_SELF, &after);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, MOST_KB);
}

/* In chunks of a number each the places take more than the numbers do. */
UNIT_LOOP(places_of_small_chunks_are_counted, 0, 2)
{
    relayed_chunk = _i == 0 ? 0 : sizeof(int32_t);
    relayed_create(2, 1, 65536);
    if (_i == 0) {
        relayed_call(MTREE_ALLREDUCE, 0, 1000);
    } else {
        relayed_refused_call(1000);
        heard_text("over the limit");
    }
}

/* The two ranks of the job are connected when a third one comes. */
UNIT_TEST(a_job_has_so_many_connections)
{
    char byte;
    int fd;

    relayed_most_peers = 2;
    relayed_create(2, 1, RELAYED_MEMORY);
    fd = relayed_enter(0, 3);
    relayed_call(MTREE_ALLREDUCE, 0, 1000);
    ck_assert_int_eq(recv(fd, &byte, 1, 0), 0);
    (void)close(fd);
}

UNIT_FIXTURE(relayed_create_usual, relayed_destroy)
