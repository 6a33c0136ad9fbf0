/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/dominance.h"

/* Does the route from @a from to @a to consist of those to a host on it and on from there
 * (@a both_ways: and that back, too)? */
static bool is_joined(const mtree_problem_t *problem, const int *host_at, int from,
                      int to, bool both_ways)
{
    MTREE_ROUTE_ARCS (arc, problem->routes, from, to) {
        int by = host_at[mtree_arc_to(problem->topology, arc)];

        if (by >= 0 && by != to && mtree_routes_join(problem->routes, from, by, to) &&
            (!both_ways || mtree_routes_join(problem->routes, to, by, from))) {
            return true;
        }
    }
    return false;
}

/* Is the route from @a from to @a by the begin of that to @a to, and is the route back
 * the same links? */
static bool is_even_route(const mtree_routes_t *routes, int from, int by, int to)
{
    MTREE_ROUTE_ARCS (arc, routes, by, from) {
        if (mtree_routes_next(routes, arc, by) != (arc ^ 1)) {
            return false;
        }
    }
    return mtree_routes_join(routes, from, by, to);
}

/* Is the route a chain, of at least two, of routes between consecutive hosts that are the
 * same in both directions? */
static bool is_even_chain(const mtree_problem_t *problem, const int *host_at, int from,
                          int to)
{
    int at = from;

    MTREE_ROUTE_ARCS (arc, problem->routes, from, to) {
        int by = host_at[mtree_arc_to(problem->topology, arc)];

        if (by < 0) {
            continue;
        }
        if ((by == to && at == from) || !is_even_route(problem->routes, at, by, to)) {
            return false;
        }
        at = by;
    }
    return true;
}

bool mtree_dominance_of_route(const mtree_problem_t *problem, const int *host_at,
                              int from, int to)
{
    return is_joined(problem, host_at, from, to, false);
}

bool mtree_dominance_of_pair(const mtree_problem_t *problem, const int *host_at,
                             bool symmetric, int u, int v)
{
    return is_joined(problem, host_at, u, v, true) ||
           (symmetric && is_even_chain(problem, host_at, u, v) &&
            is_even_chain(problem, host_at, v, u));
}
