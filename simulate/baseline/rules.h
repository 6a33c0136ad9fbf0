/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithms of one collective, and which of them Open MPI 4.1.4 takes by default.
 */
#ifndef MTREE_SIMULATE_BASELINE_RULES_H
#define MTREE_SIMULATE_BASELINE_RULES_H

#include "simulate/baseline/baseline.h"

#include <limits.h>

/* No limit to the ranks, or to the bytes. */
#define MTREE_ANY INT_MAX

/*
 * The fixed decision of Open MPI 4.1.4 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c)
 * for commutative operations, as facts: the first row whose limits are above the number
 * of ranks and the number of bytes holds.  A chain stands there without a fanout, which
 * makes it the pipeline.
 */
typedef struct {
    int ranks_below;
    size_t bytes_below;
    const char *name;
} mtree_rule_t;

typedef struct {
    const mtree_baseline_t *algorithms; /* [num_algorithms] of one collective */
    size_t num_algorithms;
    const mtree_rule_t *rules;
} mtree_baseline_list_t;

/* The algorithm of that name; NULL: there is none. */
const mtree_baseline_t *mtree_rules_find(const mtree_baseline_list_t *list,
                                         const char *name);

/* The algorithm that Open MPI takes for a message of @a bytes (allgather: of the whole
 * result) among @a num_ranks ranks. */
const mtree_baseline_t *mtree_rules_choose(const mtree_baseline_list_t *list,
                                           int num_ranks, size_t bytes);

/* Add the steps of the algorithm that Open MPI takes for @a call.  It cuts nothing into
 * segments. */
void mtree_rules_build(const mtree_baseline_list_t *list, mtree_program_t *program,
                       const mtree_baseline_call_t *call);

#endif
