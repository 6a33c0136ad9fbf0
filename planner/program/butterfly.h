/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Butterflies: exchanges in log2 rounds, in each of which every member swaps with one
 * partner.
 *
 * Members are a power of two of the places.  The host of another place gives what it has
 * to a member at first and gets the result from it at last (R. Thakur, R. Rabenseifner,
 * W. Gropp, Optimization of Collective Communication Operations in MPICH, 2005, sections
 * 4.4 and 4.5).
 */
#ifndef MTREE_PLANNER_PROGRAM_BUTTERFLY_H
#define MTREE_PLANNER_PROGRAM_BUTTERFLY_H

#include "planner/program/blocks.h"

/*
 * What the leader of the host at @a place adds to @a program, as mtree_exchange_sum() has
 * it.  Recursive doubling swaps whole vectors.  Recursive halving sums an equal part of
 * the vector at each member, where partners swap halves of what is left, and gathers the
 * parts in the opposite order (R. Rabenseifner, Optimization of Collective Reduction
 * Operations, 2004).  Both give all hosts the same bits.
 */
void mtree_doubling_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program);
void mtree_halving_sum(const mtree_program_job_t *job, int place,
                       mtree_program_t *program);

/* An allgather by recursive doubling, and a reduce_scatter by recursive halving: the half
 * of the above that each of them is. */
extern const mtree_blocks_kind_t mtree_doubling_blocks, mtree_halving_blocks;

#endif
