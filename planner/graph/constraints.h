/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the arcs that edges use to the constraints of a packing: arcs that the same edges
 * use equally often are one constraint, with the least of their capacities.
 */
#ifndef MTREE_PLANNER_GRAPH_CONSTRAINTS_H
#define MTREE_PLANNER_GRAPH_CONSTRAINTS_H

#include "planner/graph/candidates.h"

/*
 * On entry made->constraints holds, from made->first on, the arcs that each edge uses;
 * they become constraints, and made->capacity and made->arc are set.  Arcs that no edge
 * uses are left out.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_constraints_make(const mtree_problem_t *problem,
                                      mtree_candidates_t *made);

#endif
