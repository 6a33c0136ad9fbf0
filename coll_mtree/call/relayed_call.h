/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls over a plan with relays.
 *
 * A rank says to rank 0 how its part has ended, and rank 0 says to all what that comes
 * to.  All parts are done: so is the call.  One has failed, or rank 0 finds that a relay
 * is lost: every rank abandons its messages, and the call is made over the plan without
 * relays, as are all later ones of its class.  So no rank waits for a relay that is gone,
 * and none keeps what only some have got.
 */
#ifndef COLL_MTREE_CALL_RELAYED_CALL_H
#define COLL_MTREE_CALL_RELAYED_CALL_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/relay/relayed.h"

/* May the blocking call of @a req go over @a relayed (NULL: it may not)?  The same on all
 * ranks. */
bool coll_mtree_relayed_call_serves(const coll_mtree_request_t *req,
                                    const coll_mtree_relayed_t *relayed);

/* Where the user asks for relays and the call of @a req can pass through none, say why at
 * coll_mtree_verbose 1; not again for the reason that was the last. */
void coll_mtree_relayed_call_explain(const coll_mtree_request_t *req);

/* Make it; false, on all ranks alike: nothing has changed, and it is to be made without
 * relays. */
bool coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                 coll_mtree_relayed_t *relayed);

#endif
