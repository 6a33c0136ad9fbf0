/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns of ranks that fail at the same time, for the same cause, so that one of them
 * speaks.  A turn begins at the same time of the day for all, since ranks notice at
 * different moments.
 */
#ifndef COLL_MTREE_TCP_TURN_H
#define COLL_MTREE_TCP_TURN_H

/* Seconds of a turn, longer than a message takes; and turns, after which the first one
 * follows again. */
#define COLL_MTREE_TURN_SECONDS 0.5
#define COLL_MTREE_TURNS        8

/* Seconds from @a now, a time of the day, to the next turn of @a rank. */
double coll_mtree_turn_wait(double now, int rank);

#endif
