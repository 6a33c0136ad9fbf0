/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local improvement of a selection of few trees: one edge of one tree is exchanged for
 * another at a time.
 */
#ifndef MTREE_PLANNER_PACKING_LOCAL_SEARCH_H
#define MTREE_PLANNER_PACKING_LOCAL_SEARCH_H

#include "planner/packing/selection.h"

typedef struct mtree_local_search mtree_local_search_t;

/* Scratch for exchanging edges of @a selection, which must outlive it.  Owned by the
 * caller.
 */
mtree_status_t mtree_local_search_create(mtree_selection_t *selection,
                                         mtree_local_search_t **search_p);

/* Free; NULL is allowed. */
void mtree_local_search_destroy(mtree_local_search_t *search);

/*
 * Exchange edges until none of the exchanges looked at gains, or the selection's work
 * reaches @a work.  The selection must have been solved and is left solved.
 */
void mtree_local_search_run(mtree_local_search_t *search, double work);

#endif
