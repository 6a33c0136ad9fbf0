/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packing by multiplicative weights: many trees of falling sizes, each the cheapest
 * where little is loaded.
 *
 * Trees of one size are laid one after the other under prices that grow exponentially
 * with load (as in Garg and Koenemann's method); then the size is halved.  The loads of
 * constraints that matter end up within about one tree's size of each other, so each
 * halving halves the gap, and the prices that occur prove the bound.  Where the packer
 * has a time T, a tree is the cheapest that costs least for what it delivers by T.
 */
#ifndef MTREE_PLANNER_PACKING_MWU_H
#define MTREE_PLANNER_PACKING_MWU_H

#include "planner/packing/packer.h"

#include <stdbool.h>

/* Sizes of trees with which bound and result are at most close enough. */
#define MTREE_MWU_MOST_LEVELS 16

/* Trees to lay. */
typedef struct {
    const mtree_tree_set_t *only; /* these; NULL: any */
    int first, end;      /* of the groups from `first` on to `end`; 0: to the last */
    const double *limit; /* [num_groups] of the greatest load of a constraint, in the
                            greatest by all groups together: each group's own may be so
                            much; NULL: as much as is best for all */
    bool is_low;         /* all keep the limit on height, whatever they carry */
    double tolerance;    /* they end where bound and result differ by no more, a fraction,
                            and the packer's bound becomes lower; 0: without regard to it */
    double bits;         /* of a prefix's message: paths are near, too, as they follow one
                            another; 0: what they carry counts alone */
    int levels;          /* sizes of trees */
    double work; /* where packer->work reaches it no more trees are laid; 0: no limit */
} mtree_mwu_lay_t;

/*
 * Lay @a what.  *set_p, which may be NULL and is freed, becomes the packing, and *x_p
 * what each of the groups gets by the packer's weights, bits/s.  MTREE_ERR_NOT_FOUND (not
 * logged): a group has no tree that is as low as all are to be.
 * MTREE_ERR_CANCELLED.
 */
mtree_status_t mtree_mwu_lay(mtree_packer_t *packer, const mtree_mwu_lay_t *what,
                             mtree_tree_set_t **set_p, double *x_p);

#endif
