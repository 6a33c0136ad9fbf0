/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a packing is made with: the cheapest trees under prices of constraints, and the
 * bound that prices prove.
 *
 * With r_t the rate of tree t, w_t its weight and x what every group gets, a packing
 *     maximises x,  sum over t of uses(t, c) r_t <= capacity(c) for each constraint c,
 *                   sum over t in g of w_t r_t >= x for each group g.
 * For throughput w_t = 1.  For the time T of a message of M bits per group, w_t = 1 - D_t
 * / T, and M can be delivered in T if and only if x T >= M (docs/design.md,
 * "Bounds and plans").
 * Any prices y of constraints prove x <= sum of capacity y / sum over g of p_g, where p_g
 * is the least y-price of any tree of g (linear-programming duality).
 */
#ifndef MTREE_PLANNER_PACKING_PACKER_H
#define MTREE_PLANNER_PACKING_PACKER_H

#include "planner/packing/prim.h"
#include "planner/packing/tree_set.h"

/* Put the cheapest tree of a group under constraint prices into @a edges, and add the
 * work of that to the packer's. */
typedef mtree_status_t (*mtree_packer_find_t)(void *finder,
                                              const double *constraint_price, int group,
                                              int *edges);

typedef struct {
    const mtree_problem_t *problem;
    const mtree_candidates_t *candidates;
    int num_groups;
    double mean;              /* capacity, bits/s */
    double time;              /* T, for which trees are weighed; 0: throughput */
    mtree_tree_set_t *shapes; /* an empty set, which measures trees */
    int turn;                 /* low trees grown so far */
    mtree_prim_t *prim;
    mtree_packer_find_t find; /* who finds trees that do not span all hosts; else NULL */
    void *finder;
    int *into;             /* [num_hosts] the edge into each host; directed */
    double bound;          /* bits/s that no group can get beyond, whatever the trees */
    double *bound_price;   /* [num_constraints] constraint prices that prove it */
    double work;           /* done so far, in steps of a few nanoseconds */
    mtree_status_t status; /* why no more can be found (mtree_packer_goes_on) */
    double *constraint_price; /* [num_constraints] prices to look at, and scratch */
    double *price; /* [num_edges] of edges, when a cheapest tree was last sought */
    int *uses;     /* scratch, [num_constraints] */
    int *edges;    /* scratch, [num_hosts - 1] */
} mtree_packer_t;

/*
 * A packer for the problem, in its arena, for mtree_packer_destroy().  @a candidates
 * must outlive it.
 */
mtree_packer_t *mtree_packer_create(const mtree_problem_t *problem,
                                    const mtree_candidates_t *candidates);

/*
 * May the packing go on?  Not when it is cancelled, or no tree was found that every group
 * has: then packer->status says so, and whatever is made from then on is of no use.
 */
bool mtree_packer_goes_on(mtree_packer_t *packer);

/* Free what is not in the arena; NULL is allowed. */
void mtree_packer_destroy(mtree_packer_t *packer);

/* The weight of a tree: 1, or what is left of the time after its delay; 0 when it is too
 * high or left out. */
double mtree_packer_weight(const mtree_packer_t *packer, const mtree_packed_t *tree);

/* Is it a scan's? */
bool mtree_packer_is_prefix(const mtree_packer_t *packer);

/* The blocks that a message is of: the linear program is about one, as each tree carries
 * one for each host, or each group sends one.  Of a scan a message is one block. */
double mtree_packer_num_blocks(const mtree_packer_t *packer);

/* What a tree carries that has rate 1 in a packing. */
double mtree_packer_blocks_per_tree(const mtree_packer_t *packer);

/* The root of a group, where it is given. */
int mtree_packer_root(const mtree_packer_t *packer, int group);

/*
 * The price of the cheapest tree of a group under constraint prices, which is put into
 * packer->edges; 0: the packing does not go on. Undirected: a cheapest spanning tree;
 * directed: a cheapest arborescence; personalized: a tree of cheapest paths; or what
 * packer->find finds.
 */
double mtree_packer_cheapest(mtree_packer_t *packer, const double *constraint_price,
                             int group);

/*
 * Keep the bound that @a constraint_price proves, when each group's cheapest trees
 * together cost
 * @a cost, if it is the lowest so far.
 */
void mtree_packer_offer_bound(mtree_packer_t *packer, const double *constraint_price,
                              double cost);

/* Keep the bound that packer->constraint_price proves for all groups together, if it is
 * the lowest so far.  @a set, unless it is NULL, gets the cheapest trees. */
void mtree_packer_prove(mtree_packer_t *packer, mtree_tree_set_t *set);

/*
 * Where edges share constraints (switches), a cheapest tree may run through one
 * constraint many times: replace packer->edges by a tree that is cheap and does not.
 * Elsewhere nothing is done.
 */
void mtree_packer_balance(mtree_packer_t *packer, const double *constraint_price,
                          int group);

/*
 * Put a cheap tree into packer->edges that keeps the limit on height: the cheapest as
 * long as one is found, else one of short distances.  False when neither is found.
 */
bool mtree_packer_find_low(mtree_packer_t *packer, const double *constraint_price,
                           int group);

#endif
