/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attempts at a connection on which both ends have proved that they know a secret
 * (tcp/greeting.h), one after the other.
 *
 * A kernel connects for a process that is away.  How long that may take to answer is the
 * user's to know.
 */
#ifndef MTREE_TCP_DIALER_H
#define MTREE_TCP_DIALER_H

#include "tcp/greeting.h"
#include "tcp/socket.h"

/* Round trips in which an answer that is not lost has come, through queues as well. */
#define MTREE_TCP_TRIPS 2

/* All zeros but its socket, at first. */
typedef struct {
    int socket;         /* -1: no attempt is under way */
    int tries;          /* attempts so far */
    int error;          /* of the last that failed, by errno; 0: none has */
    bool is_refused;    /* nobody listened there, and nobody has since */
    bool is_connected;  /* the other end's kernel has answered the attempt */
    double until;       /* the end of the pause before the next attempt, or of the time in
                           which that kernel is to answer */
    const char *reason; /* what the other end has done; NULL: it is silent */
    bool is_other;      /* it is of another version, or has another secret */
    mtree_tcp_greeting_t greeting;
    bool has_said; /* the hello */
    mtree_tcp_piece_t received;
} mtree_tcp_dialer_t;

/* Begin the next attempt, over a @a socket that connects (tcp/socket.h; negative: the
 * system refuses, by errno) in a @a trip of so many seconds (0: that is not known), at
 * @a now, mtree_clock_seconds(). */
void mtree_tcp_dialer_begin(mtree_tcp_dialer_t *dialer, int socket, double trip,
                            double now);

/* Go on with it.  1: the other end has answered @a said, proved by @a secret; 0: not yet,
 * but its kernel may have answered; -1: the attempt has failed, and a pause begins. */
int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, const mtree_tcp_secret_t *secret,
                          const unsigned char said[MTREE_TCP_SAID], double now);

/* The same until that kernel has answered, which is 1. */
int mtree_tcp_dialer_connect(mtree_tcp_dialer_t *dialer, double now);

/* The attempt has failed: a pause begins. */
void mtree_tcp_dialer_fail(mtree_tcp_dialer_t *dialer, int error, double now);

/* The socket of who has answered, which the caller takes over. */
int mtree_tcp_dialer_take(mtree_tcp_dialer_t *dialer);

/* End the attempt, if one is under way, and forget the secret. */
void mtree_tcp_dialer_end(mtree_tcp_dialer_t *dialer);

#endif
