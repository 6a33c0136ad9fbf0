/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators whose ranks all run on one host.  There is no network to plan for, so the
 * fallback serves.  But Open MPI's default algorithm is not always its fastest there
 * (docs/performance.md), so an autotuner selects among Open MPI's algorithms for blocking
 * calls that are long enough to pay for it.
 */
#ifndef COLL_MTREE_CALL_SINGLE_HOST_H
#define COLL_MTREE_CALL_SINGLE_HOST_H

#include "coll_mtree/coll_mtree.h"

/* Shorter calls go straight to the fallback. */
#define COLL_MTREE_SINGLE_HOST_BYTES 4096

/* Install the functions of such a communicator in its @a module. */
void coll_mtree_single_host_install(mca_coll_mtree_module_t *module);

#endif
