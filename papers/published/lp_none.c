/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No solver: the place of lp.c in a build without GLPK.  No program can be created, so
 * nothing else here is ever reached with one.
 */
#include "papers/published/lp.h"

#include <stddef.h>

bool mtree_lp_is_available(void)
{
    return false;
}

mtree_status_t mtree_lp_create(mtree_lp_t **lp_p)
{
    *lp_p = NULL;
    return MTREE_ERR_UNSUPPORTED;
}

void mtree_lp_destroy(mtree_lp_t *lp)
{
    (void)lp;
}

void mtree_lp_add_rows(mtree_lp_t *lp, int count, double lower, double upper)
{
    (void)lp, (void)count, (void)lower, (void)upper;
}

void mtree_lp_bound_row(mtree_lp_t *lp, int row, double lower, double upper)
{
    (void)lp, (void)row, (void)lower, (void)upper;
}

void mtree_lp_add_column(mtree_lp_t *lp, double objective, int count, const int *rows,
                         const double *values)
{
    (void)lp, (void)objective, (void)count, (void)rows, (void)values;
}

void mtree_lp_set_column(mtree_lp_t *lp, int column, int count, const int *rows,
                         const double *values)
{
    (void)lp, (void)column, (void)count, (void)rows, (void)values;
}

void mtree_lp_make_binary(mtree_lp_t *lp, int column)
{
    (void)lp, (void)column;
}

void mtree_lp_limit(mtree_lp_t *lp, int pivots)
{
    (void)lp, (void)pivots;
}

mtree_status_t mtree_lp_solve(mtree_lp_t *lp)
{
    (void)lp;
    return MTREE_ERR_UNSUPPORTED;
}

mtree_status_t mtree_lp_solve_integer(mtree_lp_t *lp, int max_nodes)
{
    (void)lp, (void)max_nodes;
    return MTREE_ERR_UNSUPPORTED;
}
