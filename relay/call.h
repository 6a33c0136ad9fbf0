/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call at a relay: the engine of schedule/ on a host without a rank, over mtree's own
 * TCP connections.
 */
#ifndef MTREE_RELAY_CALL_H
#define MTREE_RELAY_CALL_H

#include "base/list.h"
#include "relay/fold.h"
#include "relay/peers.h"
#include "relay/plan.h"
#include "schedule/layout.h"
#include "schedule/operation.h"

typedef struct {
    mtree_list_t link; /* for a list of the caller's */
    mtree_transport_t transport;
    mtree_relay_plan_t *plan;
    mtree_relay_start_t start;
    mtree_relay_peers_t *peers;
    mtree_relay_fold_t fold;
    mtree_layout_t *layout;
    mtree_operation_t *operation;
    mtree_tcp_budget_t *memory;
    size_t bytes; /* that it takes of it */
    bool is_cancelled;
} mtree_relay_call_t;

/*
 * Begin the call @a start over @a plan with @a peers, all of which stay. MTREE_ERR_LIMIT:
 * it takes more than is left of @a memory, or more peers than there may be;
 * MTREE_ERR_INVALID: plan and call do not fit.
 */
mtree_status_t mtree_relay_call_begin(mtree_relay_plan_t *plan,
                                      const mtree_relay_start_t *start,
                                      mtree_tcp_budget_t *memory,
                                      mtree_relay_peers_t *peers,
                                      mtree_relay_call_t **call_p);

/* End its messages, because it has failed elsewhere or its job is over. */
void mtree_relay_call_cancel(mtree_relay_call_t *call);

/* After messages have ended: 1, it is done; -1, it has failed; 0, it goes on.  Unless it
 * goes on the caller destroys it. */
int mtree_relay_call_poll(mtree_relay_call_t *call);

void mtree_relay_call_destroy(mtree_relay_call_t *call);

/* The key of the sessions of the call @a start. */
mtree_tcp_key_t mtree_relay_call_key(const mtree_relay_start_t *start);

#endif
