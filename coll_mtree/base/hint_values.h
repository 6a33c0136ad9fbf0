/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of a communicator's info keys (coll_mtree/base/hints.h).
 */
#ifndef COLL_MTREE_BASE_HINT_VALUES_H
#define COLL_MTREE_BASE_HINT_VALUES_H

#include "planner/plan/collective.h"

#include <stdbool.h>
#include <stddef.h>

/* Trees of a plan at most, also where the user sets no limit: their tags must suffice. */
#define COLL_MTREE_MOST_TREES 64

typedef struct {
    bool is_read;
    const char *algorithm[MTREE_COLLECTIVE_LAST]; /* on rank 0, the planner's names; NULL:
                                                     not given */
    int trees;             /* -1: not given; 0: as many as the planner likes */
    ptrdiff_t chunk_bytes; /* -1: not given; 0: what the plan says */
} coll_mtree_hints_t;

/* Read @a value as a number of trees; false: it is none, and *trees_p stays. */
bool coll_mtree_hint_parse_trees(const char *value, int *trees_p);

/* Read @a value as a chunk size of at most 1 GiB; the same. */
bool coll_mtree_hint_parse_chunk(const char *value, ptrdiff_t *bytes_p);

/* Trees (per root, where each rank has a block) that a plan for @a ranks ranks may have
 * at most, with @a hint of the communicator and @a parameter coll_mtree_trees. */
int coll_mtree_hint_max_trees(int hint, int parameter, int ranks);

#endif
