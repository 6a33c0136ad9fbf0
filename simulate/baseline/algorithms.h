/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithms of each collective, and what they take from each other.  Private to
 * simulate/baseline.
 */
#ifndef MTREE_SIMULATE_BASELINE_ALGORITHMS_H
#define MTREE_SIMULATE_BASELINE_ALGORITHMS_H

#include "simulate/baseline/baseline.h"
#include "simulate/baseline/blocks.h"
#include "simulate/baseline/rules.h"

/* The list of each collective, mtree_baselines_<name>, is in a file of its own. */
#define MTREE_DECLARE_BASELINE_LIST(_collective, _name, ...)                             \
    extern const mtree_baseline_list_t mtree_baselines_##_name;
MTREE_COLLECTIVES(MTREE_DECLARE_BASELINE_LIST, )

/* Broadcast what the root has in RESULT, linearly or as Open MPI does by default. */
void mtree_build_linear_bcast(mtree_program_t *program,
                              const mtree_baseline_call_t *call);
void mtree_build_default_bcast(mtree_program_t *program,
                               const mtree_baseline_call_t *call);

/* Reduce from INPUT into the root's RESULT, likewise. */
void mtree_build_linear_reduce(mtree_program_t *program,
                               const mtree_baseline_call_t *call);
void mtree_build_default_reduce(mtree_program_t *program,
                                const mtree_baseline_call_t *call);

#endif
