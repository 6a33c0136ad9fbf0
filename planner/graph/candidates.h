/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edges that trees may be made of, and the capacities that they take.
 *
 * An edge joins two hosts; sending over it uses every arc of the route between them.
 * Edges are undirected for allreduce (a tree edge uses the routes of both directions) and
 * directed from parent to child otherwise (a tree edge uses the route down for bcast,
 * allgather, scatter and alltoall, the route up for reduce, reduce_scatter and gather).
 *
 * Of personalized collectives a tree uses an edge once for each block that crosses it:
 * the blocks of the hosts below the edge.  So it does of a scan, where each host has one
 * block, for the next one.
 *
 * Pairs that other pairs can replace in any tree are no candidates
 * (planner/graph/dominance.h), so no packing loses by their absence.  Arcs that the same
 * edges use are one *constraint*, with the least of their capacities.
 */
#ifndef MTREE_PLANNER_GRAPH_CANDIDATES_H
#define MTREE_PLANNER_GRAPH_CANDIDATES_H

#include "planner/plan/algorithm.h"

typedef struct {
    bool directed;
    bool is_personalized; /* an edge is used once for each block that crosses it */
    int num_hosts;
    int num_active; /* the first hosts, which all trees span; others may be in a tree
                       (planner/relays); num_hosts at first */
    int num_edges;
    int *from, *to;  /* [num_edges] hosts; from is the parent when directed, the lower
                        otherwise */
    double *latency; /* [num_edges] seconds, of one direction, the longer of both when
                        undirected */
    int *first; /* [num_edges + 1] where an edge's constraints start in `constraints` */
    int *constraints; /* constraints an edge uses, once for each time it does */
    int *out_first;   /* [num_hosts + 1] where a host's edges start in `out` */
    int *out;      /* edges by the host they leave; undirected ones at both their hosts */
    int *in_first; /* the same by the host they enter */
    int *in;
    int num_constraints;
    double *capacity; /* [num_constraints] bits/s, positive */
    int *arc; /* [num_constraints] the arc of the topology that gave the capacity */
    const int *blocks; /* [num_hosts x num_hosts] blocks from host i for host j at i x
                          num_hosts + j; NULL: one for each */
    int *parent, *waiting, *below; /* scratch, [num_hosts], of mtree_candidates_carried */
    int *carried;                  /* [num_hosts - 1] its result */
} mtree_candidates_t;

/*
 * The candidates for the problem's collective, in the problem's arena.  They connect all
 * hosts (from every host to every host when directed).  MTREE_ERR_CANCELLED;
 * MTREE_ERR_UNREACHABLE (logged) when a route has an arc without capacity and hosts are
 * cut off by it.
 */
mtree_status_t mtree_candidates_create(const mtree_problem_t *problem,
                                       mtree_candidates_t **candidates_p);

/* The host at the other end of @a edge than @a host. */
static inline int mtree_candidates_other(const mtree_candidates_t *candidates, int edge,
                                         int host)
{
    return candidates->from[edge] == host ? candidates->to[edge] : candidates->from[edge];
}

/* The price of each edge when each constraint has a price: the sum over its constraints.
 * @a price is [num_edges]. */
void mtree_candidates_price(const mtree_candidates_t *candidates,
                            const double *constraint_price, double *price);

#endif
