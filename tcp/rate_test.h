/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a connection carries: both ends send for a moment as fast as they can, and each
 * measures what comes.
 */
#ifndef MTREE_TCP_RATE_TEST_H
#define MTREE_TCP_RATE_TEST_H

#include <stdbool.h>

typedef struct {
    int socket;                         /* connected, and the test's */
    double began, first, skipped, last; /* when the test began, and bytes came: the first
                                           ones, the first that count and the last; 0: not
                                           yet */
    double bytes;                       /* that count */
    double trip; /* seconds of the shortest round trip; infinite: not known */
    bool has_sent, has_ended; /* all is sent; the other end's last byte has come */
} mtree_rate_test_t;

/* Begin over @a socket, which is closed at the end, at @a now, mtree_clock_seconds(). */
void mtree_rate_test_begin(mtree_rate_test_t *test, int socket, double now);

/* At @a now.  1: it has ended; 0: not yet; -1: the connection fails, or takes too long.
 */
int mtree_rate_test_poll(mtree_rate_test_t *test, double now);

/* The bits/s that came to this end, those of headers included; 0: too little came. */
double mtree_rate_test_rate(const mtree_rate_test_t *test);

/* Close the socket. */
void mtree_rate_test_end(mtree_rate_test_t *test);

#endif
