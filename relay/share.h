/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The share of one processor that a thread takes at most, so that the program beside it
 * can compute.
 */
#ifndef MTREE_RELAY_SHARE_H
#define MTREE_RELAY_SHARE_H

/* Seconds of idleness whose share the thread may take at once. */
#define MTREE_RELAY_SHARE_SAVED 0.1

/* Seconds of the longest rest; a longer debt is paid by several. */
#define MTREE_RELAY_SHARE_REST 0.1

typedef struct {
    double share; /* of a processor, above 0 */
    double now,
        worked;    /* clocks of the last look: the time, and the thread's processor */
    double credit; /* seconds of a processor; below 0 the thread has taken too many */
} mtree_relay_share_t;

/* @a now and @a worked are seconds of clocks that never go back: of the time, and of the
 * processor time that the thread has taken. */
void mtree_relay_share_init(mtree_relay_share_t *share, double of_processor, double now,
                            double worked);

/* Seconds that the thread has to rest; 0: none. */
double mtree_relay_share_rest(mtree_relay_share_t *share, double now, double worked);

#endif
