/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning: plans follow the network while a job runs.  docs/replan.md has the rules.
 *
 * When the blocking calls of a communicator have moved enough, the ranks begin a replan
 * query: the exchange of a new plan entry, which brings a sample of each rank to rank 0.
 * Rank 0 updates the planning context, and its reply says what becomes of the plans,
 * those of nonblocking calls included.  At the call at which the reply is due the new
 * entry takes the place of that of its class, and all other classes give their entries
 * up.
 *
 * These invariants keep the ranks in step:
 * - Blocking calls come in an order that all ranks share.  Which calls are measured and
 *   which of them begins a query follows from that order, call classes, plans and
 *   parameters alone (coll_mtree/call/replan_schedule.h).
 * - A reply applies to all calls after the next measured one.  The first of them waits
 * for it in Open MPI's progress.  This cannot hang a correct program, since the reply
 * depends on earlier calls of the other ranks alone, as any collective may.  Of two
 * queries under way rank 0 may decide the later one first: then the next one finds that a
 * plan is for an earlier version of the network.
 * - Calls that have begun keep their plan, by a reference of their own, and persistent
 *   requests that of their beginning.
 * - A query that ends with an error changes no plan: calls meet the failure themselves.
 * - A query holds its communicator until a deferred release, and MPI_Finalize waits for
 *   all queries, since a rank forwards the messages of others.
 */
#ifndef COLL_MTREE_CALL_PLAN_SEQUENCE_H
#define COLL_MTREE_CALL_PLAN_SEQUENCE_H

#include "coll_mtree/call/plan_entry.h"

/* A blocking call that mtree could serve begins on @a module's communicator: apply the
 * reply that is due.  True: from this call on its plans are others. */
bool coll_mtree_plan_sequence_catch_up(mca_coll_mtree_module_t *module);

/* A blocking call has been made by @a req: what it observed may change the plans. */
void coll_mtree_plan_sequence_note(const coll_mtree_request_t *req);

/* A relay of the plan of @a comm_class is gone, or the topology is known: its calls from
 * here on have an entry of their own. */
void coll_mtree_plan_sequence_renew(coll_mtree_comm_class_t *comm_class);

/* Free what a module holds for this. */
void coll_mtree_plan_sequence_destroy(mca_coll_mtree_module_t *module);

#endif
