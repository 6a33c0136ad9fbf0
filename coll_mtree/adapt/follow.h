/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Following: the network is watched through the blocking calls that go over trees, and
 * plans change with it.  Those that do not wait have pursuits
 * (coll_mtree/adapt/pursuit.h).
 *
 * After such a call, when enough has been moved since the last time, the ranks begin a
 * talk (coll_mtree/control/exchange.h) that tells rank 0 how fast things went; it runs on
 * by itself. Rank 0 hears whether the network has drifted (topo/drift/drift.h), and
 * whether another plan would be clearly faster, and how far apart the ranks come
 * (coll_mtree/adapt/arrival_skew.h).  Its answer is waited for at the beginning of the
 * second such call after that, by when it has long been there, so that all ranks turn to
 * new plans at the same point of the order of calls.  What is under way keeps the plan it
 * began with. docs/replan.md has the rules.
 */
#ifndef COLL_MTREE_ADAPT_FOLLOW_H
#define COLL_MTREE_ADAPT_FOLLOW_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/plan/planning_context.h"

/*
 * A blocking call that mtree could serve begins on @a module's communicator: what is to
 * become of its plans, from this call on.
 */
coll_mtree_change_t coll_mtree_follow_catch_up(mca_coll_mtree_module_t *module);

/*
 * A blocking call of @a call_class over the trees of @a plan or by arrival, which stays
 * with the module, has been made by @a req.  What a call does that is not @a warm says
 * nothing.
 */
void coll_mtree_follow_note(mca_coll_mtree_module_t *module,
                            const coll_mtree_request_t *req,
                            const coll_mtree_call_class_t *call_class,
                            const mtree_plan_t *plan, bool warm);

/* Free what a module holds for this. */
void coll_mtree_follow_destroy(mca_coll_mtree_module_t *module);

#endif
