/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the baselines share.  Private to simulate/baseline*.c.
 */
#ifndef MTREE_SIMULATE_BASELINE_BUILD_H
#define MTREE_SIMULATE_BASELINE_BUILD_H

#include "simulate/baseline/baseline.h"

/* Chains under the root of Open MPI's "chain", and the radix of its "knomial". */
#define MTREE_CHAIN_FANOUT  4
#define MTREE_KNOMIAL_RADIX 4
#define MTREE_TREE_CHILDREN 64

typedef struct {
    int parent; /* -1: the root */
    int num_children;
    int children[MTREE_TREE_CHILDREN];
} mtree_rank_tree_t;

/* A part of a vector. */
typedef struct {
    size_t offset, count;
} mtree_block_t;

/* Block @a index of @a count elements in @a parts whose sizes differ by one at most, the
 * longer first. */
mtree_block_t mtree_block(size_t count, size_t parts, size_t index);

/* The blocks from @a first up to but not @a last, as one. */
mtree_block_t mtree_blocks(size_t count, size_t parts, size_t first, size_t last);

/* The greatest power of two that is not greater than @a n > 0. */
int mtree_power_of_two(int n);

/* Where rank @a rank of @a num_ranks is in the trees of
 * ompi/mca/coll/base/coll_base_topo.c. */
void mtree_tree_binary(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);
void mtree_tree_in_order_binary(int rank, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_binomial(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);
void mtree_tree_in_order_binomial(int rank, int num_ranks, int root,
                                  mtree_rank_tree_t *tree);
void mtree_tree_knomial(int rank, int num_ranks, int root, int radix,
                        mtree_rank_tree_t *tree);
void mtree_tree_chain(int rank, int num_ranks, int root, int fanout,
                      mtree_rank_tree_t *tree);

/*
 * Parts of other algorithms: broadcast what the root has in RESULT, reduce from INPUT
 * into the root's RESULT, by Open MPI's default or linearly.
 */
void mtree_build_default_bcast(mtree_program_t *program,
                               const mtree_baseline_call_t *call);
void mtree_build_linear_bcast(mtree_program_t *program,
                              const mtree_baseline_call_t *call);
void mtree_build_default_reduce(mtree_program_t *program,
                                const mtree_baseline_call_t *call);
void mtree_build_linear_reduce(mtree_program_t *program,
                               const mtree_baseline_call_t *call);

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

/* The table's entries. */
void mtree_build_bcast_linear(mtree_program_t *program,
                              const mtree_baseline_call_t *call);
void mtree_build_bcast_chain(mtree_program_t *program, const mtree_baseline_call_t *call);
void mtree_build_bcast_pipeline(mtree_program_t *program,
                                const mtree_baseline_call_t *call);
void mtree_build_bcast_split_binary(mtree_program_t *program,
                                    const mtree_baseline_call_t *call);
void mtree_build_bcast_binary(mtree_program_t *program,
                              const mtree_baseline_call_t *call);
void mtree_build_bcast_binomial(mtree_program_t *program,
                                const mtree_baseline_call_t *call);
void mtree_build_bcast_knomial(mtree_program_t *program,
                               const mtree_baseline_call_t *call);
void mtree_build_bcast_scatter_allgather(mtree_program_t *program,
                                         const mtree_baseline_call_t *call);
void mtree_build_bcast_scatter_ring(mtree_program_t *program,
                                    const mtree_baseline_call_t *call);
void mtree_build_reduce_chain(mtree_program_t *program,
                              const mtree_baseline_call_t *call);
void mtree_build_reduce_pipeline(mtree_program_t *program,
                                 const mtree_baseline_call_t *call);
void mtree_build_reduce_binary(mtree_program_t *program,
                               const mtree_baseline_call_t *call);
void mtree_build_reduce_binomial(mtree_program_t *program,
                                 const mtree_baseline_call_t *call);
void mtree_build_reduce_in_order(mtree_program_t *program,
                                 const mtree_baseline_call_t *call);
void mtree_build_reduce_rabenseifner(mtree_program_t *program,
                                     const mtree_baseline_call_t *call);
void mtree_build_allreduce_linear(mtree_program_t *program,
                                  const mtree_baseline_call_t *call);
void mtree_build_allreduce_nonoverlapping(mtree_program_t *program,
                                          const mtree_baseline_call_t *call);
void mtree_build_allreduce_doubling(mtree_program_t *program,
                                    const mtree_baseline_call_t *call);
void mtree_build_allreduce_ring(mtree_program_t *program,
                                const mtree_baseline_call_t *call);
void mtree_build_allreduce_segmented_ring(mtree_program_t *program,
                                          const mtree_baseline_call_t *call);
void mtree_build_allreduce_rabenseifner(mtree_program_t *program,
                                        const mtree_baseline_call_t *call);
void mtree_build_allgather_linear(mtree_program_t *program,
                                  const mtree_baseline_call_t *call);
void mtree_build_allgather_bruck(mtree_program_t *program,
                                 const mtree_baseline_call_t *call);
void mtree_build_allgather_doubling(mtree_program_t *program,
                                    const mtree_baseline_call_t *call);
void mtree_build_allgather_ring(mtree_program_t *program,
                                const mtree_baseline_call_t *call);
void mtree_build_allgather_neighbor(mtree_program_t *program,
                                    const mtree_baseline_call_t *call);
void mtree_build_allgather_two(mtree_program_t *program,
                               const mtree_baseline_call_t *call);
void mtree_build_reduce_scatter_nonoverlapping(mtree_program_t *program,
                                               const mtree_baseline_call_t *call);
void mtree_build_reduce_scatter_halving(mtree_program_t *program,
                                        const mtree_baseline_call_t *call);
void mtree_build_reduce_scatter_ring(mtree_program_t *program,
                                     const mtree_baseline_call_t *call);
void mtree_build_reduce_scatter_butterfly(mtree_program_t *program,
                                          const mtree_baseline_call_t *call);

#endif
