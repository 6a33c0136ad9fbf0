/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local improvement of a choice of few trees: one edge of one tree is exchanged for
 * another at a time.
 */
#ifndef MTREE_PLANNER_PACKING_LOCAL_SEARCH_H
#define MTREE_PLANNER_PACKING_LOCAL_SEARCH_H

#include "planner/packing/selection.h"

typedef struct mtree_exchanger mtree_exchanger_t;

/* Scratch for exchanging edges of @a choice, which must outlive it.  Owned by the caller.
 */
mtree_status_t mtree_exchanger_create(mtree_choice_t *choice,
                                      mtree_exchanger_t **exchanger_p);

/* Free; NULL is allowed. */
void mtree_exchanger_destroy(mtree_exchanger_t *exchanger);

/*
 * Exchange edges until none of the exchanges looked at gains, or the choice's work
 * reaches @a work.  The choice must have been solved and is left solved.
 */
void mtree_exchanger_run(mtree_exchanger_t *exchanger, double work);

#endif
