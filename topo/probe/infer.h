/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a network whose routes cannot be seen, from how far its hosts are apart.
 */
#ifndef MTREE_TOPO_PROBE_INFER_H
#define MTREE_TOPO_PROBE_INFER_H

#include "topo/probe/fit.h"
#include "topo/probe/graph.h"

/* Networks of more hosts are not inferred: all pairs have to be measured. */
#define MTREE_PROBE_SHAPE_MAX_HOSTS 96

/*
 * Infer a graph with paths between all hosts from @a trips, one for each pair of hosts;
 * of these two the one with fewer links that agrees with the trips:
 * - hosts that forward: two hosts are linked unless a third one lies on the way, that
 *   is, unless the trips over it add up;
 * - a tree of switches with the hosts as leaves (neighbour joining: Saitou, Nei, "The
 *   neighbor-joining method", Mol. Biol. Evol. 1987), whose links are contracted when
 *   they are too short to be seen.
 * @a noise is the relative error of a trip.  The caller clears *graph_p.
 * MTREE_ERR_UNREACHABLE (logged) when a pair has no trip.
 */
mtree_status_t mtree_probe_infer(int num_hosts, const mtree_probe_trip_t *trips,
                                 int num_trips, double noise,
                                 mtree_probe_graph_t *graph_p);

/* The second of the two: *error_p is its mean relative error.  @a distance is [num_hosts
 * * num_hosts]. */
mtree_status_t mtree_probe_infer_tree(int num_hosts, const double *distance,
                                      const mtree_probe_trip_t *trips, int num_trips,
                                      mtree_probe_graph_t *graph_p, double *error_p);

#endif
