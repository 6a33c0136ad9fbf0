/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls may be part of a trial, in which backends take turns on the user's data.
 *
 * A reduction has an order when another order of its operands may give other bits: sums
 * of floating-point numbers round, the greatest of them may be a NaN or either zero, and
 * what an operation of the user's does is not known.  Open MPI's base
 * algorithms are tried only with data that all of them are known to handle.
 */
#ifndef COLL_MTREE_SELECT_TRIAL_RULE_H
#define COLL_MTREE_SELECT_TRIAL_RULE_H

#include <stdbool.h>

/* Values of coll_mtree_autotune. */
enum {
    COLL_MTREE_AUTOTUNE_NEVER = -1,
    COLL_MTREE_AUTOTUNE_EXACT, /* calls without an order */
    COLL_MTREE_AUTOTUNE_ALL    /* calls with one, too */
};

/* Operation and datatype of a reduction; the same on all ranks. */
typedef struct {
    bool is_intrinsic;  /* the operation is MPI's own */
    bool is_logical;    /* it combines bits or truth values */
    bool is_predefined; /* the datatype is MPI's own */
    bool is_integer;
    bool reaches_below; /* its true lower bound is negative */
} coll_mtree_reduction_t;

bool coll_mtree_reduction_has_order(const coll_mtree_reduction_t *reduction);

/* Must @a reduction give the same bits in every call, by the values of the parameters? */
bool coll_mtree_order_is_kept(const coll_mtree_reduction_t *reduction, int autotune,
                              bool deterministic);

/* Is it known that every base algorithm handles such data? */
bool coll_mtree_reduction_is_plain(const coll_mtree_reduction_t *reduction);

/* May blocking calls of @a reduction (NULL: they move data) be part of a trial, by the
 * values of the parameters? */
bool coll_mtree_trial_is_allowed(const coll_mtree_reduction_t *reduction, int autotune,
                                 bool deterministic);

#endif
