/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: parts of a vector, the steps that send and receive blocks of the result, and
 * the trees along which they go.
 * Lengths and offsets are in elements.
 */
#ifndef MTREE_SIMULATE_BASELINE_BLOCKS_H
#define MTREE_SIMULATE_BASELINE_BLOCKS_H

#include "planner/program/members.h"
#include "simulate/baseline/baseline.h"

typedef struct {
    size_t offset, count;
} mtree_block_t;

/* Block @a index of @a count elements in @a parts whose sizes differ by one at most, the
 * longer first. */
mtree_block_t mtree_block(size_t count, size_t parts, size_t index);

/* The blocks of @a num ranks, from number @a first on, in a vector of one block per rank.
 */
mtree_block_t mtree_blocks(const mtree_baseline_call_t *call, int first, int num);

/* Segment @a index of @a block, which is cut into segments of @a length elements; the
 * last one may be shorter, and those after it are empty. */
mtree_block_t mtree_block_segment(mtree_block_t block, size_t length, size_t index);

/* The place of an element of the vector in a rank's result. */
static inline mtree_place_t mtree_result(size_t offset)
{
    return mtree_place(MTREE_BUFFER_RESULT, offset);
}

/* The whole vector. */
static inline mtree_block_t mtree_vector(const mtree_baseline_call_t *call)
{
    return (mtree_block_t){0, call->count};
}

/* @a number, which may be negative, around the ring of all ranks. */
static inline int mtree_around(const mtree_baseline_call_t *call, int number)
{
    return (number % call->num_ranks + call->num_ranks) % call->num_ranks;
}

/* Where the rank is, counted from the root. */
static inline int mtree_position(const mtree_baseline_call_t *call)
{
    return mtree_around(call, call->rank - call->root);
}

/* Copy the input to the same places of the result. */
void mtree_add_input(const mtree_baseline_call_t *call);

/* Of vectors of one block per rank, all of the same length: copy block @a index of @a
 * buffer to block @a to of the result. */
void mtree_add_copy(const mtree_baseline_call_t *call, int to, mtree_buffer_t buffer,
                    int index);

/* Copy @a buffer to the result, with each block @a places further around; the result
 * itself goes by way of WORK. */
void mtree_add_rotation(const mtree_baseline_call_t *call, mtree_buffer_t buffer,
                        int places);

/* Begin to send the block of the input that is for @a peer; returns the request. */
size_t mtree_add_block_send(const mtree_baseline_call_t *call, int peer);

/* Receive the vector of @a peer and add it to the result. */
void mtree_add_recv_and_fold(const mtree_baseline_call_t *call, int peer);

/* Have rank @a from send a block of its result to rank @a to, which receives it there; of
 * other ranks, and of one rank, nothing. */
void mtree_add_transfer(const mtree_baseline_call_t *call, int from, int to,
                        mtree_block_t block);

/* Send a block of the result, receive one, or do both at once, and wait for the end. */
void mtree_add_send(const mtree_baseline_call_t *call, int peer, mtree_block_t block);
void mtree_add_recv(const mtree_baseline_call_t *call, int peer, mtree_block_t block);
void mtree_add_exchange(const mtree_baseline_call_t *call, int send_peer,
                        mtree_block_t sent, int recv_peer, mtree_block_t received);

/* Send block @a sent to @a peer, and add what it sends to block @a summed. */
void mtree_add_swap_and_fold(const mtree_baseline_call_t *call, int peer,
                             mtree_block_t sent, mtree_block_t summed);

/* The trees of ompi/mca/coll/base/coll_base_topo.c, as one rank sees them. */
#define MTREE_TREE_CHILDREN 64

typedef struct mtree_rank_tree {
    int parent; /* -1: the root */
    int num_children;
    int children[MTREE_TREE_CHILDREN];
} mtree_rank_tree_t;

/* Those of each algorithm (mtree_rank_tree_func_t). */
void mtree_tree_binary(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_binomial(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_in_order_binomial(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_knomial(int position, int num_ranks, mtree_rank_tree_t *tree);

/* Four chains, and one. */
void mtree_tree_chain(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_pipeline(int position, int num_ranks, mtree_rank_tree_t *tree);

/* A binary tree that adds in the order of the ranks; the last rank must be the root. */
void mtree_tree_in_order_binary(int position, int num_ranks, mtree_rank_tree_t *tree);

/* Parent and children of the rank in the tree of the call's root. */
mtree_rank_tree_t mtree_rank_tree(const mtree_baseline_call_t *call,
                                  mtree_rank_tree_func_t func);

/* The places of the blocks of @a num ranks from number @a first on, which end with the
 * last rank's at the latest. */
typedef mtree_block_t (*mtree_blocks_func_t)(const mtree_baseline_call_t *call, int first,
                                             int num);

/* Pass blocks around the ring until every rank has all of them: each begins with number
 * @a first, which may be counted around, and receives the numbers before it. */
void mtree_build_ring_gather(const mtree_baseline_call_t *call, int first,
                             mtree_blocks_func_t blocks);

/* The same by recursive doubling, with the blocks in the order of the positions. */
void mtree_build_doubling_gather(const mtree_baseline_call_t *call,
                                 mtree_blocks_func_t blocks);

/* Gather @a blocks, which are in the order of the positions in RESULT, at the root by a
 * binomial tree (@a up), or hand out the root's: each rank has those of its subtree on
 * the way, its own first. */
void mtree_build_binomial(const mtree_baseline_call_t *call, mtree_blocks_func_t blocks,
                          bool up);

/*
 * First halves of algorithms that sum a vector: each rank ends with the sum of one part
 * of it in RESULT.
 */

/* In a pair the rank that takes part sends @a block of its result to the other one. */
void mtree_add_to_sitting(const mtree_baseline_call_t *call,
                          const mtree_members_t *members, mtree_block_t block);

/* Copy the input to the result; even ranks of pairs give it to the odd ones, which take
 * part. */
mtree_members_t mtree_build_pairs(const mtree_baseline_call_t *call);

/*
 * The reducing half of a ring: segment @a phase of @a phases of every block goes once
 * around in RESULT, starting @a shift ranks back; the last block that rank r folds is
 * block r + 1 - shift.
 */
void mtree_build_ring_reduce(const mtree_baseline_call_t *call, int shift, size_t phase,
                             size_t phases);

/* What @a member sums after the step in which the numbers of partners differ by @a mask.
 */
typedef mtree_block_t (*mtree_window_func_t)(const mtree_baseline_call_t *call,
                                             const mtree_members_t *members, int member,
                                             int mask);

/* Recursive halving: in each step partners swap the halves of what both have summed, and
 * each keeps the sum of one.  Their distance doubles, or it is halved. */
void mtree_build_halving(const mtree_baseline_call_t *call,
                         const mtree_members_t *members, mtree_window_func_t window,
                         bool doubles);

/* The reducing half of Rabenseifner's algorithm in RESULT: recursive halving of the
 * vector, with distances that double.  Even ranks of pairs take part. */
mtree_members_t mtree_build_vector_halving(const mtree_baseline_call_t *call);

/* Its windows. */
mtree_block_t mtree_vector_window(const mtree_baseline_call_t *call,
                                  const mtree_members_t *members, int member, int mask);

#endif
