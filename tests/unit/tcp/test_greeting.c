/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ends of a greeting prove, and what proves nothing. */
#define _GNU_SOURCE
#include "tcp/greeting.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"

#include <sys/socket.h>
#include <unistd.h>

static const mtree_tcp_secret_t secret = {"what both of them know"};

/* Both ends, after a hello; and the bytes of it. */
static mtree_tcp_greeting_t here, there;
static unsigned char challenge[MTREE_TCP_CHALLENGE], hello[MTREE_TCP_HELLO];

static int pair[2];

/* What was sent over the first of them. */
static void receive(unsigned char *bytes, size_t length)
{
    ck_assert_int_eq(recv(pair[1], bytes, length, MSG_DONTWAIT), (ssize_t)length);
}

static void say_hello(void)
{
    mtree_tcp_magic_write(hello);
    ck_assert(mtree_tcp_hello_send(&here, challenge, pair[0]));
    receive(hello + MTREE_TCP_MAGIC, sizeof(hello) - MTREE_TCP_MAGIC);
    mtree_tcp_hello_read(&there, hello);
}

static void start(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    here = (mtree_tcp_greeting_t){.secret = secret, .said = {1, 2, 3}};
    there = (mtree_tcp_greeting_t){.secret = secret};
    ck_assert(mtree_tcp_challenge_send(&there, pair[0]));
    receive(challenge, sizeof(challenge));
    say_hello();
}

static void stop(void)
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* What @a greeting answers. */
static void answer(mtree_tcp_greeting_t *greeting, unsigned char bytes[MTREE_TCP_ANSWER])
{
    const unsigned char said[MTREE_TCP_SAID] = {4, 5, 6};

    ck_assert(mtree_tcp_answer_send(greeting, said, pair[0]));
    receive(bytes, MTREE_TCP_ANSWER);
    ck_assert_mem_eq(bytes, said, MTREE_TCP_SAID);
}

/* Whoever hears all of it does not learn the secret. */
UNIT_TEST(both_ends_prove_the_secret_and_do_not_say_it)
{
    unsigned char bytes[MTREE_TCP_ANSWER];

    ck_assert_ptr_null(mtree_tcp_magic_fault(challenge));
    ck_assert_ptr_null(mtree_tcp_magic_fault(hello));
    ck_assert_mem_eq(there.said, here.said, MTREE_TCP_SAID);
    ck_assert(mtree_tcp_hello_is_proved(&there, hello));
    answer(&there, bytes);
    ck_assert(mtree_tcp_answer_read(&here, bytes));
    ck_assert_ptr_null(memmem(hello, sizeof(hello), &secret, 16));
    ck_assert_ptr_null(memmem(bytes, sizeof(bytes), &secret, 16));
}

/* The first bytes are the version, which is looked at before. */
UNIT_LOOP(a_hello_that_is_changed_is_none, MTREE_TCP_MAGIC, MTREE_TCP_HELLO)
{
    hello[_i] ^= 1;
    mtree_tcp_hello_read(&there, hello);
    ck_assert(!mtree_tcp_hello_is_proved(&there, hello));
}

UNIT_LOOP(an_answer_that_is_changed_is_none, 0, MTREE_TCP_ANSWER)
{
    unsigned char bytes[MTREE_TCP_ANSWER];

    answer(&there, bytes);
    bytes[_i] ^= 1;
    ck_assert(!mtree_tcp_answer_read(&here, bytes));
}

/* What was heard once proves nothing later, and a code of one end none of the other. */
UNIT_TEST(nothing_can_be_said_again)
{
    unsigned char bytes[MTREE_TCP_ANSWER], next[MTREE_TCP_CHALLENGE];

    answer(&there, bytes);
    memcpy(bytes + MTREE_TCP_SAID, hello + MTREE_TCP_HELLO - MTREE_CRYPTO_CODE,
           MTREE_CRYPTO_CODE);
    ck_assert(!mtree_tcp_answer_read(&here, bytes));
    answer(&there, bytes);
    ck_assert(mtree_tcp_challenge_send(&there, pair[0]));
    receive(next, sizeof(next));
    mtree_tcp_hello_read(&there, hello);
    ck_assert_mem_ne(next, challenge, sizeof(next));
    ck_assert(!mtree_tcp_hello_is_proved(&there, hello));
    say_hello();
    ck_assert(!mtree_tcp_answer_read(&here, bytes));
}

UNIT_LOOP(keys_are_those_of_the_secret_and_all_that_was_said, 0, 6)
{
    mtree_tcp_secret_t known = secret;
    mtree_tls_key_t client, server;
    unsigned char bytes[MTREE_TCP_ANSWER];

    answer(&there, bytes);
    ck_assert(mtree_tcp_answer_read(&here, bytes));
    known.bytes[4] ^= _i == 1;
    there.nonce[MTREE_TCP_NONCE - 1] ^= _i == 2;
    there.challenge[4] ^= _i == 3;
    there.said[0] ^= _i == 4;
    there.answer[MTREE_TCP_SAID - 1] ^= _i == 5;
    mtree_tcp_greeting_key(&here, &secret, true, &client);
    mtree_tcp_greeting_key(&there, &known, false, &server);
    ck_assert(client.is_client && !server.is_client);
    ck_assert_int_eq(memcmp(client.bytes, server.bytes, sizeof(client.bytes)) == 0,
                     _i == 0);
}

UNIT_FIXTURE(start, stop)
