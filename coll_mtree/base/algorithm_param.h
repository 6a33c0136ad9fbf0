/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithms that the user chose: coll_mtree_algorithm is `NAME`, for every
 * collective that this algorithm does, or `COLLECTIVE:NAME`, or several of these,
 * separated by commas.
 */
#ifndef COLL_MTREE_BASE_ALGORITHM_PARAM_H
#define COLL_MTREE_BASE_ALGORITHM_PARAM_H

#include "planner/plan/plan.h"

#include <stdbool.h>

/* Read the parameter, once.  False when it is invalid; the first call logs what is wrong
 * with it. */
bool coll_mtree_algorithm_check(void);

/* Read @a text, which has the form of the parameter, into @a chosen
 * [MTREE_COLLECTIVE_LAST]: the planner's own names of the chosen algorithms; the elements
 * of other collectives stay.  False when it is invalid: one line names what is wrong. */
bool coll_mtree_algorithm_read(const char *text, const char **chosen);

/* The algorithm for @a collective, after coll_mtree_algorithm_check(); NULL: the
 * planner's default. */
const char *coll_mtree_algorithm_of(mtree_collective_t collective);

#endif
