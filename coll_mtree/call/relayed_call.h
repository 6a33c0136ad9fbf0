/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls over a plan with relays.
 *
 * Each rank reports to rank 0 how its part has ended, and rank 0 sends all ranks its
 * verdict.  The call is done when all parts are.  Where one has failed, or rank 0 finds
 * that a relay is lost, every rank abandons its messages, and the call is made over the
 * plan without relays.  So no rank waits for a relay that is lost, and no rank keeps a
 * result that others have not.
 */
#ifndef COLL_MTREE_CALL_RELAYED_CALL_H
#define COLL_MTREE_CALL_RELAYED_CALL_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/relay/relays.h"

/* May the call of @a args on @a comm, which is @a blocking or not, pass through relays?
 * The same on all ranks.  Where relays are configured and it may not, one line gives the
 * reason at coll_mtree_verbose 1, once per reason. */
bool coll_mtree_relayed_call_is_possible(ompi_communicator_t *comm,
                                         const coll_mtree_coll_args_t *args,
                                         bool blocking);

typedef enum {
    COLL_MTREE_RELAYED_UNKNOWN, /* it has not ended */
    COLL_MTREE_RELAYED_DONE,
    COLL_MTREE_RELAYED_FAILED, /* so would others of its class */
    COLL_MTREE_RELAYED_LOST    /* a relay is lost; those that are left may serve */
} coll_mtree_relayed_end_t;

/* Run the call; the result is the same on all ranks.  Unless it is DONE the user's data
 * has not changed, and the call is to be made without relays. */
coll_mtree_relayed_end_t coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                                     coll_mtree_relayed_t *relayed);

#endif
