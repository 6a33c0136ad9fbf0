/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs by arrival (schedule/arrival/arrival.h): which runs are, and how they are started
 * over the PML.
 */
#ifndef COLL_MTREE_CALL_ARRIVAL_H
#define COLL_MTREE_CALL_ARRIVAL_H

#include "coll_mtree/call/request.h"

#include "schedule/operation.h"

/* When the component is opened. */
void coll_mtree_arrival_open(void);

/*
 * Is @a args run by arrival where its plan is @a plan?  The same on all ranks.  Otherwise
 * such a plan's tree serves, as that of any other plan: reductions whose order must not
 * depend on who comes when, and barriers, in which nobody can be early.
 */
bool coll_mtree_arrival_serves(const mtree_plan_t *plan,
                               const coll_mtree_coll_args_t *args);

/*
 * Start @a req, whose data is initialised.  @a func as in mtree_operation_start(); @a
 * released is called with the run when nothing of it is under way any more.
 */
mtree_status_t
coll_mtree_arrival_start(coll_mtree_request_t *req, const mtree_plan_t *plan,
                         const mtree_placement_t *placement, mtree_operation_func_t func,
                         void (*released)(void *req), mtree_operation_t **operation_p);

#endif
