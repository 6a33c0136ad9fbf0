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

/* The path that the call of @a args on @a comm, which is @a blocking or not, may take;
 * the same on all ranks.  Where relays are configured and it may not pass through them,
 * one line gives the reason at coll_mtree_verbose 1, once per reason. */
coll_mtree_path_t coll_mtree_relayed_call_path(ompi_communicator_t *comm,
                                               const coll_mtree_coll_args_t *args,
                                               bool blocking);

/*
 * Make the call @a req over its plan with relays, if it has one; the result is the same
 * on all ranks.  False: the user's data has not changed, and the call is to be made
 * without relays.  Where a relay is lost later calls are planned anew, for those that are
 * left; else the path has failed for such calls.
 */
bool coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                 const coll_mtree_count_t *count);

#endif
