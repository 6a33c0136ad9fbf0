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

/* False, having said once what is wrong with it, when the parameter makes no sense. */
bool coll_mtree_algorithm_check(void);

/*
 * Read @a text, which has the form of the parameter, into @a chosen_p
 * [MTREE_COLLECTIVE_LAST]: the planner's names of what it chooses, the others stay.
 * False, having said in the name of @a parameter what is wrong and the @a consequence,
 * when it makes no sense.
 */
bool coll_mtree_algorithm_read(const char *parameter, const char *text,
                               const char *consequence, const char **chosen_p);

/* The algorithm for @a collective; NULL: the planner's default. */
const char *coll_mtree_algorithm_of(mtree_collective_t collective);

#endif
