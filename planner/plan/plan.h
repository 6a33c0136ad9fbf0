/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  A plan: trees, rates and chunk sizes for one collective on one topology, with
 * the bound that no plan can beat.
 *
 * Hosts are numbered 0 .. num_hosts-1 in a plan; `hosts[i]` is the host's name (the
 * `host` of the topology's vertex), so that a plan can be read and used without the
 * topology.
 */
#ifndef MTREE_PLANNER_PLAN_PLAN_H
#define MTREE_PLANNER_PLAN_PLAN_H

#include "base/status.h"
#include "base/units.h"
#include "planner/plan/collective.h"
#include "planner/program/job.h"
#include "topo/routes.h"
#include "topo/topology.h"

#include <stddef.h>

/*
 * One tree.  For allreduce it carries data up (reduce) and down (broadcast) at once; for
 * reduce, reduce_scatter and gather up only; for bcast, allgather, scatter, alltoall and
 * scan down only.  For scatter, gather and alltoall each edge carries the blocks of the
 * hosts below it (mtree_tree_parts).  For scan the sum over the root and all hosts before
 * it goes from the root to the next host, down the path between them.  The last host has
 * trees, too: where the ranks of its host are not the last ones, they lead to the others.
 */
typedef struct {
    int root;    /* host number */
    double rate; /* bits/s of the message, which the tree takes on each of its edges, each
                    direction it uses, or that part of it that the edge carries */
    double share; /* its part of the message (allgather: of its root's block; alltoall: of
                     what its root sends) */
    size_t chunk_bytes; /* on its widest edge; 0: not decided */
    int *parent;        /* [num_hosts] host number of the parent, -1 for the root,
                           MTREE_PLAN_OUTSIDE for a relay that is not in the tree */
    double *latency;    /* [num_hosts] seconds, one way, of the route to the parent; 0 for
                           the root */
    int *step; /* [num_hosts] the lockstep step s, from 1 to S, in which data comes down
                  from the parent; data goes up in step S - s + 1; 0 for the root.  All 0:
                  no steps, chunks stream */
} mtree_tree_t;

/* Trees of a plan, at most. */
#define MTREE_PLAN_MOST_TREES (1 << 18)

/* The parent of a relay that a tree does not use. */
#define MTREE_PLAN_OUTSIDE (-2)

/* bits/s.  Over less a call takes more seconds than a double holds; and all links of a
 * network together carry less than the most. */
#define MTREE_PLAN_LEAST_RATE 1e-12
#define MTREE_PLAN_MOST_RATE  1e24

/* The algorithm of plans by arrival. */
#define MTREE_PLAN_ARRIVAL "arrival"

/* The name of the algorithm of plans whose rates also suit hosts that send far more than
 * others (planner/packing/packing.h). */
#define MTREE_PLAN_ROBUST "robust"

/* What a route gives when nothing else uses it. */
typedef struct {
    double rate;    /* bits/s of its narrowest link */
    double latency; /* seconds, one way */
    int links;
} mtree_plan_route_t;

/* A cable between two hosts, a < b, with its ends at a and at b. */
typedef struct {
    int a, b;
    mtree_cable_t cable;
} mtree_plan_cable_t;

typedef struct {
    mtree_collective_t collective;
    char *algorithm; /* "packing", "ring", ... */
    int root;        /* host number where the collective has a root, -1 otherwise */
    double bytes;    /* message size that it is made for (alltoall: what each host sends);
                        0: throughput alone */
    int num_hosts;
    char **hosts;   /* [num_hosts] */
    int num_relays; /* the last num_relays hosts are relays: they have no ranks,
                       contribute nothing and need no result.  A tree is rooted in another
                       host, may leave relays outside, and has none as a leaf */
    char **relays;  /* [num_relays] where each listens, "address:port"; NULL: none */
    int *order;     /* [num_hosts] of a plan that names a rank program
                       (planner/program/build.h) instead of trees: the hosts in its
                       order.  NULL: it has trees */
    int shape[MTREE_SHAPE_DIMENSIONS]; /* of a program for a torus: its sizes; else 0 */
    size_t message_bytes; /* of a program: longer messages are cut into such; 0: none */
    int num_trees;
    mtree_tree_t *trees;
    double throughput; /* bits/s of message (allgather: of result; alltoall: of what each
                          host sends) that the rates give */
    double bound;      /* bits/s no plan can exceed; 0: not known */
    char *limit; /* what limits the bound, in words ("links a-b and c-d"); may be NULL */
    double work; /* steps that the search for it took; 0: it took none */
    double seconds; /* predicted time for `bytes`, latency included; 0: not predicted */
    mtree_plan_route_t *routes; /* [num_hosts x num_hosts] from host i to host j at i *
                                   num_hosts + j; NULL: not known */
    int num_cables;
    mtree_plan_cable_t *cables; /* [num_cables] by ascending a, then b, where the network
                                   names the ends of links (planner/plan/cables.h); not
                                   in files */
    int references; /* besides the first one; changed by mtree_plan_retain() and
                       mtree_plan_destroy() alone */
} mtree_plan_t;

/*
 * An empty plan over @a num_hosts hosts with room for @a num_trees trees whose parents
 * are all -1.  `hosts` names are copied.  Owned by the caller.  NULL for an unknown
 * collective (logged).
 */
mtree_plan_t *mtree_plan_create(mtree_collective_t collective, const char *algorithm,
                                int num_hosts, const char *const *hosts, int num_trees);

/*
 * The last @a num_relays hosts of @a plan become relays that listen at @a addresses,
 * which are copied; or they are relays whose addresses were not known. MTREE_ERR_INVALID:
 * they were, or no other host would be left.
 */
mtree_status_t mtree_plan_add_relays(mtree_plan_t *plan, int num_relays,
                                     const char *const *addresses);

/* Hosts that have ranks: those before the relays. */
static inline int mtree_plan_num_active(const mtree_plan_t *plan)
{
    return plan->num_hosts - plan->num_relays;
}

/* May a plan have @a rate, bits/s?  NaN is none. */
static inline bool mtree_plan_is_rate(double rate)
{
    return rate == 0.0 || (rate >= MTREE_PLAN_LEAST_RATE && rate <= MTREE_PLAN_MOST_RATE);
}

/* Does @a tree leave @a host, a relay, outside? */
static inline bool mtree_tree_is_outside(const mtree_tree_t *tree, int host)
{
    return tree->parent[host] == MTREE_PLAN_OUTSIDE;
}

/* Host i of @a plan, which has no cables and no relays, becomes host @a number[i],
 * another one each. */
void mtree_plan_renumber(mtree_plan_t *plan, const int *number);

/*
 * Is it a plan by arrival (planner/regular/chains.h)?  Calls over it are scheduled while
 * the ranks arrive (schedule/arrival/arrival.h); its tree is the schedule for the case
 * that the hosts arrive in the order of their numbers.
 */
bool mtree_plan_is_by_arrival(const mtree_plan_t *plan);

/*
 * What the route from host @a from to host @a to costs the network: the latency and, for
 * each of its links, the seconds that the plan's bytes (of a plan for throughput alone:
 * 1 MB) take over the narrowest.  A route of many links shares links with many others.  0
 * where routes are not known.
 */
double mtree_plan_route_seconds(const mtree_plan_t *plan, int from, int to);

/* One more reference to @a plan (NULL is allowed), which is not changed from now on. Each
 * reference is given up by mtree_plan_destroy().  From any thread. */
mtree_plan_t *mtree_plan_retain(const mtree_plan_t *plan);

/* Give up a reference; the last one frees the plan.  NULL is allowed. */
void mtree_plan_destroy(mtree_plan_t *plan);

/* Lockstep steps of all trees, one way; 0: chunks stream. */
int mtree_plan_num_steps(const mtree_plan_t *plan);

/* Height in hops of the highest tree. */
int mtree_plan_height(const mtree_plan_t *plan);

/* Height of a tree in hops, and its latency from the root to the farthest leaf in
 * seconds. */
int mtree_tree_height(const mtree_tree_t *tree, int num_hosts);
double mtree_tree_depth(const mtree_tree_t *tree, int num_hosts);

/*
 * The part of what a tree carries that crosses the edge above each host, to @a part,
 * [num_hosts]: 1, or for personalized collectives the hosts below that edge, of all; of
 * a scan 1 on the path from the root to the next host, 0 elsewhere.  0 for the root.
 */
void mtree_tree_parts(const mtree_tree_t *tree, int num_hosts,
                      mtree_collective_t collective, double *part);

/* Add to each host's @a sum, [num_hosts], those of all hosts below it.  @a parent is -1
 * for the root; @a waiting is scratch, [num_hosts]. */
void mtree_tree_add_up(const int *parent, int num_hosts, int *waiting, int *sum);

/* Turn the edges from @a root up, so that the tree leads down from there. */
void mtree_tree_turn(mtree_tree_t *tree, int root);

/* The host to which a tree of a scan carries its sum; -1: it carries nothing. */
int mtree_tree_target(const mtree_tree_t *tree, int num_hosts);

/* The hops, and in *seconds_p the latency, from the root of a tree to @a host. */
int mtree_tree_path(const mtree_tree_t *tree, int num_hosts, int host, double *seconds_p);

/* The greatest of these parts; 0 for a tree of one host. */
double mtree_tree_widest(const mtree_tree_t *tree, int num_hosts,
                         mtree_collective_t collective);

/*
 * Add to @a load, [2 x links of the topology], what the plan puts on each arc, bits/s.
 * @a routes must number the hosts as the plan does.
 */
void mtree_plan_load(const mtree_plan_t *plan, const mtree_routes_t *routes,
                     double *load);

/* The same of tree number @a tree alone, with @a amount in the place of its rate: what
 * crosses each arc when the tree carries so much. */
void mtree_plan_tree_load(const mtree_plan_t *plan, int tree,
                          const mtree_routes_t *routes, double amount, double *load);

/* The same for a call whose size is @a amount: what crosses each arc in all. */
void mtree_plan_call_load(const mtree_plan_t *plan, const mtree_routes_t *routes,
                          double amount, double *load);

/*
 * The seconds for which the busiest arc of @a topology is busy with @a load, [2 x links]
 * bits; of a load in bits/s, how many times it is too much.  Infinite where something is
 * to cross an arc without capacity, 0 without a load.
 */
double mtree_plan_busiest(const mtree_topology_t *topology, const double *load);

/* Messages that the host sends and receives which has the most of them, in a call of
 * plan->bytes.  *total_p (NULL: not wanted) is how many there are. */
double mtree_plan_messages(const mtree_plan_t *plan, double *total_p);

/*
 * Is @a plan well formed: every tree spans all hosts but relays and has no cycle, no
 * relay is a root or a leaf, shares sum to one (allgather, reduce_scatter, alltoall,
 * scan: for each root), rates are not negative, steps, where there are any, grow from the
 * root down; and, with @a routes (may be NULL), is no arc given more than its capacity.
 * Plans with steps of personalized collectives and of scans have no relays.  A plan that
 * names a program has an order of all hosts, and neither trees nor relays.
 * @a routes must number the hosts as the plan does.  Logs the first fault;
 * MTREE_ERR_INVALID.
 */
mtree_status_t mtree_plan_check(const mtree_plan_t *plan,
                                const mtree_topology_t *topology,
                                const mtree_routes_t *routes);

#endif
