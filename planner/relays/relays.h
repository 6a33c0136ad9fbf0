/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with relays: trees that span the active hosts and pass through hosts outside the
 * job where that carries more (planner/relays/pack.h).
 */
#ifndef MTREE_PLANNER_RELAYS_RELAYS_H
#define MTREE_PLANNER_RELAYS_RELAYS_H

#include "planner/plan/request.h"

/* Between more hosts and relays no trees through relays are sought. */
#define MTREE_RELAYS_MOST_HOSTS 64

/*
 * The best plan for @a request between the active @a hosts that may pass through the
 * request's relays.  Relays that it does not need are not in it; NULL where it needs
 * none. Its bound is that of Steiner trees through all relays of the request where the
 * search proves it, else mtree_relays_cut_bound().  Owned by the caller.
 * MTREE_ERR_INVALID (logged) where a relay is no host of the topology, or active, or
 * there twice.
 */
mtree_status_t mtree_relays_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p);

/* Why no relay can serve @a request between @a num_hosts hosts, in words, static; NULL:
 * they can. */
const char *mtree_relays_unavailable(const mtree_plan_request_t *request, int num_hosts);

/* Is @a relayed clearly faster than @a plan, which has no relays: in predicted seconds
 * where they are for a size, else in throughput? */
bool mtree_relays_gain(const mtree_plan_t *relayed, const mtree_plan_t *plan);

/*
 * What no algorithm between @a hosts can exceed, bits/s of message, even if every vertex
 * of the topology forwards, copies and combines: by the slowest flow of a message that
 * takes far longer than all latencies (planner/bound/slowest_flow.h).  0 for personalized
 * collectives and for one host.
 */
double mtree_relays_cut_bound(const mtree_topology_t *topology, const int *hosts,
                              int num_hosts, mtree_collective_t collective, int root);

/* The vertices of @a plan's relays, by their names, to @a relays, [plan->num_relays].
 * MTREE_ERR_NOT_FOUND (logged): the topology has no such host. */
mtree_status_t mtree_relays_find(const mtree_plan_t *plan,
                                 const mtree_topology_t *topology, int *relays);

#endif
