/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans in the replies of exchanges.  Each rank receives the part of its host, as bytes
 * (schedule/plan_part_wire.h).  An arrival-ordered plan goes to all ranks as a whole,
 * too: any of them may become another's neighbour.
 */
#ifndef COLL_MTREE_PLAN_PLAN_REPLY_H
#define COLL_MTREE_PLAN_PLAN_REPLY_H

#include "coll_mtree/control/exchange.h"
#include "coll_mtree/plan/planning_context.h"

#include "schedule/plan_part_wire.h"

/* On rank 0, from the decision of @a exchange: reply @a kind with what was @a planned and
 * the @a trailer, bytes for all ranks beside the plan; kind 0 where there is no plan, or
 * it is too long. */
void coll_mtree_plan_reply_send(coll_mtree_exchange_t *exchange, int kind,
                                const coll_mtree_planned_t *planned,
                                const mtree_piece_t *trailer);

/* The part in @a reply, which is not of kind 0, a reference of the caller's.  @a plan is
 * the plan that this rank, 0, has sent (NULL on others); the part refers to it.
 * *trailer_p is in the reply. */
mtree_plan_part_t *coll_mtree_plan_reply_read(const coll_mtree_reply_t *reply,
                                              const mtree_plan_t *plan,
                                              mtree_forecast_t *forecast_p,
                                              mtree_piece_t *trailer_p);

#endif
