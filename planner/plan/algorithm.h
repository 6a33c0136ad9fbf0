/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An algorithm of the planner: a name, the collectives it does, a function that makes the
 * plan, the solver of linear programs that it needs, and what limits it.
 * planner/algorithms.c holds the table of all of them; planner/planner.c does what they
 * have in common.
 */
#ifndef MTREE_PLANNER_PLAN_ALGORITHM_H
#define MTREE_PLANNER_PLAN_ALGORITHM_H

#include "base/arena.h"
#include "planner/plan/request.h"

/* What an algorithm is given.  Everything belongs to the caller; there are at least two
 * hosts. */
typedef struct {
    const mtree_topology_t *topology;
    const mtree_routes_t *routes; /* between the hosts, numbered as in the plan */
    const mtree_plan_request_t *request;
    const int *hosts; /* [num_hosts] vertices of the topology */
    int num_hosts;
    const char *const *names; /* [num_hosts] host names */
    const char *algorithm;    /* the name of the one that plans */
    mtree_arena_t *arena;     /* what the algorithm needs for a while; freed after it */
} mtree_problem_t;

/*
 * Fill in the names of the hosts of @a problem, which has an arena, and find the routes
 * between them, if it has none: *routes_p, NULL at first, the caller's. MTREE_ERR_INVALID
 * (logged): one is no host of the topology, or there twice.
 */
mtree_status_t mtree_problem_prepare(mtree_problem_t *problem, mtree_routes_t **routes_p);

/* What a message costs at each hop besides its bytes, seconds. */
static inline double mtree_problem_hop(const mtree_problem_t *problem)
{
    return mtree_message_cost_hop(&problem->topology->cost);
}

/* An empty plan for @a problem, its size and root, with room for @a num_trees trees
 * (mtree_plan_create). */
static inline mtree_plan_t *mtree_problem_plan(const mtree_problem_t *problem,
                                               const char *algorithm, int num_trees)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_plan_t *plan = mtree_plan_create(request->collective, algorithm,
                                           problem->num_hosts, problem->names, num_trees);

    plan->bytes = request->bytes;
    plan->root = mtree_collective_has_root(request->collective) ? request->root : -1;
    return plan;
}

/*
 * Make the trees of a plan: mtree_problem_plan, then each tree's root, parent and rate.
 * Everything else may stay 0 or NULL, and mtree_planner_run fills it in: latencies,
 * shares (in proportion to the rates), throughput, bound, chunk sizes and seconds.
 *
 * *plan_p is NULL at first.  A plan that is there when the function fails is freed by the
 * caller.  Errors are logged by the algorithm.
 */
typedef mtree_status_t (*mtree_algorithm_func_t)(const mtree_problem_t *problem,
                                                 mtree_plan_t **plan_p);

/*
 * Has the algorithm a plan for @a problem, of which the topology, the request, the name
 * of the algorithm and how many hosts there are is all that is set?  It answers before
 * the plan is made, at once and without a log line.
 */
typedef bool (*mtree_algorithm_fits_t)(const mtree_problem_t *problem);

/* How an algorithm comes to its plan. */
typedef enum {
    MTREE_AT_ONCE,  /* in about a millisecond */
    MTREE_SEARCHED, /* by linear programs or a search, of which the work is limited */
    MTREE_BY_NAME   /* it serves those who name it */
} mtree_effort_t;

/* A set of collectives, one bit each. */
#define MTREE_DOES(_collective) (1u << (_collective))

typedef struct {
    const char *name;
    const char *help;     /* a line for users */
    unsigned collectives; /* MTREE_DOES() of each */
    mtree_algorithm_func_t plan;
    bool (*has_solver)(void); /* has this build the solver that it needs?  NULL: none */
    mtree_algorithm_fits_t fits; /* NULL: requests of any size */
    mtree_effort_t effort;
} mtree_algorithm_t;

#endif
