/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures what coll_mtree/adapt/first_calls.h decides by: blocking calls over trees and,
 * where these are off, the fallback.  The fallback moves and combines bytes in memory of
 * mtree's own, as many as the call, so the user's results do not depend on it.
 */
#ifndef COLL_MTREE_ADAPT_FALLBACK_TRIAL_H
#define COLL_MTREE_ADAPT_FALLBACK_TRIAL_H

#include "coll_mtree/report/statistics.h"

/* A call that has ended. */
typedef struct {
    const mtree_call_t *call;
    const coll_mtree_count_t *count;
    double began;    /* on this rank's clock */
    double expected; /* seconds */
    double lead;     /* how many times as long the fallback would take; 0: not known */
} coll_mtree_first_call_t;

/* All ranks of @a comm have made @a what, a call of @a comm_class over trees.  Where they
 * are to agree on times now, they go on when they know what follows from these. */
void coll_mtree_fallback_trial_note(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm,
                                    coll_mtree_comm_class_t *comm_class,
                                    const coll_mtree_first_call_t *what);

#endif
