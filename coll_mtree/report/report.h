/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of the job (coll_mtree_report): what the collectives did and how long they
 * took.  Rank 0 of MPI_COMM_WORLD writes it at MPI_Finalize, and before that from time to
 * time (coll_mtree_report_live).
 *
 * It covers the communicators that rank 0 is in.  What calls are, and which backend
 * served them, is the same on all their ranks; times, and the rates between hosts, come
 * from the other ranks at the end (coll_mtree/report/report_json.h).
 */
#ifndef COLL_MTREE_REPORT_REPORT_H
#define COLL_MTREE_REPORT_REPORT_H

#include "coll_mtree/coll_mtree.h"

/* Begin the report, if one is wanted; to be called when MPI_COMM_WORLD is made.
 * @a module NULL: mtree cannot serve it, for the reason @a obstacle, a static text. */
void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle);

/* At the end of a job whose user named mtree, on rank 0: one line when none of its calls
 * was served and no line has said so before. */
void coll_mtree_report_outcome(void);

#endif
