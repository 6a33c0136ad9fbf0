/*
 * The algorithms that the user chose: coll_mtree_algorithm is `NAME`, for every
 * collective that this algorithm does, or `COLLECTIVE:NAME`, or several of these,
 * separated by commas.
 */
#ifndef MCA_COLL_MTREE_ALGORITHM_H
#define MCA_COLL_MTREE_ALGORITHM_H

#include "planner/plan.h"

#include <stdbool.h>

/* False, having said once what is wrong with it, when the parameter makes no sense. */
bool coll_mtree_algorithm_check(void);

/* The algorithm for @a collective; NULL: the planner's default. */
const char *coll_mtree_algorithm_of(mtree_collective_t collective);

#endif
