/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of the job (coll_mtree_trace): every rank keeps what its calls did; at
 * MPI_Finalize rank 0 of MPI_COMM_WORLD reads the others' clocks, gathers their events
 * and writes them as one file for Chrome's and Perfetto's viewers.
 */
#ifndef COLL_MTREE_REPORT_TRACE_H
#define COLL_MTREE_REPORT_TRACE_H

#include "coll_mtree/coll_mtree.h"

#include "schedule/trace.h"

/* Begin, when a trace is wanted; @a module is that of MPI_COMM_WORLD, on all its ranks.
 */
void coll_mtree_trace_begin(mca_coll_mtree_module_t *module);

/* This rank's trace; NULL when none is wanted. */
mtree_trace_t *coll_mtree_trace_get(void);

#endif
