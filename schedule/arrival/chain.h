/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chains of a reduction by arrival: who sends its sum to whom, in the order in which
 * they come.  Pure decisions, no messages.
 *
 * After Zhuang et al., "Hoplite", Section 4.3: each that comes takes over from the one
 * before it, in one chain or in several (planner/regular/chains.h decides, and its plan's
 * tree says which place in the order sends to which).  Beyond the paper, of those that
 * are there at the same time the one with the best route goes next, and ranks of one host
 * form a chain of their own, whose last to come takes the host's place: a host's network
 * carries each sum in once and out once.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_CHAIN_H
#define MTREE_SCHEDULE_ARRIVAL_CHAIN_H

#include "planner/plan/plan.h"
#include "schedule/placement.h"

/* Most that any rank has to add to its own. */
#define MTREE_CHAIN_CHILDREN 6

typedef struct mtree_chain mtree_chain_t;

/* A rank whose turn has come, and whose sums it adds to its own, in this order. */
typedef struct {
    int rank;
    int num_children;
    int children[MTREE_CHAIN_CHILDREN];
} mtree_chain_link_t;

/*
 * Chains that end at rank @a root, by the tree of @a plan, or one chain where that tree
 * is not one of places in an order.  @a plan and @a placement stay the caller's.
 * MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_chain_create(const mtree_plan_t *plan,
                                  const mtree_placement_t *placement, int root,
                                  mtree_chain_t **chain_p);

/* Free; NULL is allowed. */
void mtree_chain_destroy(mtree_chain_t *chain);

/* A rank is there; the root does not arrive. */
void mtree_chain_arrive(mtree_chain_t *chain, int rank);

/*
 * The next whose turn has come: first each that has arrived, at last, when all have, the
 * root.  Its children send their sums to it.  False: nobody, for now or for good.
 */
bool mtree_chain_next(mtree_chain_t *chain, mtree_chain_link_t *link_p);

/* Has the root had its turn? */
bool mtree_chain_is_settled(const mtree_chain_t *chain);

#endif
