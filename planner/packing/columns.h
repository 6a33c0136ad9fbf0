/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of different trees over the same candidate edges: the columns of the packing's
 * linear program.
 *
 * Each tree belongs to a group: the root's number when every host has trees of its own
 * (gathering), else 0.
 */
#ifndef MTREE_PLANNER_PACKING_COLUMNS_H
#define MTREE_PLANNER_PACKING_COLUMNS_H

#include "planner/graph/candidates.h"

#include <stdint.h>

typedef struct {
    int group;
    int root;     /* given when directed or where not all hosts are spanned, else the host
                     at the tree's latency centre */
    int height;   /* hops from the root */
    double delay; /* D_t: seconds from the root to the farthest leaf, twice that when
                     undirected */
    int *edges;   /* [num_hosts - 1] ascending; -1 behind the last one of fewer */
    uint64_t hash;
    bool is_left_out; /* its weight is 0 (mtree_master_weight) */
} mtree_column_t;

typedef struct {
    const mtree_candidates_t *candidates;
    int max_height; /* an undirected tree's root is chosen within it where that can be; 0:
                       no limit */
    int num_columns, capacity;
    mtree_column_t *column;
    int *slots; /* open hash table of column numbers, -1: free; a power of two long */
    int num_slots;
    mtree_arena_t arena; /* of the edges and the scratch */
    struct mtree_columns_scratch *scratch;
} mtree_columns_t;

/* An empty pool, owned by the caller; @a candidates must outlive it. */
mtree_status_t mtree_columns_create(const mtree_candidates_t *candidates, int max_height,
                                    mtree_columns_t **pool_p);

/* Free; NULL is allowed. */
void mtree_columns_destroy(mtree_columns_t *columns);

/*
 * Put a tree into the pool unless it is there; *column_p (may be NULL) is its number.  @a
 * edges are copied and may come in any order; @a root is the root, where that is given.
 */
mtree_status_t mtree_columns_add(mtree_columns_t *columns, int group, int root,
                                 const int *edges, int *column_p);

/* Fill in a tree's root, height and delay from its group, edges and (directed) root, as
 * mtree_columns_add does. */
void mtree_columns_measure(const mtree_columns_t *columns, mtree_column_t *column);

/* The parents of a tree's hosts, [num_hosts], -1 for its root and MTREE_PLAN_OUTSIDE for
 * hosts that it does not span; and its hosts in an order in which each comes after its
 * parent, [num_hosts], unless @a order is NULL. */
void mtree_columns_parents(const mtree_columns_t *columns, const mtree_column_t *column,
                           int *parent, int *order);

#endif
