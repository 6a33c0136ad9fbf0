/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph of a network whose routes cannot be traced, from the round trips of its
 * hosts.
 */
#ifndef MTREE_TOPO_PROBE_INFER_H
#define MTREE_TOPO_PROBE_INFER_H

#include "topo/probe/fit.h"
#include "topo/probe/graph.h"

/* The most hosts: all of their pairs have to be measured. */
#define MTREE_PROBE_INFER_MAX_HOSTS 96

/*
 * Infer a graph with paths between all hosts from @a rtts, one per pair of hosts.  It is
 * the one with fewer links of those two that agree with the round trips:
 * - hosts that forward: two hosts are linked unless a third one lies between them, that
 *   is, unless it is nearer to both and the round trips to it add up to theirs;
 * - a tree of switches with the hosts as leaves (neighbour joining: Saitou, Nei, "The
 *   neighbor-joining method", Mol. Biol. Evol. 1987), in which links too short to be
 *   measured are contracted.
 * @a noise is the relative error of a round trip.  The caller clears *graph_p.
 * MTREE_ERR_UNREACHABLE (logged) when a pair has no round trip.
 */
mtree_status_t mtree_probe_infer(int num_hosts, const mtree_probe_rtt_t *rtts,
                                 int num_rtts, double noise,
                                 mtree_probe_graph_t *graph_p);

#endif
