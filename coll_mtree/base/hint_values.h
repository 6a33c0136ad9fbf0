/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of a communicator's info keys (coll_mtree/base/hints.h).
 */
#ifndef COLL_MTREE_BASE_HINT_VALUES_H
#define COLL_MTREE_BASE_HINT_VALUES_H

#include "planner/plan/collective.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trees of a plan at most, also where the user sets no limit: their tags must suffice. */
#define COLL_MTREE_MOST_TREES 64

/* What one rank's keys ask for; sent as it is. */
typedef struct {
    int trees;           /* -1: not given; 0: as many as the planner likes */
    int chunk_bytes;     /* -1: not given; 0: what the plan says */
    uint32_t algorithms; /* a hash of what names them; 0: not given */
} coll_mtree_hint_values_t;

typedef struct {
    bool is_read;
    coll_mtree_hint_values_t own; /* this rank's; trees are part of its call classes */
    const char *algorithm[MTREE_COLLECTIVE_LAST]; /* on rank 0, the planner's names; NULL:
                                                     not given */
    int chunk_bytes; /* rank 0's, once it has come with the first plan; before that -1 */
} coll_mtree_hints_t;

/* Bytes of the text about a difference. */
#define COLL_MTREE_HINT_TEXT 96

/* Read @a value as a number of trees; false: it is none, and *trees_p stays. */
bool coll_mtree_hint_parse_trees(const char *value, int *trees_p);

/* Read @a value as a chunk size of at most 1 GiB; the same. */
bool coll_mtree_hint_parse_chunk(const char *value, int *bytes_p);

/* Write to @a text by which key @a rank, whose keys ask for @a theirs, differs from rank
 * 0, whose keys ask for @a own.  False: by none. */
bool coll_mtree_hint_find_difference(const coll_mtree_hint_values_t *own,
                                     const coll_mtree_hint_values_t *theirs, int rank,
                                     char text[COLL_MTREE_HINT_TEXT]);

/* Trees (per root, where each rank has a block) that a plan for @a ranks ranks may have
 * at most, with @a hint of the communicator and @a parameter coll_mtree_trees. */
int coll_mtree_hint_max_trees(int hint, int parameter, int ranks);

#endif
