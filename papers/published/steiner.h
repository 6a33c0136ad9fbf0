/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing of directed Steiner trees over partly active workers, after Zhang, Wu and Li,
 * "Near-Optimal Topology-adaptive Parameter Synchronization in Distributed DNN Training"
 * ("the paper").
 *
 * Active hosts synchronise |C| bits; the others may relay (combine and copy) for them.
 * Every active host v is the root of reduce trees and of broadcast trees of aggregate
 * weight chi_v each; the time is 2 |C| / sum of chi_v, for separate stages (linear
 * program (4)) and for a broadcast that begins while the reduce stage lasts (linear
 * program (8)).
 *
 * The paper finds its trees by the ellipsoid method on the dual (6), asking an
 * approximate Steiner tree oracle for violated constraints, and solves (4) or (8) over
 * them.  Here the same oracle serves column generation on (4) or (8) itself: no tree is
 * missed, so where the oracle is exact the optimum is, and the prices prove it.
 */
#ifndef MTREE_PAPERS_PUBLISHED_STEINER_H
#define MTREE_PAPERS_PUBLISHED_STEINER_H

#include "planner/plan/algorithm.h"
#include "planner/published/steiner_tree.h"

typedef enum {
    MTREE_STEINER_BROADCAST, /* broadcast trees alone: linear program (5) */
    MTREE_STEINER_SEPARATE,  /* reduce, then broadcast: (4) */
    MTREE_STEINER_OVERLAPPED /* broadcast begins during the reduce stage: (8) */
} mtree_steiner_mode_t;

typedef enum {
    MTREE_STEINER_STAGE_REDUCE,  /* I: edges lead to the root */
    MTREE_STEINER_STAGE_OVERLAP, /* K: broadcast trees that share the links with the
                                    reduce trees */
    MTREE_STEINER_STAGE_FINAL    /* J: broadcast trees after the reduce stage */
} mtree_steiner_stage_t;

typedef struct {
    const mtree_topology_t *topology;
    const int
        *hosts; /* [num_hosts] vertices: the active ones, then those that may relay */
    int num_hosts;
    int num_active;
    mtree_steiner_mode_t mode;
    int root;   /* the only root, a position among the active hosts; -1: every active host
                   may be one */
    double gap; /* stop when the rest to the bound is at most this part of it; 0: at the
                   optimum */
} mtree_steiner_request_t;

typedef struct {
    mtree_steiner_stage_t stage;
    int root;
    double weight; /* bits/s on every edge's route */
    int *parent;   /* [num_hosts] the next host towards the root, -1 for the root,
                      MTREE_STEINER_ABSENT */
} mtree_steiner_tree_t;

typedef struct {
    mtree_arena_t arena; /* of the trees */
    int num_hosts;
    int num_trees;
    mtree_steiner_tree_t *trees;
    double chi;   /* bits/s, the sum over the roots */
    double bound; /* no packing has a larger chi; 0 when the oracle was not exact
                     (planner/published/steiner_tree.h) */
} mtree_steiner_packing_t;

/*
 * Pack trees.  Two hosts whose route passes through no third are joined by an edge that
 * takes the capacity of that route; switches only forward.  Owned by the caller.
 * MTREE_ERR_INVALID, MTREE_ERR_UNREACHABLE, MTREE_ERR_SOLVER, all
 * logged.
 */
mtree_status_t mtree_steiner_pack(const mtree_steiner_request_t *request,
                                  mtree_steiner_packing_t **packing_p);

/* Free; NULL is allowed. */
void mtree_steiner_packing_destroy(mtree_steiner_packing_t *packing);

/* The algorithm "steiner" of the planner (planner/plan/algorithm.h); steiner_plan.c
 * describes how relays are expressed, and how many hosts a topology may have. */
bool mtree_steiner_fits(const mtree_problem_t *problem);
mtree_status_t mtree_steiner_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif
