/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Max-min fair rates of flows that share arcs (progressive filling: all rates grow
 * together, and a flow stops when one of its arcs is full or it has reached its own
 * limit; Bertsekas and Gallager, Data Networks, section 6.5.2).
 *
 * Flows come and go.  Rates are found anew only for the flows that share arcs with those
 * that did, directly or through others: the rest of the network cannot tell.
 */
#ifndef MTREE_SIMULATE_FAIR_SHARE_H
#define MTREE_SIMULATE_FAIR_SHARE_H

#include "base/status.h"

#include <stdbool.h>

typedef struct mtree_fair_share_flow mtree_fair_share_flow_t;
typedef struct mtree_fair_share_use mtree_fair_share_use_t;
typedef struct mtree_fair_share mtree_fair_share_t;

/* What a flow takes of one arc; the first two are the owner's to set. */
struct mtree_fair_share_use {
    int arc;
    double weight; /* bits the arc carries for each bit of the flow; > 0 */
    /* Among the uses of the arc by flows that joined. */
    mtree_fair_share_flow_t *flow;
    mtree_fair_share_use_t *next, **pointer_to_this;
};

/* Zeroed before it first joins; the first three are the owner's to set. */
struct mtree_fair_share_flow {
    int num_uses;
    mtree_fair_share_use_t *uses; /* the owner's */
    double limit; /* bits/s the flow itself can take; > 0, may be INFINITY */
    double rate;  /* the answer, bits/s */
    bool joined, touched;
};

/* No flows on @a num_arcs arcs of @a capacities (copied), bits/s.  Owned by the caller.
 */
mtree_status_t mtree_fair_share_create(int num_arcs, const double *capacities,
                                       mtree_fair_share_t **flows_p);

/* Free; NULL is allowed.  The flows stay their owner's. */
void mtree_fair_share_destroy(mtree_fair_share_t *flows);

/* From now on @a flow takes its part; it has no rate until mtree_fair_share_share(). */
mtree_status_t mtree_fair_share_join(mtree_fair_share_t *flows,
                                     mtree_fair_share_flow_t *flow);

/* @a flow, which joined, does so no longer. */
void mtree_fair_share_leave(mtree_fair_share_t *flows, mtree_fair_share_flow_t *flow);

/*
 * The flows whose rates what came and went since the last mtree_fair_share_share() can
 * change: some may have left meanwhile.  The list stays until mtree_fair_share_share();
 * flows may leave, but not join, in between.
 */
int mtree_fair_share_touched(mtree_fair_share_t *flows,
                             mtree_fair_share_flow_t *const **touched_p);

/* Set the rates of those flows.  A flow without arcs gets its limit. */
void mtree_fair_share_share(mtree_fair_share_t *flows);

#endif
