/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local improvement of a selection of few trees: one edge of one tree is exchanged for
 * another at a time.
 */
#ifndef MTREE_PLANNER_PACKING_LOCAL_SEARCH_H
#define MTREE_PLANNER_PACKING_LOCAL_SEARCH_H

#include "planner/packing/selection.h"

typedef struct mtree_local_search mtree_local_search_t;

/* A search on @a selection, which must outlive it, in @a arena. */
mtree_local_search_t *mtree_local_search_create(mtree_arena_t *arena,
                                                mtree_selection_t *selection);

/*
 * Exchange edges until none of the exchanges looked at gains, or the selection's work
 * reaches @a work.  The selection must have been solved and is left solved.
 */
void mtree_local_search_run(mtree_local_search_t *search, double work);

#endif
