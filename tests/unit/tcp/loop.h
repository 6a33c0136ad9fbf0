/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two ends of connections in one process.  Their sockets hold little, so that
 * frames come and go in pieces.
 */
#ifndef MTREE_TESTS_UNIT_TCP_LOOP_H
#define MTREE_TESTS_UNIT_TCP_LOOP_H

#include "tcp/tcp.h"
#include "tests/unit/runner.h"

/* A message, as both ends see it; static, as loop_destroy() ends it. */
typedef struct {
    mtree_completion_t done; /* the first member */
    bool has_ended;
    mtree_status_t status;
} loop_message_t;

typedef struct {
    mtree_tcp_t *tcp;
    mtree_tcp_peer_t *peer; /* the other end */
} loop_end_t;

typedef struct {
    loop_end_t ends[2];
    int sockets[2][MTREE_TCP_CONNECTIONS]; /* the peers' */
    int count;
} loop_t;

/* Those of a test, which loop_destroy() ends after it. */
extern loop_t loop;

/* Are connections that are made from now on encrypted? */
extern bool loop_encrypts;

/* Tests of connections, and fixtures of files of tests, that are run again with
 * encryption. */
#define BOTH_LOOP(name, from, to) UNIT_ADDED_LOOP(loop_add, name, from, to)
#define BOTH_TEST(name)           BOTH_LOOP(name, 0, 1)
#define BOTH_FIXTURE(setup, teardown)                                                    \
    UNIT_REGISTER(both_fixtures, tests)                                                  \
    {                                                                                    \
        tcase_add_checked_fixture(tests, setup, teardown);                               \
        tcase_add_checked_fixture(loop_encrypted(tests), setup, teardown);               \
    }

/* The case of tests with encrypted connections beside the case @a tests of a suite. */
TCase *loop_encrypted(TCase *tests);

#define loop_add(tests, name, from, to)                                                  \
    do {                                                                                 \
        tcase_add_loop_test(tests, name, from, to);                                      \
        tcase_add_loop_test(loop_encrypted(tests), name, from, to);                      \
    } while (0)

/* With @a count connections; 0: none yet. */
void loop_create(int count);
void loop_connect(int count);
void loop_destroy(void);

/* Both ends of a TCP connection over the loopback interface, as it was made. */
void loop_connect_over_tcp(int sockets[2]);

/* Listens at a port of 127.0.0.1, with a queue that the connection *first_p fills:
 * packets that ask for others are lost. */
int loop_listen_to_one(int *first_p, uint16_t *port_p);

/* The session of @a key at one end, begun; and the key of most tests. */
mtree_tcp_session_t *loop_session(int end, const mtree_tcp_key_t *key);
extern const mtree_tcp_key_t loop_key;

/* Begin it at both. */
void loop_open(void);

/* Set up before a send or a receive. */
mtree_completion_t *loop_begin(loop_message_t *message);

/* Send or receive @a message over the session of loop_key, which begins. */
void loop_send(int end, const void *bytes, size_t length, bool synchronous,
               loop_message_t *message);
void loop_recv(int end, void *bytes, size_t length, loop_message_t *message);

/* Poll one end, and note what has ended. */
void loop_poll(int end);

/* Poll both until nothing more happens. */
void loop_settle(void);

/* Bytes that wait at an end's socket of connection @a number. */
int loop_waiting(int end, int number);

/* Messages that both ends send each other, with tags, lengths and times drawn at random.
 */
typedef struct {
    int messages; /* of each end */
    int tags, sessions;
    size_t longest;
} random_messages_t;

/* A number below @a below; random_seed() begins anew. */
unsigned long random_draw(unsigned long below);
void random_seed(int seed);

/* Draw messages as @a how says, which stays, for sessions that begin at both ends. */
void random_messages_begin(const random_messages_t *how);

/* Send or receive the next message of an end that is drawn.  What a send that has ended
 * was sent from is used for other things. */
void random_messages_step(void);

bool random_messages_have_ended(void);

/* Every byte has arrived, and sessions end. */
void random_messages_verify(void);

#endif
