/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relays over the loopback interface: calls give their results through one relay and
 * through two, who does not know the secret is turned away, and a relay that is gone or
 * flooded leaves nobody waiting.
 */
#include "relay/fold.h"
#include "tcp/socket.h"
#include "tests/unit/relay/relayed_job.h"
#include "tests/unit/runner.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLOOD = 100, NUMBERS = 100000 };

static void *wake(void *server)
{
    mtree_relay_server_wake(server);
    return NULL;
}

/* Else this would take an hour. */
UNIT_TEST(a_relay_that_sleeps_is_woken)
{
    mtree_relay_options_t options = {.most_jobs = 1, .memory = RELAYED_MEMORY};
    mtree_relay_server_t *server;
    pthread_t thread;

    unit_ok(mtree_relay_server_create(&options, &server));
    ck_assert_int_eq(pthread_create(&thread, NULL, wake, server), 0);
    mtree_relay_server_poll(server, 3600);
    (void)pthread_join(thread, NULL);
    mtree_relay_server_destroy(server);
}

#define CHECK_FOLD(_type, _op, _a, _b, _expected)                                        \
    do {                                                                                 \
        _type a = (_type)(_a), b = (_type)(_b), out;                                     \
        mtree_relay_fold(type, MTREE_RELAY_##_op)(&a, &b, &out, 1);                      \
        ck_assert(out == (_type)(_expected));                                            \
    } while (0);

#define CHECK_TYPE(_name, _type)                                                         \
    {                                                                                    \
        unsigned type = MTREE_RELAY_##_name;                                             \
        ck_assert_uint_eq(mtree_relay_type_bytes(type), sizeof(_type));                  \
        CHECK_FOLD(_type, SUM, 6, 10, 16)                                                \
        CHECK_FOLD(_type, PROD, 6, 10, 60)                                               \
        CHECK_FOLD(_type, MIN, 6, 10, 6)                                                 \
        CHECK_FOLD(_type, MAX, 6, 10, 10)                                                \
        if (mtree_relay_fold(type, MTREE_RELAY_BAND) != NULL) {                          \
            CHECK_FOLD(_type, BAND, 6, 10, 2)                                            \
            CHECK_FOLD(_type, BOR, 6, 10, 14)                                            \
            CHECK_FOLD(_type, BXOR, 6, 10, 12)                                           \
            CHECK_FOLD(_type, LAND, 6, 0, 0)                                             \
            CHECK_FOLD(_type, LOR, 6, 0, 1)                                              \
            CHECK_FOLD(_type, LXOR, 6, 10, 0)                                            \
        }                                                                                \
    }

UNIT_TEST(numbers_are_folded)
{
    MTREE_RELAY_TYPES(CHECK_TYPE)
    ck_assert_ptr_null(mtree_relay_fold(MTREE_RELAY_FLOAT, MTREE_RELAY_BAND));
    ck_assert_ptr_null(mtree_relay_fold(MTREE_RELAY_NUM_TYPES, 0));
    ck_assert_ptr_null(mtree_relay_fold(0, MTREE_RELAY_NUM_OPS));
    ck_assert_uint_eq(mtree_relay_type_bytes(MTREE_RELAY_NUM_TYPES), 0);
}

UNIT_LOOP(calls_give_their_results, 0, 12)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_BCAST,
                                                     MTREE_REDUCE, MTREE_ALLGATHER};
    mtree_relay_status_t status;

    relayed_encrypts = _i >= 6;
    relayed_create(2 + _i % 3, 1 + _i % 2, RELAYED_MEMORY);
    for (int i = 0; i < 8; i++) {
        relayed_call(collectives[i % 4], i % job.num_ranks,
                     i < 4 ? NUMBERS - NUMBERS % (size_t)job.num_ranks
                           : (size_t)(12 * i));
    }
    for (int i = 0; i < 100; i++) {
        relayed_poll();
    }
    status = relayed_status();
    ck_assert_int_eq(status.jobs, 1);
    ck_assert_int_eq(status.calls, 0);
    ck_assert_uint_eq(status.done.calls, 8);
    ck_assert_uint_eq(status.memory, 0);
}

/* 100 connections that say something else, or nothing, while a call is under way. */
UNIT_TEST(a_flood_changes_nothing)
{
    int sockets[FLOOD];
    mtree_relay_status_t status;

    relayed_create(3, 1, RELAYED_MEMORY);
    relayed_begin(MTREE_ALLREDUCE, 0, NUMBERS);
    for (int i = 0; i < FLOOD; i++) {
        char garbage[256];

        memset(garbage, i, sizeof(garbage));
        sockets[i] = relayed_connect();
        relayed_poll();
        if (i % 2 == 0) {
            (void)send(sockets[i], garbage, sizeof(garbage), MSG_NOSIGNAL);
        }
    }
    ck_assert(relayed_finish());
    relayed_verify();
    relayed_end();
    for (int i = 0; i < 1000; i++) {
        relayed_poll();
    }
    status = relayed_status();
    ck_assert_int_le(status.pending, MTREE_TCP_STRANGERS);
    ck_assert_uint_ge(status.turned_away, FLOOD / 2);
    ck_assert_int_eq(status.jobs, 1);
    for (int i = 0; i < FLOOD; i++) {
        (void)close(sockets[i]);
    }
}

UNIT_TEST(a_relay_that_is_gone_fails_the_call)
{
    relayed_create(3, 1, RELAYED_MEMORY);
    relayed_begin(MTREE_ALLREDUCE, 0, 20 * NUMBERS);
    for (int i = 0; i < 20; i++) {
        relayed_poll();
    }
    ck_assert_msg(!job.ranks[0].has_ended, "the call was too short");
    relayed_kill(0);
    ck_assert(relayed_finish());
    ck_assert_int_eq(job.status, MTREE_ERR_TRANSPORT);
    relayed_end();
}

/* Rank 0 is told which relay another cannot reach before the call fails there. */
UNIT_TEST(a_relay_tells_which_it_cannot_reach)
{
    relayed_cuts = true;
    relayed_create(2, 2, RELAYED_MEMORY);
    relayed_refused_call(NUMBERS);
    ck_assert_int_eq(job.num_unreached, 1);
    ck_assert_int_eq(job.unreached, 1);
}

/* Rank 0 cancels a call, and the next one is served. */
UNIT_TEST(a_cancelled_call_gives_its_memory_back)
{
    unsigned char bytes[MTREE_RELAY_CALL_BYTES] = {0, 0, 0, 1, 0, 0, 0, 1};

    relayed_begin(MTREE_ALLREDUCE, 0, 20 * NUMBERS);
    do {
        relayed_poll();
    } while (relayed_status().calls == 0);
    ck_assert_uint_gt(relayed_status().memory, 0);
    unit_ok(mtree_relay_channel_send(&job.channels[0], MTREE_RELAY_CANCEL, bytes,
                                     sizeof(bytes)));
    job.status = MTREE_ERR_TRANSPORT;
    relayed_end();
    for (int i = 0; i < 100; i++) {
        relayed_poll();
    }
    ck_assert_uint_eq(relayed_status().memory, 0);
    ck_assert_int_eq(job.num_refused, 1);
    relayed_call(MTREE_ALLREDUCE, 0, NUMBERS);
}

/* Ranks have all, and leave at once: no call has failed.  The second time a child that
 * rank 0 has forked keeps its socket. */
UNIT_LOOP(a_job_may_leave_after_its_last_call, 0, 2)
{
    mtree_relay_status_t status;
    pid_t child = -1;

    relayed_create(3, 1, RELAYED_MEMORY);
    relayed_call(MTREE_BCAST, 0, NUMBERS);
    if (_i == 1 && (child = fork()) == 0) {
        (void)sleep(60);
        _exit(0);
    }
    mtree_relay_channel_cleanup(&job.channels[0]);
    do {
        relayed_poll();
        status = relayed_status();
    } while (status.jobs > 0);
    ck_assert_uint_eq(status.done.calls, 1);
    ck_assert_uint_eq(status.done.failed, 0);
    if (child > 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
}

/* A job that asks whether the relay is there does not wait for all answers. */
UNIT_TEST(a_job_may_leave_before_it_is_answered)
{
    for (int i = 0; i < 5; i++) {
        unit_ok(mtree_relay_channel_send(&job.channels[0], MTREE_RELAY_PING, NULL, 0));
    }
    mtree_relay_channel_cleanup(&job.channels[0]);
    do {
        relayed_poll();
    } while (relayed_status().jobs > 0);
    ck_assert_int_eq(heard_lines(), 0);
}

static void expect_refusal(const mtree_relay_hello_t *hello,
                           const mtree_tcp_secret_t *key, const char *reason)
{
    ck_assert_int_lt(relayed_dial(0, hello, key), 0);
    ck_assert_str_eq(job.reason, reason);
}

/* Who is in a job says as it does whether connections are encrypted. */
UNIT_LOOP(all_of_a_job_is_encrypted_or_nothing, 0, 2)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA, .number = 3};

    relayed_encrypts = _i == 1;
    relayed_create(2, 1, RELAYED_MEMORY);
    hello.job = job.id;
    hello.is_encrypted = !relayed_encrypts;
    expect_refusal(&hello, &job.key, "it does not know the job");
}

UNIT_TEST(limits_hold)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL};
    mtree_tcp_secret_t key;

    relayed_create(2, 1, 1000);
    relayed_refused_call(NUMBERS);
    /* Another job is one too many. */
    hello.job.bytes[0] = 1;
    mtree_relay_job_key(&job.secret, &hello.job, &key);
    expect_refusal(&hello, &key, "it has as many jobs as it may");
}

/* All of them would be beyond the limit; those that calls use stay. */
UNIT_TEST(plans_that_are_not_used_are_forgotten)
{
    uint32_t number = 1;

    for (int i = 0; i < 3; i++) {
        for (int n = 1; n < MTREE_RELAY_PLANS; n++) {
            relayed_tell_plan(0, ++number);
            relayed_poll();
        }
        relayed_call(MTREE_ALLREDUCE, 0, NUMBERS);
    }
    for (int n = 0; n < MTREE_RELAY_PLANS; n++) {
        relayed_tell_plan(0, ++number);
        relayed_poll();
    }
    relayed_refused_call(NUMBERS);
    ck_assert_int_eq(relayed_status().jobs, 1);
}

UNIT_TEST(strangers_are_turned_away)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA};
    mtree_tcp_secret_t key;

    /* Who knows another secret, or the key of another job. */
    memset(key.bytes, 8, sizeof(key.bytes));
    expect_refusal(&hello, &key, "it has another secret");
    hello.job = job.id;
    expect_refusal(&hello, &key, "it has another secret");
    /* Who begins a job a second time, or joins one that is not. */
    hello.purpose = MTREE_RELAY_CONTROL;
    expect_refusal(&hello, &job.key, "it does not know the job");
    hello.purpose = MTREE_RELAY_DATA;
    hello.job.bytes[0] ^= 1;
    mtree_relay_job_key(&job.secret, &hello.job, &key);
    expect_refusal(&hello, &key, "it does not know the job");
}

/* An answer would have let him guess the secret. */
UNIT_TEST(a_stranger_hears_nothing_that_is_made_with_a_key)
{
    const unsigned char nothing[MTREE_TCP_ANSWER] = {0}, hello[MTREE_TCP_HELLO] = {0};
    mtree_tcp_piece_t received;
    int fd = relayed_connect();

    mtree_tcp_piece_expect(&received, MTREE_TCP_CHALLENGE);
    while (mtree_tcp_piece_receive(&received, fd) == 0) {
        mtree_relay_server_poll(job.servers[0], 0);
    }
    ck_assert(mtree_tcp_socket_send(fd, received.bytes, MTREE_TCP_MAGIC));
    ck_assert(mtree_tcp_socket_send(fd, hello + MTREE_TCP_MAGIC,
                                    MTREE_TCP_HELLO - MTREE_TCP_MAGIC));
    mtree_tcp_piece_expect(&received, MTREE_TCP_ANSWER);
    while (mtree_tcp_piece_receive(&received, fd) == 0) {
        mtree_relay_server_poll(job.servers[0], 0);
    }
    ck_assert_mem_eq(received.bytes, nothing, sizeof(nothing));
    (void)close(fd);
}

/* Who scans ports does so. */
UNIT_TEST(who_resets_at_once_is_counted)
{
    const struct linger reset = {.l_onoff = 1};
    int fd;

    fd = relayed_connect();
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    (void)close(fd);
    mtree_relay_server_poll(job.servers[0], 0);
    ck_assert_uint_eq(relayed_status().turned_away, 1);
    ck_assert_int_eq(relayed_status().pending, 0);
}

/* The first address is none that anybody can reach. */
UNIT_LOOP(all_addresses_of_a_relay_are_tried, 0, 2)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA, .number = 9};
    int socket;

    hello.job = job.id;
    (void)snprintf(job.addresses[0], sizeof(job.addresses[0]), "%s:%d",
                   _i == 0 ? "0.0.0.1,127.0.0.1" : "[100::1],[::1],127.0.0.1",
                   mtree_relay_server_port(job.servers[0]));
    socket = relayed_dial(0, &hello, &job.key);
    ck_assert_msg(socket >= 0, "%s", job.reason);
    (void)close(socket);
    (void)snprintf(job.addresses[0], sizeof(job.addresses[0]), ",:%d", _i + 1);
    expect_refusal(&hello, &job.key, "its address is not known");
}

/* No call is sent to a relay that it would not take. */
UNIT_TEST(what_a_relay_serves_it_takes)
{
    mtree_relay_start_t start = {.call = {.collective = MTREE_BCAST, .unit_bytes = 1}};
    unsigned char bytes[MTREE_RELAY_START_BYTES];

    start.call.units = (size_t)1 << 40;
    for (int i = 0; i < 2; i++, start.call.units++) {
        mtree_relay_start_t read;

        mtree_relay_start_write(&start, bytes);
        ck_assert_int_eq(mtree_relay_start_read(bytes, sizeof(bytes), &read),
                         i == 0 ? MTREE_OK : MTREE_ERR_INVALID);
        ck_assert(mtree_relay_serves(&start.call) == (i == 0));
    }
}

static void write_secret(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(fchmod(file, mode), 0);
    ck_assert_int_eq(close(file), 0);
}

UNIT_TEST(secrets_are_for_their_owner)
{
    char path[] = "test_relay.XXXXXX";
    mtree_tcp_secret_t first, second;
    int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(close(file), 0);
    write_secret(path, "sixteen letters, at least", 0640);
    unit_invalid(mtree_relay_secret_read(path, &first));
    write_secret(path, "short", 0600);
    unit_invalid(mtree_relay_secret_read(path, &first));
    ck_assert_int_eq(mtree_relay_secret_read("no/such/file", &first), MTREE_ERR_IO);
    /* Nobody is told to take "/" from the others. */
    unit_invalid(mtree_relay_secret_read("/", &first));
    heard_text("regular file");
    write_secret(path, "sixteen letters, at least", 0600);
    unit_ok(mtree_relay_secret_read(path, &first));
    write_secret(path, "sixteen letters, at leasT", 0600);
    unit_ok(mtree_relay_secret_read(path, &second));
    ck_assert(!mtree_crypto_equals(first.bytes, second.bytes, MTREE_TCP_SECRET));
    (void)unlink(path);
}

UNIT_FIXTURE(relayed_create_usual, relayed_destroy)
