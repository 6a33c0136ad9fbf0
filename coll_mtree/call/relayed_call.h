/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls over a plan with relays.
 *
 * A rank says to rank 0 how its part has ended, and rank 0 says to all what that comes
 * to.  All parts are done: so is the call.  One has failed, or rank 0 finds that a relay
 * is lost: every rank abandons its messages, and the call is made over the plan without
 * relays.  So no rank waits for a relay that is gone, and none keeps what only some have
 * got.
 */
#ifndef COLL_MTREE_CALL_RELAYED_CALL_H
#define COLL_MTREE_CALL_RELAYED_CALL_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/relay/relayed.h"

/* May the call of @a args on @a comm, which is @a blocking or not, pass through relays?
 * The same on all ranks.  Where the user asks for relays and it may not, one line says
 * why at coll_mtree_verbose 1, once for each reason. */
bool coll_mtree_relayed_call_is_possible(ompi_communicator_t *comm,
                                         const coll_mtree_coll_args_t *args,
                                         bool blocking);

typedef enum {
    COLL_MTREE_RELAYED_DONE,
    COLL_MTREE_RELAYED_FAILED, /* so would others of its class */
    COLL_MTREE_RELAYED_LOST    /* a relay is gone; those that are left may serve */
} coll_mtree_relayed_end_t;

/* Make it; how that ended, on all ranks alike.  Where it is not done, nothing has
 * changed, and the call is to be made without relays. */
coll_mtree_relayed_end_t coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                                     coll_mtree_relayed_t *relayed);

#endif
