/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which relays of a job cannot reach each other, and which of them later calls are to do
 * without.
 */
#ifndef COLL_MTREE_RELAY_UNREACHED_H
#define COLL_MTREE_RELAY_UNREACHED_H

#include <stdbool.h>
#include <stdint.h>

/* Relays that it has room for, by their numbers in the job. */
#define COLL_MTREE_UNREACHED_RELAYS 64

/* Zeros are the initial value. */
typedef struct {
    uint64_t with[COLL_MTREE_UNREACHED_RELAYS]; /* bit j of number i: the two cannot */
} coll_mtree_unreached_t;

/* Relay @a i cannot reach relay @a j; false: there are no two such relays. */
bool coll_mtree_unreached_add(coll_mtree_unreached_t *unreached, uint32_t i, uint32_t j);

/*
 * The relay to leave out first, of those whose bit is set in @a up, so that those that
 * are left reach each other: that which has been in most such pairs, since it is the
 * likeliest to be cut off; of equals the one with the highest number, which the other
 * dials.  *other_p is one that is up and in a pair with it.  -1: all reach each other.
 */
int coll_mtree_unreached_worst(const coll_mtree_unreached_t *unreached, uint64_t up,
                               int *other_p);

#endif
