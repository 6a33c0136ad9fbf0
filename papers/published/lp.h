/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear programs, solved by GLPK: maximise over columns x >= 0 with bounded rows.
 *
 * GLPK ends the process when it meets an error.  lp.c catches errors in every call into
 * it: the call fails with MTREE_ERR_SOLVER, GLPK's whole state on this thread is freed,
 * and every program made before fails with MTREE_ERR_SOLVER from then on.  Without memory
 * for that state a call fails with MTREE_ERR_NO_MEMORY.  GLPK prints nothing.
 *
 * A program keeps the first failure of the calls that build it.  Later ones then do
 * nothing, and mtree_lp_solve() returns it.
 *
 * `configure --without-glpk` builds lp_none.c in the place of lp.c.  No program can then
 * be created, and the algorithms that need one say so in the planner's table
 * (planner/plan/algorithm.h).
 */
#ifndef MTREE_PUBLISHED_LP_H
#define MTREE_PUBLISHED_LP_H

#include "base/status.h"

#include <stdbool.h>

struct glp_prob;

typedef struct {
    /* What mtree_lp_solve() has found last, which stays when it fails. */
    double objective;
    double *values; /* [columns] */
    double *prices; /* [rows] change of the objective when the row's bound grows by one */
    int pivots; /* made so far: a measure of work that does not depend on the machine's
                   speed */
    /* The rest is lp.c's. */
    struct glp_prob *problem;
    unsigned generation;   /* of GLPK's state that it lives in */
    mtree_status_t status; /* the first failure */
    int *index;            /* scratch of GLPK's 1-based form, [room + 1] */
    double *value;
    int room, found_room;
    int max_pivots; /* 0: in proportion to the program */
    bool is_solved; /* by the last attempt */
} mtree_lp_t;

/* Is there a solver, in this build and on this machine?  It is opened here. */
bool mtree_lp_is_available(void);

/* An empty program, owned by the caller.  MTREE_ERR_UNSUPPORTED without a solver. */
mtree_status_t mtree_lp_create(mtree_lp_t **lp_p);

/* Free; NULL is allowed. */
void mtree_lp_destroy(mtree_lp_t *lp);

/* Add @a count rows with lower <= row <= upper; either may be infinite.  They are
 * numbered from 0 on. */
void mtree_lp_add_rows(mtree_lp_t *lp, int count, double lower, double upper);

/* Change the bounds of a row. */
void mtree_lp_bound_row(mtree_lp_t *lp, int row, double lower, double upper);

/*
 * Add a column x >= 0 with its coefficient in the objective and in @a count different
 * rows.  They are numbered from 0 on.
 */
void mtree_lp_add_column(mtree_lp_t *lp, double objective, int count, const int *rows,
                         const double *values);

/* Replace the coefficients of a column; the objective's stays. */
void mtree_lp_set_column(mtree_lp_t *lp, int column, int count, const int *rows,
                         const double *values);

/* Let a column take the values 0 and 1 only (see mtree_lp_solve_integer). */
void mtree_lp_make_binary(mtree_lp_t *lp, int column);

/*
 * Let each mtree_lp_solve from now on take at most @a pivots in all; 0: many for its
 * size, as at first.  One that ends at
 * the limit with a solution that keeps the rows' bounds has found that one, though not
 * the best.
 */
void mtree_lp_limit(mtree_lp_t *lp, int pivots);

/*
 * Maximise, from where the last call ended.  MTREE_ERR_SOLVER (not logged) when no
 * optimum is found within the limit on pivots.
 */
mtree_status_t mtree_lp_solve(mtree_lp_t *lp);

/*
 * Maximise with the binary columns whole, over at most @a max_nodes nodes of the search
 * tree, a limit that does not depend on the machine's speed.  mtree_lp_solve() must have
 * succeeded before; `values` become those of the whole solution, and no more.
 * MTREE_ERR_NOT_FOUND when no whole solution came up.
 */
mtree_status_t mtree_lp_solve_integer(mtree_lp_t *lp, int max_nodes);

#endif
