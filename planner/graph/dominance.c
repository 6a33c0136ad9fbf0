/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/dominance.h"

#include <string.h>

/* Does the route from @a from to @a to pass host @a by, being the routes to it and on
 * from it? */
static bool is_joined_at(const mtree_routes_t *routes, int from, int by, int to)
{
    int whole_length, head_length, tail_length;
    const int *whole = mtree_routes_get(routes, from, to, &whole_length);
    const int *head = mtree_routes_get(routes, from, by, &head_length);
    const int *tail = mtree_routes_get(routes, by, to, &tail_length);

    return head_length + tail_length == whole_length &&
           memcmp(whole, head, (size_t)head_length * sizeof(*whole)) == 0 &&
           memcmp(whole + head_length, tail, (size_t)tail_length * sizeof(*whole)) == 0;
}

static bool is_joined(const mtree_problem_t *problem, const int *host_at, int from,
                      int to, bool both_ways)
{
    int num_arcs;
    const int *arcs = mtree_routes_get(problem->routes, from, to, &num_arcs);

    for (int a = 0; a + 1 < num_arcs; ++a) {
        int by = host_at[mtree_arc_to(problem->topology, arcs[a])];

        if (by >= 0 && is_joined_at(problem->routes, from, by, to) &&
            (!both_ways || is_joined_at(problem->routes, to, by, from))) {
            return true;
        }
    }
    return false;
}

/* Are @a length arcs the route between two hosts, and is the route back the same links?
 */
static bool is_even_route(const mtree_routes_t *routes, int from, int to, const int *arcs,
                          int length)
{
    int there_length, back_length;
    const int *there = mtree_routes_get(routes, from, to, &there_length);
    const int *back = mtree_routes_get(routes, to, from, &back_length);

    if (there_length != length || back_length != length ||
        memcmp(there, arcs, (size_t)length * sizeof(*arcs)) != 0) {
        return false;
    }
    for (int a = 0; a < length; ++a) {
        if ((there[a] ^ 1) != back[length - 1 - a]) {
            return false;
        }
    }
    return true;
}

/* Is the route a chain, of at least two, of routes between consecutive hosts that are the
 * same in both directions? */
static bool is_even_chain(const mtree_problem_t *problem, const int *host_at, int from,
                          int to)
{
    int num_arcs, start = 0, at = from;
    const int *arcs = mtree_routes_get(problem->routes, from, to, &num_arcs);

    for (int a = 0; a < num_arcs; ++a) {
        int by = host_at[mtree_arc_to(problem->topology, arcs[a])];

        if (by < 0) {
            continue;
        }
        if ((by == to && start == 0) ||
            !is_even_route(problem->routes, at, by, arcs + start, a + 1 - start)) {
            return false;
        }
        start = a + 1;
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
