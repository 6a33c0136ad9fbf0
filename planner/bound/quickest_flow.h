/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The quickest flow: the least time in which so many bits get from one vertex of a
 * network to others.
 *
 * Arc a passes c(a) bits/s, each tau(a) seconds later at its other end.  What arrives by
 * time T is at most M(T), the maximum over flows x, without regard to time, of
 * T |x| - sum of tau(a) x(a); a flow that repeats the paths of x reaches it (Ford and
 * Fulkerson, "Constructing maximal dynamic flows from static flows", Operations Research
 * 6, 1958).  Of all times the least with M(T) >= M is the quickest (Burkard, Dlaska and
 * Klinz 1993).  Flows of least cost come from one another by cheapest paths; path k of
 * length L(k) adds f(k) bits/s, so M(T) is the sum of f(k) (T - L(k)) over paths shorter
 * than T, and the search ends with the first path that is longer than the time found.
 *
 * No algorithm takes less, not even one that codes: let vertex v belong to the far side
 * until time p(v), where p are the prices of the flow of least cost, p = 0 at its begin
 * and T at its end.  Arc (u, v) then leads from the near to the far side for
 * p(v) - p(u) - tau seconds, and all that such arcs carry is M(T).
 */
#ifndef MTREE_PLANNER_BOUND_QUICKEST_FLOW_H
#define MTREE_PLANNER_BOUND_QUICKEST_FLOW_H

#include "topo/topology.h"

typedef struct mtree_quickest_flow mtree_quickest_flow_t;

/*
 * For flows over all links of @a topology, which must outlive it; or, if @a reversed,
 * over links whose directions are exchanged, so that flows "from" a vertex are those to
 * it.  Owned by the caller.
 */
mtree_quickest_flow_t *mtree_quickest_flow_create(const mtree_topology_t *topology,
                                                  bool reversed);

/* Free; NULL is allowed. */
void mtree_quickest_flow_destroy(mtree_quickest_flow_t *flow);

/* Fill @a seconds, [num_vertices], with the latency of the shortest path from @a from to
 * each vertex; infinite where there is none. */
void mtree_quickest_flow_distances(mtree_quickest_flow_t *flow, int from,
                                   double *seconds);

/*
 * The least seconds in which @a bits get from vertex @a from to the @a num_to vertices
 * @a to, no matter which gets how many; infinite where no path leads there.  A time up to
 * @a enough is of no interest: the search ends as soon as it is known to be no longer.
 * 0: it is not known, as the search would take too much work.
 */
double mtree_quickest_flow_seconds(mtree_quickest_flow_t *flow, int from, const int *to,
                                   int num_to, double bits, double enough);

/* Let searches for the least seconds look at @a arcs from now on; at first there is no
 * limit.  Each arc takes some 20 ns. */
void mtree_quickest_flow_limit(mtree_quickest_flow_t *flow, double arcs);

/* May no more arcs be looked at? */
bool mtree_quickest_flow_is_over(const mtree_quickest_flow_t *flow);

#endif
