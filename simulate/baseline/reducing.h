/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First halves of algorithms that sum a vector: each rank ends with the sum of one part
 * of it in RESULT.
 */
#ifndef MTREE_SIMULATE_BASELINE_REDUCING_H
#define MTREE_SIMULATE_BASELINE_REDUCING_H

#include "simulate/baseline/blocks.h"

/*
 * The ranks beyond a power of two sit out: from 0 on two ranks are a pair each, and the
 * even one gives all that it has to the odd one.
 */
typedef struct {
    int power, excess;
    int mine; /* the rank's number among those that take part, below `excess` that of a
                 pair; -1: it sits out */
} mtree_pairs_t;

/* Copy the input to the result, and let those sit out. */
void mtree_build_pairs(const mtree_baseline_call_t *call, mtree_pairs_t *pairs);

/* The rank that takes part as @a number. */
static inline int mtree_pairs_rank(const mtree_pairs_t *pairs, int number)
{
    return number < pairs->excess ? 2 * number + 1 : number + pairs->excess;
}

/* The block of rank @a index. */
mtree_block_t mtree_rank_block(const mtree_baseline_call_t *call, int index);

/*
 * The reducing half of a ring: segment @a phase of @a phases of every block goes once
 * around in RESULT, starting @a shift ranks back; the last block that rank r folds is
 * block r + 1 - shift.
 */
void mtree_build_ring_reduce(const mtree_baseline_call_t *call, int shift, size_t phase,
                             size_t phases);

/*
 * The reducing half of Rabenseifner's algorithm (recursive vector halving, distance
 * doubling) in RESULT.  The window that a rank holds after step s is kept[s], and what it
 * gave away to its partner in that step, given[s], is the rest of the window before.
 */
typedef struct {
    int new_rank; /* among the power of two, -1: left out */
    int excess;   /* ranks beyond the power of two */
    int num_steps;
    mtree_block_t kept[32], given[32];
} mtree_vector_halving_t;

void mtree_build_vector_halving(const mtree_baseline_call_t *call,
                                mtree_vector_halving_t *halving);

/* The rank that takes part as @a new_rank. */
int mtree_vector_halving_rank(const mtree_vector_halving_t *halving, int new_rank);

#endif
