/*
 * Runs by arrival (schedule/arrival.h): which runs are, and how they are started over the
 * PML.
 */
#ifndef MCA_COLL_MTREE_ARRIVAL_H
#define MCA_COLL_MTREE_ARRIVAL_H

#include "coll_mtree_run.h"

#include "schedule/operation.h"

/*
 * Is @a task run by arrival where its plan is @a plan?  The same on all ranks.  Otherwise
 * such a plan's tree serves, as that of any other plan: reductions whose order must not
 * depend on who comes when, and barriers, in which nobody can be early.
 */
bool coll_mtree_arrival_serves(const mtree_plan_t *plan, const coll_mtree_task_t *task);

/*
 * Start @a run, whose data is initialised.  @a func as in mtree_operation_start(); @a
 * released is called with the run when nothing of it is under way any more.
 */
mtree_status_t coll_mtree_arrival_start(coll_mtree_run_t *run, const mtree_plan_t *plan,
                                        const mtree_placement_t *placement,
                                        mtree_operation_func_t func,
                                        void (*released)(void *run),
                                        mtree_operation_t **operation_p);

#endif
