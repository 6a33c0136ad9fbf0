/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests, for the two files that make them: request.c has their life and what Open MPI
 * sees of them, request_run.c a start, from its plan to its end.
 */
#ifndef COLL_MTREE_CALL_REQUEST_PRIVATE_H
#define COLL_MTREE_CALL_REQUEST_PRIVATE_H

#include "coll_mtree/call/request.h"

/* Free what was prepared for a plan. */
void coll_mtree_request_unprepare(coll_mtree_request_t *req);

/* Release a holder's reference, perhaps in a callback. */
void coll_mtree_request_drop(coll_mtree_request_t *req);

#endif
