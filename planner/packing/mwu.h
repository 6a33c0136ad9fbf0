/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packing without a linear program: many trees of falling sizes, each the cheapest
 * where little is loaded.
 *
 * For networks that are too large for the simplex method.  Trees of one size are laid one
 * after the other under prices that grow exponentially with load (as in Garg and
 * Koenemann's method); then the size is halved.  The loads of constraints that matter end
 * up within about one tree's size of each other, so each halving halves the gap, and the
 * prices that occur prove the bound.
 */
#ifndef MTREE_PLANNER_PACKING_MWU_H
#define MTREE_PLANNER_PACKING_MWU_H

#include "planner/packing/tree_set.h"

#include <stdbool.h>

/*
 * Pack until bound and result differ by at most @a tolerance (a fraction) or colgen->work
 * reaches @a work.  Lowers colgen->bound.  *set_p is the packing and *x_p what every
 * group gets, bits/s.  With @a is_low all trees keep the limit on height, and the result
 * may be far from the bound; MTREE_ERR_NOT_FOUND (not logged) when a group has no such
 * tree.
 */
mtree_status_t mtree_mwu_pack(mtree_colgen_t *colgen, bool is_low, double tolerance,
                              double work, mtree_tree_set_t *set_p, double *x_p);

/* Trees to lay, where each group has a block of its own. */
typedef struct {
    const mtree_tree_set_t *only; /* these; NULL: any */
    int first, end;               /* of the groups from `first` on to `end` */
    const double *limit; /* [num_groups] of the greatest load of a constraint, in the
                            greatest by all groups together: each group's own may be so
                            much; NULL: as much as is best for all */
    int levels;          /* sizes of trees */
    double work; /* where colgen->work reaches it no more trees are laid; 0: no limit */
} mtree_mwu_lay_t;

/* Lay @a what, without regard to the bound.  *set_p is the packing and *x_p what each of
 * the groups gets, bits/s. */
mtree_status_t mtree_mwu_lay(mtree_colgen_t *colgen, const mtree_mwu_lay_t *what,
                             mtree_tree_set_t *set_p, double *x_p);

#endif
