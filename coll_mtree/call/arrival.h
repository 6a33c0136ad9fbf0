/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrival-ordered requests (schedule/arrival/arrival.h): which calls are, and how they
 * start over the PML.
 */
#ifndef COLL_MTREE_CALL_ARRIVAL_H
#define COLL_MTREE_CALL_ARRIVAL_H

#include "coll_mtree/call/request.h"

#include "schedule/operation.h"

/* When the component is opened. */
void coll_mtree_arrival_open(void);

/*
 * Is the call of @a args arrival-ordered where @a part is of its plan?  The same on all
 * ranks.  With an arrival-ordered plan, other calls go over its tree: reductions whose
 * order must not depend on when ranks arrive, barriers, in which no rank is early, and
 * what is to be encrypted, since arrival-ordered calls go over the PML.
 */
bool coll_mtree_arrival_serves(const mtree_plan_part_t *part,
                               const coll_mtree_coll_args_t *args);

/*
 * Start @a req, whose buffers are initialised.  @a func as in mtree_operation_start(); @a
 * released is called with the request when none of its messages is under way any more.
 */
mtree_status_t
coll_mtree_arrival_start(coll_mtree_request_t *req, const mtree_plan_t *plan,
                         const mtree_placement_t *placement, mtree_operation_func_t func,
                         void (*released)(void *req), mtree_operation_t **operation_p);

#endif
