/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call classes: the key of all that is kept about similar calls.
 *
 * Calls of one class share a plan, a server and a row of the statistics.  A class is
 * what the calls have in common on every rank: collective, root, and size to a factor of
 * two.  Two calls of one class on one communicator are of
 * the same class on every rank.
 */
#ifndef COLL_MTREE_BASE_CALL_CLASS_H
#define COLL_MTREE_BASE_CALL_CLASS_H

#include "planner/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* All calls of fewer bytes are in the class of calls of this size. */
#define COLL_MTREE_CLASS_LEAST_BYTES 1024

typedef struct {
    mtree_collective_t collective;
    int root;       /* rank, in planning its host; -1: the collective has none */
    int size_class; /* binary logarithm of the bytes, rounded down */
    double bytes;   /* of the first such call; not part of the key */
    bool relayed;   /* all of its calls can pass through relays, and may */
} coll_mtree_call_class_t;

/* The class of calls of @a bytes in all.  @a root is ignored for collectives that have
 * none. */
coll_mtree_call_class_t coll_mtree_call_class_of(mtree_collective_t collective, int root,
                                                 size_t bytes);

/*
 * What a call's bytes are to be multiplied by to give those of its plan, where @a ranks
 * ranks run on @a hosts hosts: the size of an all-to-all is what one rank sends, that of
 * its plan what a host does.
 */
double coll_mtree_call_class_host_share(mtree_collective_t collective, int ranks,
                                        int hosts);

bool coll_mtree_call_class_equals(const coll_mtree_call_class_t *a,
                                  const coll_mtree_call_class_t *b);

/* Equal classes have the same hash, within one process. */
uint64_t coll_mtree_call_class_hash(const coll_mtree_call_class_t *call_class);

#endif
