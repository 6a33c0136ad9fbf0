/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chains of an arrival-ordered reduction: who sends its sum to whom.  Pure decisions,
 * no messages.
 *
 * After Zhuang et al., "Hoplite", Section 4.3: each rank that arrives receives the sum of
 * the one before it, in one chain or in several.  planner/regular/chains.h decides on
 * their number; the tree of its plan says which place in the order sends to which. Beyond
 * the paper, of the ranks that wait at the same time the one with the best route is next,
 * and the ranks of one host form a chain of their own, whose last rank takes the host's
 * place.  So each sum enters and leaves a host's network once.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_CHAIN_H
#define MTREE_SCHEDULE_ARRIVAL_CHAIN_H

#include "base/arena.h"
#include "planner/plan/plan.h"
#include "schedule/placement.h"

/* The most children of a rank. */
#define MTREE_CHAIN_CHILDREN 6

typedef struct mtree_chain mtree_chain_t;

/* A rank that gets its place, and the children whose sums it adds to its own, in this
 * order. */
typedef struct {
    int rank;
    int num_children;
    int children[MTREE_CHAIN_CHILDREN];
} mtree_chain_link_t;

/*
 * Chains that end at rank @a root, by the tree of @a plan, or one chain where this tree
 * does not describe an order.  @a plan and @a placement stay the caller's;
 * the memory is of @a arena.
 */
mtree_chain_t *mtree_chain_create(mtree_arena_t *arena, const mtree_plan_t *plan,
                                  const mtree_placement_t *placement, int root);

/* A rank other than the root has arrived. */
void mtree_chain_arrive(mtree_chain_t *chain, int rank);

/*
 * The next rank that gets its place: each that has arrived and, when all have, the root.
 * Its children send their sums to it.  False: none, for now or for good.
 */
bool mtree_chain_next(mtree_chain_t *chain, mtree_chain_link_t *link_p);

/* Has the root its place? */
bool mtree_chain_is_complete(const mtree_chain_t *chain);

#endif
