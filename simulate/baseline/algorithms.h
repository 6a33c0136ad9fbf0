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

extern const mtree_baseline_list_t mtree_baselines_allreduce;
extern const mtree_baseline_list_t mtree_baselines_reduce;
extern const mtree_baseline_list_t mtree_baselines_bcast;
extern const mtree_baseline_list_t mtree_baselines_allgather;
extern const mtree_baseline_list_t mtree_baselines_reduce_scatter;

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
