/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replan sequences (coll_mtree/adapt/replan.h): which plan follows which, and from which
 * call on.
 *
 * A query is the exchange of a new plan entry, which follows that of the calls.  At the
 * call at which the reply is due the new entry takes the place of the old one.  Without
 * another plan it has that of the old one.  Nonblocking calls wait in its gate; blocking
 * ones wait for it before they look their class up.  With another plan for the class of a
 * blocking call all other classes of the communicator give their entries up.
 */
#ifndef COLL_MTREE_CALL_PLAN_SEQUENCE_H
#define COLL_MTREE_CALL_PLAN_SEQUENCE_H

#include "coll_mtree/call/plan_entry.h"

/* Tags of the queries of a persistent request, some of which may run at once: the start
 * at which a reply is due does not end before the reply is there. */
#define COLL_MTREE_QUERY_TAGS                                                            \
    ((COLL_MTREE_REPLAN_PATIENCE + 2) * COLL_MTREE_EXCHANGE_TAGS)

/* A call of @a bytes that never waits is about to be made over *entry_p, which a reply
 * that is due here changes.  @a keeps_order: a call over such plans, of whatever form,
 * must give the same bits.  @a first_tag: of COLL_MTREE_QUERY_TAGS for its queries; 0:
 * each reserves its own. */
void coll_mtree_plan_sequence_count(coll_mtree_replan_sequence_t *sequence,
                                    coll_mtree_plan_entry_t **entry_p, double bytes,
                                    bool keeps_order, int first_tag);

/* Have all queries of @a sequence ended on this rank? */
bool coll_mtree_plan_sequence_is_settled(const coll_mtree_replan_sequence_t *sequence);

/* No query of @a sequence is awaited any more, and it begins anew. */
void coll_mtree_plan_sequence_reset(coll_mtree_replan_sequence_t *sequence);

/* A blocking call that mtree could serve begins on @a module's communicator: apply the
 * reply that is due.  True: from this call on its plans are others. */
bool coll_mtree_plan_sequence_catch_up(mca_coll_mtree_module_t *module);

/* A blocking call has been made by @a req: what it observed may change the plans. */
void coll_mtree_plan_sequence_note(const coll_mtree_request_t *req);

/* A relay of the plan of @a comm_class is gone, or the topology is known: its calls from
 * here on have an entry of their own. */
void coll_mtree_plan_sequence_renew(coll_mtree_comm_class_t *comm_class);

/* Free what a module holds for sequences; its classes have no entries then. */
void coll_mtree_plan_sequences_destroy(mca_coll_mtree_module_t *module);

#endif
