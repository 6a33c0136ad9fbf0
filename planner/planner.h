/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The planner's front door: a topology, a set of hosts and a request in, a plan out.
 * Deterministic.
 */
#ifndef MTREE_PLANNER_PLANNER_H
#define MTREE_PLANNER_PLANNER_H

#include "planner/plan/plan.h"

typedef struct {
    mtree_collective_t collective;
    const char *algorithm; /* see mtree_planner_algorithms(); NULL: "packing", or "direct"
                              where that is as good */
    int root;              /* host number (position in hosts) for bcast and reduce */
    int max_trees;         /* K; 0: no limit.  For allgather: trees a root */
    int max_height;        /* H in hops; 0: no limit */
    double min_rate;       /* r-min in bits/s; 0: none */
    double bytes;  /* message size (allgather: of the result); 0: throughput alone */
    unsigned seed; /* for algorithms that draw at random */
    const mtree_plan_t *keep; /* its trees are to stay and get the rates that are best
                                 now (planner/packing/reweight.h), whatever the algorithm;
                                 NULL: new trees */
} mtree_plan_request_t;

/*
 * Plan for the ranks' hosts: @a hosts are @a num_hosts vertices of @a topology; the plan
 * numbers them in that order.  Owned by the caller.  One host gives a plan with one tree
 * and no edges.  Errors are logged: MTREE_ERR_INVALID, MTREE_ERR_UNREACHABLE,
 * MTREE_ERR_NOT_FOUND (algorithm), MTREE_ERR_SOLVER, MTREE_ERR_UNSUPPORTED (algorithm
 * does not do this collective), MTREE_ERR_LIMIT (no tree is as low as the request wants).
 */
mtree_status_t mtree_planner_run(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p);

/* Names of the algorithms, NULL-terminated, static. */
const char *const *mtree_planner_algorithms(void);

/* True when there is an algorithm of this name and it does @a collective. */
bool mtree_planner_does(const char *algorithm, mtree_collective_t collective);

#endif
