/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning by the blocking calls of a communicator.
 *
 * A query begins after a call that is monitored; its reply is waited for at the beginning
 * of the second such call after that, when it has usually long been there.  It applies to
 * all calls of the communicator.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_BLOCKING_H
#define COLL_MTREE_ADAPT_REPLAN_BLOCKING_H

#include "coll_mtree/adapt/replan_schedule.h"
#include "coll_mtree/plan/planning_context.h"

/* A blocking call that mtree could serve begins on @a module's communicator: apply the
 * replies that are due.  True: from this call on all its plans are given up. */
bool coll_mtree_replan_blocking_catch_up(mca_coll_mtree_module_t *module);

/* A blocking call on @a comm over a plan has ended. */
void coll_mtree_replan_blocking_note(mca_coll_mtree_module_t *module,
                                     ompi_communicator_t *comm,
                                     const coll_mtree_observation_t *observation);

/* Free what a module holds for this. */
void coll_mtree_replan_blocking_destroy(mca_coll_mtree_module_t *module);

#endif
