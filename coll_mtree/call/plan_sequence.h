/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The replan sequence of a communicator (coll_mtree/adapt/replan.h): which plan follows
 * which, and from which blocking call on.
 *
 * A query is the exchange of a new plan entry.  The call at which the reply is due waits
 * for it before it looks its class up.  If there is another plan the new entry takes the
 * place of that of its class, and all other classes give their entries up.
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

/* Free what a module holds for this; its classes have no entries then. */
void coll_mtree_plan_sequence_destroy(mca_coll_mtree_module_t *module);

#endif
