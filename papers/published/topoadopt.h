/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TOPOADOPT, a baseline of papers/mtree.txt: several spanning trees found by simulated
 * annealing over all of them at once.
 */
#ifndef MTREE_PAPERS_PUBLISHED_TOPOADOPT_H
#define MTREE_PAPERS_PUBLISHED_TOPOADOPT_H

#include "planner/plan/algorithm.h"

/* Trees when the request sets no limit. */
#define MTREE_TOPOADOPT_TREES 8

/*
 * For allreduce.  A state is K spanning trees, at first random; its value is the largest
 * sum of rates that the capacities hold on them (a linear program); a move replaces a
 * random edge of one tree by a random one that joins the two parts.  Worse states are
 * accepted with the probability exp(loss / temperature), and the temperature falls
 * geometrically over a number of moves that is the same for every network.  The best
 * state seen is the plan.  papers/mtree.txt names the method without its parameters;
 * these are ours.
 */
mtree_status_t mtree_topoadopt_plan(const mtree_problem_t *problem,
                                    mtree_plan_t **plan_p);

#endif
