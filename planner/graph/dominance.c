/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/dominance.h"

/* What is known of a chain. */
enum { UNKNOWN, EVEN, UNEVEN };

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

/* The first host on the route after @a from. */
static int next_host(const mtree_problem_t *problem, const int *host_at, int from, int to)
{
    int by = -1;

    for (int arc = mtree_routes_first(problem->routes, from, to); by < 0;
         arc = mtree_routes_next(problem->routes, arc, to)) {
        by = host_at[mtree_arc_to(problem->topology, arc)];
    }
    return by;
}

/* Is the route a chain of routes between consecutive hosts that are the same in both
 * directions?  What follows a host is its own route, whose answer serves again. */
static bool is_even_chain(const mtree_problem_t *problem, const int *host_at, char *even,
                          int from, int to)
{
    char *known = &even[(size_t)to * (size_t)problem->num_hosts + (size_t)from];

    if (*known == UNKNOWN) {
        int by = next_host(problem, host_at, from, to);

        *known = is_even_route(problem->routes, from, by, to) &&
                         (by == to || is_even_chain(problem, host_at, even, by, to))
                     ? EVEN
                     : UNEVEN;
    }
    return *known == EVEN;
}

bool mtree_dominance_of_route(const mtree_problem_t *problem, const int *host_at,
                              int from, int to)
{
    return is_joined(problem, host_at, from, to, false);
}

bool mtree_dominance_of_pair(const mtree_problem_t *problem, const int *host_at,
                             char *even, int u, int v)
{
    return (even != NULL && next_host(problem, host_at, u, v) != v &&
            next_host(problem, host_at, v, u) != u &&
            is_even_chain(problem, host_at, even, u, v) &&
            is_even_chain(problem, host_at, even, v, u)) ||
           is_joined(problem, host_at, u, v, true);
}
