/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithms of each collective, which of them Open MPI takes by default, and
 * what they take from each other.  Private to simulate/baseline.
 */
#ifndef MTREE_SIMULATE_BASELINE_ALGORITHMS_H
#define MTREE_SIMULATE_BASELINE_ALGORITHMS_H

#include "simulate/baseline/blocks.h"

#include <limits.h>

/* No limit to the ranks, or to the bytes. */
#define MTREE_ANY INT_MAX

/*
 * The fixed decision of Open MPI (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c) for
 * commutative operations, as facts: the first row whose limits are above the number of
 * ranks and the number of bytes holds.  A chain stands there without a fanout, which
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
    const mtree_rule_t *rules;       /* of 4.1.4 */
    const mtree_rule_t *rules_apart; /* of main in August 2026, where each rank has a host
                                        of its own; NULL: they are the same */
} mtree_baseline_list_t;

/* The list of each collective, mtree_baselines_<name>, is in a file of its own. */
#define MTREE_DECLARE_BASELINE_LIST(_collective, _name, ...)                             \
    extern const mtree_baseline_list_t mtree_baselines_##_name;
MTREE_COLLECTIVES(MTREE_DECLARE_BASELINE_LIST, )

/* Do @a collective as Open MPI does by default, with whole messages. */
void mtree_build_default(const mtree_baseline_call_t *call,
                         mtree_collective_t collective);

/* Gather blocks in the root's RESULT by a binomial tree. */
void mtree_build_binomial_gather(const mtree_baseline_call_t *call);

/* Broadcast what the root has in RESULT linearly. */
void mtree_build_linear_bcast(const mtree_baseline_call_t *call);

/* Reduce from INPUT into the root's RESULT linearly. */
void mtree_build_linear_reduce(const mtree_baseline_call_t *call);

#endif
