/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A step schedule: an allreduce as a list of transfers, each in a numbered step that
 * starts when the one before has ended everywhere (papers/multitree.txt).
 *
 * The message is cut into pieces.  A reduce transfer adds the sender's partial sum of a
 * piece to the receiver's; a gather transfer puts it in the place of the receiver's.
 * Plans (planner/plan/plan.h) hold trees that stream chunks without steps; this is what
 * lockstep algorithms and the baselines that have no trees are compared by.
 */
#ifndef MTREE_PAPERS_BASELINES_ROUNDS_H
#define MTREE_PAPERS_BASELINES_ROUNDS_H

#include "planner/plan/plan.h"

typedef struct {
    int step;     /* from 1 */
    int from, to; /* host numbers */
    int piece;
    bool reduce;             /* else gather */
    int first_arc, num_arcs; /* its path in `arcs`; no arcs: the hosts' route */
} mtree_transfer_t;

typedef struct {
    char *algorithm;
    int num_hosts;
    int num_pieces;
    double *share; /* [num_pieces] part of the message; they sum to one */
    int num_steps; /* of all transfers */
    int num_transfers, capacity;
    mtree_transfer_t *transfers; /* in no particular order */
    int num_arcs, arc_capacity;
    int *arcs; /* the paths of transfers that do not take the hosts' route */
} mtree_rounds_t;

/* An empty schedule whose pieces are of equal share.  Owned by the caller. */
mtree_rounds_t *mtree_rounds_create(const char *algorithm, int num_hosts, int num_pieces);

/* Free; NULL is allowed. */
void mtree_rounds_destroy(mtree_rounds_t *schedule);

/* Add one transfer. */
void mtree_rounds_add(mtree_rounds_t *schedule, int step, int from, int to, int piece,
                      bool reduce);

/*
 * Let the transfer added last take @a arcs, in order from its sender to its receiver;
 * with @a reversed, the opposite arcs in the opposite order.
 */
void mtree_rounds_set_path(mtree_rounds_t *schedule, const int *arcs, int num_arcs,
                           bool reversed);

/*
 * Does @a schedule compute an allreduce: within a step every transfer sends what its
 * sender had before the step, no host's part is added twice or lost, and in the end every
 * host has the sum of every piece. Logs the first fault; MTREE_ERR_INVALID.
 */
mtree_status_t mtree_rounds_check(const mtree_rounds_t *schedule);

/*
 * The largest number of transfers that share one arc in one step, counted in the capacity
 * of the narrowest arc (an arc twice as wide carries two): 1 means free of contention.
 */
double mtree_rounds_contention(const mtree_rounds_t *schedule,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes);

/*
 * Seconds for a message of @a bytes: each step takes the latency of its longest route and
 * the time of its busiest arc; every byte costs @a wire_factor bytes on the wire (1: no
 * headers).  @a routes must number the hosts as the schedule does.
 */
double mtree_rounds_seconds(const mtree_rounds_t *schedule,
                            const mtree_topology_t *topology,
                            const mtree_routes_t *routes, double bytes,
                            double wire_factor);

#endif
