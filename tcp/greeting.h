/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greetings: the first bytes on a connection of ranks, relays and probes.  Who dials and
 * who listens prove to each other that they know a secret, without sending it.
 *
 *     who listens  CHALLENGE: a nonce
 *     who dials    HELLO: another nonce, what it says, and the MAC of all so far
 *     who listens  ANSWER: what it says, and the MAC of all so far
 *
 * The first two begin with the version, which each end sends as soon as they are
 * connected.  Who is of another one costs no MAC, and hears why.  Who has another secret
 * hears zeros.
 *
 * Nonces are fresh, and a MAC (tcp/crypto.h) includes which end made it.  So nothing can
 * be replayed.  What the ends say is their users' to give and to judge (tcp/dial.h,
 * relay/greeting.h).
 */
#ifndef MTREE_TCP_GREETING_H
#define MTREE_TCP_GREETING_H

#include "tcp/tls.h"

#include <stdbool.h>

#define MTREE_TCP_SECRET 32
#define MTREE_TCP_NONCE  32

/* Bytes of the version, and of what either end says. */
#define MTREE_TCP_MAGIC 4
#define MTREE_TCP_SAID  24

#define MTREE_TCP_CHALLENGE (MTREE_TCP_MAGIC + MTREE_TCP_NONCE)
#define MTREE_TCP_HELLO                                                                  \
    (MTREE_TCP_MAGIC + MTREE_TCP_NONCE + MTREE_TCP_SAID + MTREE_CRYPTO_CODE)
#define MTREE_TCP_ANSWER (MTREE_TCP_SAID + MTREE_CRYPTO_CODE)

typedef struct {
    unsigned char bytes[MTREE_TCP_SECRET];
} mtree_tcp_secret_t;

/* What an end of a greeting knows of it. */
typedef struct {
    mtree_tcp_secret_t secret;
    unsigned char challenge[MTREE_TCP_NONCE];
    unsigned char nonce[MTREE_TCP_NONCE]; /* of who dials */
    unsigned char said[MTREE_TCP_SAID];   /* by who dials */
    unsigned char answer[MTREE_TCP_SAID]; /* by who listens; zeros: it has not answered */
} mtree_tcp_greeting_t;

void mtree_tcp_magic_write(unsigned char bytes[MTREE_TCP_MAGIC]);

/* What is wrong with the first bytes of the other end, for a line; NULL: nothing, they
 * are of this version. */
const char *mtree_tcp_magic_fault(const unsigned char bytes[MTREE_TCP_MAGIC]);

/* Draw a nonce, and challenge who dials; or answer the challenge @a bytes by a hello,
 * whose version was sent, by the secret and the words that @a greeting has.  False: the
 * socket does not take it, or the kernel gives no nonce. */
bool mtree_tcp_challenge_send(mtree_tcp_greeting_t *greeting, int socket);
bool mtree_tcp_hello_send(mtree_tcp_greeting_t *greeting,
                          const unsigned char bytes[MTREE_TCP_CHALLENGE], int socket);

/* What is said in a hello, by which its secret is found; then, is its MAC that of who
 * knows it?  That takes as long whichever bytes differ. */
void mtree_tcp_hello_read(mtree_tcp_greeting_t *greeting,
                          const unsigned char bytes[MTREE_TCP_HELLO]);
bool mtree_tcp_hello_is_proved(const mtree_tcp_greeting_t *greeting,
                               const unsigned char bytes[MTREE_TCP_HELLO]);

/* Send the answer @a said to a hello that is proved; false: the socket does not take it.
 */
bool mtree_tcp_answer_send(mtree_tcp_greeting_t *greeting,
                           const unsigned char said[MTREE_TCP_SAID], int socket);

/* What is said in an answer.  False: it is not that of who knows the secret. */
bool mtree_tcp_answer_read(mtree_tcp_greeting_t *greeting,
                           const unsigned char bytes[MTREE_TCP_ANSWER]);

/* The key of the connection after @a greeting, which follows from all that was said, by a
 * @a secret of both ends, at the end that dialed (@a is_client) or the other one.  NULL,
 * as the secret: the connection is not encrypted. */
const mtree_tls_key_t *mtree_tcp_greeting_key(const mtree_tcp_greeting_t *greeting,
                                              const mtree_tcp_secret_t *secret,
                                              bool is_client, mtree_tls_key_t *key);

#endif
