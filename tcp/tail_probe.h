/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tail loss probes: short frames behind the last message that a connection has to send.
 *
 * TCP learns of a lost packet by those that arrive behind it.  Nothing is behind the last
 * one before a schedule pauses, so the sender would wait for its timeout, several round
 * trips of a long link.  Kernels probe after two round trips (RFC 8985, section 7), but
 * not while they recover from an earlier loss, and where packets are lost at random they
 * recover most of the time.  So mtree sends probes of its own until all is acknowledged.
 */
#ifndef MTREE_TCP_TAIL_PROBE_H
#define MTREE_TCP_TAIL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing was written yet. */
typedef struct {
    uint64_t written; /* bytes of the connection, when it was looked at last */
    int num;          /* probes since the last message */
    double due;       /* when the next one is, in seconds of a steady clock */
} mtree_tail_probe_t;

/* Is a probe to be sent at @a now on a connection that waits for acknowledgements, to
 * which @a written bytes have been written? */
bool mtree_tail_probe_is_due(mtree_tail_probe_t *probe, uint64_t written, double now);

/* It was, and makes @a written bytes. */
void mtree_tail_probe_sent(mtree_tail_probe_t *probe, uint64_t written, double now);

#endif
