/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First halves of algorithms that sum a vector: each rank ends with the sum of one part
 * of it in RESULT.
 */
#ifndef MTREE_SIMULATE_BASELINE_REDUCING_H
#define MTREE_SIMULATE_BASELINE_REDUCING_H

#include "simulate/baseline/baseline.h"
#include "simulate/baseline/blocks.h"

/* Block @a block of one per rank; blocks are counted around the ring. */
mtree_block_t mtree_ring_block(const mtree_baseline_call_t *call, int block);

/*
 * The reducing half of a ring: segment @a phase of @a phases of every block goes once
 * around in RESULT, starting @a shift ranks back; the last block that rank r folds is
 * block r + 1 - shift.
 */
void mtree_build_ring_reduce(mtree_program_t *program, const mtree_baseline_call_t *call,
                             int shift, size_t phase, size_t phases);

/*
 * The reducing half of Rabenseifner's algorithm (recursive vector halving, distance
 * doubling) in RESULT. The window that a rank holds after step s is [offset[s], offset[s]
 * + count[s]), and what it gave away to its partner in that step is the rest of the
 * window before.
 */
typedef struct {
    int new_rank; /* among the power of two, -1: left out */
    int excess;   /* ranks beyond the power of two */
    int power;
    int num_steps;
    mtree_block_t kept[32], given[32];
} mtree_vector_halving_t;

void mtree_build_vector_halving(mtree_program_t *program,
                                const mtree_baseline_call_t *call,
                                mtree_vector_halving_t *halving);

/* The rank that takes part as @a new_rank. */
int mtree_vector_halving_rank(const mtree_vector_halving_t *halving, int new_rank);

#endif
