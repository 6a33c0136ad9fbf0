/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pairs of hosts need not be edges of trees, because other pairs do as well.
 */
#ifndef MTREE_PLANNER_GRAPH_DOMINANCE_H
#define MTREE_PLANNER_GRAPH_DOMINANCE_H

#include "planner/plan/algorithm.h"

/*
 * Is the route from @a from to @a to the routes to and from a third host joined?  An edge
 * over it can be replaced in any arborescence by edges over the parts, using no more.  @a
 * host_at is [num_vertices], the host number at a vertex or -1.
 */
bool mtree_dominance_of_route(const mtree_problem_t *problem, const int *host_at,
                              int from, int to);

/*
 * The same for an edge that uses the routes of both directions.  Either both routes are
 * two others joined at the same host; or every link has one capacity for both directions,
 * and each route is a chain of routes that go back over the same links.  Then the cheaper
 * route's chain costs, in both directions, at most what the edge does, under any prices
 * of links, so some edge of the chain can replace it.  @a even is [num_hosts][num_hosts]
 * zeros at first, where it keeps what it knows of the chains; NULL where capacities
 * differ.
 */
bool mtree_dominance_of_pair(const mtree_problem_t *problem, const int *host_at,
                             char *even, int u, int v);

#endif
