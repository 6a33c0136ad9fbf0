/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Max-min fair rates of flows that share arcs, by progressive filling: all rates grow
 * together, and a flow stops growing when one of its arcs is full or its own limit is
 * reached (Bertsekas and Gallager, Data Networks, section 6.5.2).
 *
 * Flows join and leave.  Rates are computed anew only for flows that share arcs with
 * those, directly or through other flows.
 */
#ifndef MTREE_TESTS_UNIT_TOPO_FAIR_SHARE_H
#define MTREE_TESTS_UNIT_TOPO_FAIR_SHARE_H

#include "base/status.h"

#include <stdbool.h>

typedef struct mtree_fair_share_flow mtree_fair_share_flow_t;
typedef struct mtree_fair_share_use mtree_fair_share_use_t;
typedef struct mtree_fair_share mtree_fair_share_t;

/* What a flow takes of one arc.  Its owner sets the first two fields. */
struct mtree_fair_share_use {
    int arc;
    double weight; /* bits the arc carries for each bit of the flow; > 0 */
    /* In the list of the arc's uses by flows that have joined. */
    mtree_fair_share_flow_t *flow;
    mtree_fair_share_use_t *next, **pointer_to_this;
};

/* Its owner zeroes it before it first joins and sets the first three fields. */
struct mtree_fair_share_flow {
    int num_uses;
    mtree_fair_share_use_t *uses; /* owned by the flow's owner */
    double limit; /* bits/s the flow itself can take; > 0, may be INFINITY */
    double rate;  /* bits/s; set by mtree_fair_share_share() */
    bool joined, touched;
};

/* No flows on @a num_arcs arcs of @a capacities (copied), bits/s.  Owned by the caller.
 */
mtree_status_t mtree_fair_share_create(int num_arcs, const double *capacities,
                                       mtree_fair_share_t **flows_p);

/* Free; NULL is allowed.  The flows belong to their owners. */
void mtree_fair_share_destroy(mtree_fair_share_t *flows);

/* Add @a flow.  It has no rate until mtree_fair_share_share(). */
mtree_status_t mtree_fair_share_join(mtree_fair_share_t *flows,
                                     mtree_fair_share_flow_t *flow);

/* Remove @a flow, which has joined. */
void mtree_fair_share_leave(mtree_fair_share_t *flows, mtree_fair_share_flow_t *flow);

/*
 * The flows whose rates may change by what has joined and left since the last
 * mtree_fair_share_share(); some of them may have left.  The list is valid until
 * mtree_fair_share_share(); until then flows may leave, but not join.
 */
int mtree_fair_share_touched(mtree_fair_share_t *flows,
                             mtree_fair_share_flow_t *const **touched_p);

/* Set the rates of those flows.  A flow without arcs gets its limit. */
void mtree_fair_share_share(mtree_fair_share_t *flows);

#endif
