/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The planner's algorithms: which there are, what they do, and whether this
 * build can run them.
 */
#ifndef MTREE_PLANNER_ALGORITHMS_H
#define MTREE_PLANNER_ALGORITHMS_H

#include "planner/plan/algorithm.h"

/* A program may have algorithms of its own, so many. */
#define MTREE_ALGORITHMS_MOST_ADDED 8

/* Add @a count algorithms to the planner's, which must remain; once, before anything is
 * planned. */
void mtree_algorithms_add(const mtree_algorithm_t *rows, int count);

/* Their names, the default first, NULL-terminated, static. */
const char *const *mtree_algorithms_names(void);

/* What the algorithm of this name does, in a line, static; NULL: there is none. */
const char *mtree_algorithms_help(const char *name);

/* Why the algorithm of this name cannot plan in this build, static; NULL: it can. */
const char *mtree_algorithms_unavailable(const char *name);

/* True when this build has an algorithm of this name and it does @a collective. */
bool mtree_algorithms_do(const char *name, mtree_collective_t collective);

/* True when this build has an algorithm of this name and it has a plan for @a request
 * over
 * @a num_hosts hosts of @a topology; the algorithm that the request names does not count.
 * Nothing is logged. */
bool mtree_algorithms_fit(const char *name, const mtree_topology_t *topology,
                          int num_hosts, const mtree_plan_request_t *request);

/* How it comes to its plan; MTREE_BY_NAME where there is none of this name. */
mtree_effort_t mtree_algorithms_effort(const char *name);

/*
 * The algorithm that @a request names, or the default.  Errors are logged:
 * MTREE_ERR_NOT_FOUND, MTREE_ERR_UNSUPPORTED (not in this build, or not for the
 * collective).
 */
mtree_status_t mtree_algorithms_choose(const mtree_plan_request_t *request,
                                       const mtree_algorithm_t **algorithm_p);

#endif
