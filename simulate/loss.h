/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lost packets: which ones a link loses, and how few bytes TCP has under way for that.
 */
#ifndef MTREE_SIMULATE_LOSS_H
#define MTREE_SIMULATE_LOSS_H

#include "base/random.h"

#include <stddef.h>

/* What an arc loses: each packet independently of the others, the same ones in each
 * simulation. */
typedef struct {
    double probability;
    double until; /* packets that pass before the next one is lost */
    mtree_random_t random;
} mtree_loss_t;

/* An arc that loses a packet with @a probability, from 0 to 1, but no more than every
 * second one, so that every simulation ends.  Arcs of different @a seeds lose different
 * ones. */
void mtree_loss_init(mtree_loss_t *loss, double probability, uint64_t seed);

/* Of the next @a packets, those that are lost; *last_p of them are the last ones, behind
 * which none of these packets arrives. */
int mtree_loss_draw(mtree_loss_t *loss, int packets, int *last_p);

/*
 * Bytes that a connection has under way on average, whose congestion control takes each
 * loss for a full queue as Reno's does, and CUBIC's where windows are small: Padhye,
 * Firoiu, Towsley and Kurose, "Modeling TCP Throughput", SIGCOMM 1998, equation 30, each
 * packet acknowledged.  Packets of @a packet_bytes are lost with @a probability over a
 * round trip of @a trip seconds, and @a timeout seconds is what TCP waits for the last
 * ones.  Infinite without loss.
 */
double mtree_loss_window(double probability, size_t packet_bytes, double trip,
                         double timeout);

#endif
