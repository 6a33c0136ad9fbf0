/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steiner trees as columns of linear programs: what each takes of the capacities, and the
 * rates that are best for some of them.
 */
#ifndef MTREE_PLANNER_RELAYS_COLUMNS_H
#define MTREE_PLANNER_RELAYS_COLUMNS_H

#include "planner/graph/candidates.h"
#include "planner/solver/lp.h"

typedef struct {
    int group; /* of the roots */
    const int *parent;
    int length; /* of its column */
    const int *rows;
    const double *values;
    bool is_left_out;
    double rate; /* by the last solution, in units of `unit` */
} mtree_relay_column_t;

/*
 * Rows of the program: one for each root, what its trees carry less what every root
 * carries, the rate; and one for each constraint of the candidates.  Columns: the rate,
 * then the trees.
 */
typedef struct {
    mtree_arena_t *arena;
    const mtree_candidates_t *candidates;
    int num_active, num_groups, first_root;
    int *edge_at; /* [num_hosts x num_hosts] the edge from a host to another; -1: none */
    int *uses;    /* [num_constraints] scratch */
    double unit;  /* bits/s */
    int num_columns, capacity;
    mtree_relay_column_t *columns;
} mtree_relay_columns_t;

/* No columns yet, for trees rooted in @a root; -1: in each of the active hosts.
 * MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_relay_columns_init(mtree_relay_columns_t *columns,
                                        mtree_arena_t *arena,
                                        const mtree_candidates_t *candidates,
                                        int num_active, int root);

/* Free what is not in the arena. */
void mtree_relay_columns_cleanup(mtree_relay_columns_t *columns);

/* Add the tree of root number @a group with these parents, which are copied.  Its uses
 * are in columns->uses then.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_relay_columns_add(mtree_relay_columns_t *columns, int group,
                                       const int *parent);

/* A program of all columns that are not left out. */
mtree_status_t mtree_relay_columns_program(const mtree_relay_columns_t *columns,
                                           mtree_lp_t **lp_p);

/* Add the last column to @a lp, which has all others. */
void mtree_relay_columns_extend(const mtree_relay_columns_t *columns, mtree_lp_t *lp);

/* The best rates of the columns that are not left out; what each root carries, bits/s. */
mtree_status_t mtree_relay_columns_solve(mtree_relay_columns_t *columns, double *rate_p);

#endif
